// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;
import org.odradek.protocol.record.ViewLender;
import org.odradek.protocol.record.ViewLifetime;

import java.util.Objects;

/** Adapts a {@link RecordHandler} to {@link ControlledRecordHandler}, so that one delivery loop serves both. */
public final class HandlerAdapter implements ControlledRecordHandler
{
    private RecordHandler delegate;

    public HandlerAdapter delegate(final RecordHandler handler)
    {
        Objects.requireNonNull(handler);
        // The handler is usually that of the previous poll, and storing a reference costs a barrier of the garbage
        // collector.
        if (delegate != handler)
        {
            delegate = handler;
        }
        return this;
    }

    @Override
    public Action onRecord(final Record record)
    {
        delegate.onRecord(record);
        return Action.CONTINUE;
    }

    /**
     * Lends views to a handler for one call, if {@link ViewLifetime#IS_CHECKED}. A view that is used after the handler
     * has returned throws an exception.
     */
    static final class Lending implements ControlledRecordHandler, BatchHandler
    {
        private ControlledRecordHandler recordHandler;
        private BatchHandler batchHandler;
        private final ViewLender lender = new ViewLender();

        Lending to(final ControlledRecordHandler ofRecords, final BatchHandler ofBatches)
        {
            recordHandler = ofRecords;
            batchHandler = ofBatches;
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
}
