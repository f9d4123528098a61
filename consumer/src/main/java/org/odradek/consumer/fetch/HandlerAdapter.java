// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.Objects;

/**
 * Lets a {@link RecordHandler} run in the loop that is made for a {@link ControlledRecordHandler}.
 */
public final class HandlerAdapter implements ControlledRecordHandler
{
    private RecordHandler delegate;

    /**
     * @param handler to call from now on, until the next call of this.
     * @return this.
     */
    public HandlerAdapter delegate(final RecordHandler handler)
    {
        Objects.requireNonNull(handler, "handler");
        // Mostly that of the poll before, and a reference that is written costs a collector's barrier.
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
}
