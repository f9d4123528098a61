// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * The time of a partition whose offset is requested.
 *
 * @param time          the time in milliseconds since 1970, or a constant of {@link OffsetRequest}.
 * @param maxNumOffsets 0 for no offset, otherwise at most one offset is returned.
 */
public record PartitionOffsetRequestInfo(long time, int maxNumOffsets)
{
}
