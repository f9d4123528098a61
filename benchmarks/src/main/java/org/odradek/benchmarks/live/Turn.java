// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

/**
 * What one client cost in one turn.
 *
 * @param usage            of the client.
 * @param brokerCpuPercent of one core, used by the broker meanwhile; NaN if that is not known.
 */
public record Turn(Usage usage, double brokerCpuPercent)
{
}
