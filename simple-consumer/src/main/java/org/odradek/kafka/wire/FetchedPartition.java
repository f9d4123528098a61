// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.api.FetchResponsePartitionData;

/**
 * What was fetched of a partition, and where to go on.
 *
 * @param data       for the caller.
 * @param nextOffset behind all that was whole; that asked for, if nothing was.
 * @param isBarren   what was whole held no message: only the end of a transaction, or what compaction left.
 */
record FetchedPartition(FetchResponsePartitionData data, long nextOffset, boolean isBarren)
{
}
