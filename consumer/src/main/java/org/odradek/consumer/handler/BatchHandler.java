// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.StoredBatch;

/**
 * Receives whole batches as the log stores them, without decoding or decompressing their records, and decides after
 * each batch how to continue. The consumer has checked the header of a batch and, unless {@code checkCrcs} is off, the
 * checksum, but not the records. Messages of magic 0 and 1 are delivered one by one. A compressed message of magic 0 or
 * 1 is decompressed, because only its contents hold the offsets of its records.
 * <p>
 * Each batch whose last offset is at or after the partition's next offset is delivered once, in order and as a whole;
 * {@link StoredBatch#fromOffset()} is the first offset to use. After compaction such a batch may hold no record at or
 * after {@code fromOffset}. A batch in which compaction has left no record at all is not delivered. Markers of
 * transactions are not delivered and, with {@code READ_COMMITTED}, neither are batches of aborted transactions. After a
 * batch has been delivered, the next offset of the partition is the last offset of the batch plus 1.
 * <p>
 * The rules of {@link RecordHandler} about lifetime, calls and exceptions apply to a batch, and an {@link Action} means
 * for a batch what it means for a record. Polls for records and polls for batches may alternate: a batch of which some
 * records have been delivered is delivered as a whole, and {@code fromOffset} is the offset after the last delivered
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
