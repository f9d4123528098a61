// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.StoredBatch;

/**
 * Receives whole batches as the log stores them, and decides after each batch how to continue. The consumer has
 * verified the checksum of a batch unless {@code checkCrcs} is off, but has not checked the records: a handler that
 * decodes records must check them, and must skip those before {@link StoredBatch#fromOffset()}. After compaction a
 * batch may hold no record at or after {@code fromOffset}. Transaction markers are not delivered and, with {@code
 * READ_COMMITTED}, neither are batches of aborted transactions.
 * <p>
 * The rules of {@link RecordHandler} about lifetime, calls and exceptions apply to a batch, and an {@link Action} means
 * for a batch what it means for a record. Polls for records and polls for batches may alternate.
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
