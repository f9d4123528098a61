// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * Which offset of a partition is wanted.
 *
 * @param time          in ms since 1970, or one of those in {@link OffsetRequest}.
 * @param maxNumOffsets 0 for none; brokers give one at most today.
 */
public record PartitionOffsetRequestInfo(long time, int maxNumOffsets)
{
}
