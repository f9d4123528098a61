// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;
import org.odradek.protocol.record.ViewLender;
import org.odradek.protocol.record.ViewLifetime;

/**
 * Stands before the handlers where {@link ViewLifetime#IS_CHECKED}, and sees to it that nothing they were given can be
 * used when they have returned.
 */
final class LendingHandler implements ControlledRecordHandler, BatchHandler
{
    private ControlledRecordHandler recordHandler;
    private BatchHandler batchHandler;
    private final ViewLender lender = new ViewLender();

    LendingHandler recordsTo(final ControlledRecordHandler handler)
    {
        recordHandler = handler;
        return this;
    }

    LendingHandler batchesTo(final BatchHandler handler)
    {
        batchHandler = handler;
        return this;
    }

    @Override
    public Action onRecord(final Record record)
    {
        final Record lent = lender.lend(record);
        try
        {
            return recordHandler.onRecord(lent);
        }
        finally
        {
            lender.takeBack();
        }
    }

    @Override
    public Action onBatch(final StoredBatch batch)
    {
        final StoredBatch lent = lender.lend(batch);
        try
        {
            return batchHandler.onBatch(lent);
        }
        finally
        {
            lender.takeBack();
        }
    }
}
