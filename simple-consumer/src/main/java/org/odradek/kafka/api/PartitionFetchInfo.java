// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * From where to fetch of a partition.
 *
 * @param offset    of the first message wanted.
 * @param fetchSize most bytes wanted, unless the first set is larger.
 */
public record PartitionFetchInfo(long offset, int fetchSize)
{
}
