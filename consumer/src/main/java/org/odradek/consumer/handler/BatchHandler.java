// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.StoredBatch;

/**
 * Receives whole batches as the log stores them, without decoding or decompressing their records, and decides after
 * each batch how to continue. The consumer has checked the header and the checksum of a batch, but not its contents.
 * Messages of magic 0 and 1 are delivered one by one; a compressed message of these formats is decompressed, because
 * only its contents hold the offsets of its records.
 * <p>
 * Each batch whose last offset is at or after the partition's next offset is delivered once, in order and as a whole;
 * {@link StoredBatch#fromOffset()} is the first offset to use. After compaction such a batch may hold no record at or
 * after {@code fromOffset}. Markers of transactions are not delivered, nor, with {@code READ_COMMITTED}, batches of
 * aborted transactions. After a batch has been delivered, the next offset of the partition is its last offset plus 1.
 * <p>
 * The rules of {@link RecordHandler} about lifetime, calls and exceptions apply to a batch, and an {@link Action} means
 * for a batch what it means for a record. Polls for records and polls for batches may alternate: a batch of which some
 * records have been delivered is delivered as a whole, and {@code fromOffset} is the offset of the first undelivered
 * record.
 */
@FunctionalInterface
public interface BatchHandler
{
    /**
     * Handles one batch.
     *
     * @param batch a view, valid until this method returns.
     * @return the way to continue; null means {@link Action#CONTINUE}.
     */
    Action onBatch(StoredBatch batch);
}
