// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * The time of a partition whose offset is requested.
 *
 * @param time          in ms since 1970, or one of the constants of {@link OffsetRequest}.
 * @param maxNumOffsets 0 for none; today's brokers return at most one.
 */
public record PartitionOffsetRequestInfo(long time, int maxNumOffsets)
{
}
