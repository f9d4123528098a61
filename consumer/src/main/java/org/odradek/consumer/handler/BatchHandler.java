// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.StoredBatch;

/**
 * Takes whole batches as the log holds them, none of their records decoded or decompressed, and says after each how to
 * go on. Its header and its checksum have been looked at, what is inside has not. Messages of magic 0 and 1 are
 * given one by one; a compressed one of them is decompressed all the same, because only that tells its offsets.
 * <p>
 * Every batch is given that holds a record at or behind the partition's next offset, in order, each once, and always
 * the whole of it: {@link StoredBatch#fromOffset()} says where what is wanted of it begins. Left out are
 * markers of transactions, and if committed records only are read, batches of aborted transactions. After a batch the
 * next offset is that behind its last.
 * <p>
 * What {@link RecordHandler} says of lifetime, calls and exceptions holds here of a batch, and an {@link Action} means
 * for a batch what it means for a record. Polls for records and for batches may alternate: a batch of which some
 * records have been delivered is given whole, from the first record not delivered on.
 */
@FunctionalInterface
public interface BatchHandler
{
    /**
     * One batch.
     *
     * @param batch a view of it.
     * @return how to go on; null is taken as {@link Action#CONTINUE}.
     */
    Action onBatch(StoredBatch batch);
}
