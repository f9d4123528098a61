// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.StoredBatch;

/**
 * Receives whole batches as the log stores them, without decoding or decompressing their records, and decides after
 * each how to continue. The header and the checksum of a batch have been checked, its contents have not. Messages of
 * magic 0 and 1 are delivered one by one; a compressed message of those formats is decompressed, because only its
 * contents hold its offsets.
 * <p>
 * Each batch whose last offset is at or after the partition's next offset is delivered once, in order and as a whole;
 * {@link StoredBatch#fromOffset()} is the first offset to use. After compaction such a batch may hold no record from
 * there on. Markers of transactions are not delivered, nor, with {@code READ_COMMITTED}, batches of aborted
 * transactions. After a batch the next offset is the one after its last offset.
 * <p>
 * The rules of {@link RecordHandler} about lifetime, calls and exceptions apply to a batch, and an {@link Action} means
 * for a batch what it means for a record. Polls for records and polls for batches may alternate: a batch of which some
 * records have been delivered is delivered as a whole, and {@code fromOffset} is the first undelivered record.
 */
@FunctionalInterface
public interface BatchHandler
{
    /**
     * Handle one batch.
     *
     * @param batch a view, valid until this method returns.
     * @return how to continue; null means {@link Action#CONTINUE}.
     */
    Action onBatch(StoredBatch batch);
}
