// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.api;

/**
 * The offset and size to fetch from a partition.
 *
 * @param offset    the offset of the first message to fetch.
 * @param fetchSize the maximum length in bytes, unless the first batch is longer.
 */
public record PartitionFetchInfo(long offset, int fetchSize)
{
}
