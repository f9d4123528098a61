// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.ClientCounters;

import java.nio.ByteBuffer;

/**
 * Writes the counters of a client. Only the client's thread may call its methods; users see a {@link ClientCounters}.
 */
public final class CounterWriter extends ClientCounters
{
    /** Creates counters in new direct memory; they begin at 0. */
    public CounterWriter()
    {
        this(new UnsafeBuffer(ByteBuffer.allocateDirect(count() * CountersReader.COUNTER_LENGTH)));
    }

    /**
     * @param values memory to write to, with the layout of Agrona's counters; it must have room for {@link #count()}
     *               counters.
     */
    public CounterWriter(final AtomicBuffer values)
    {
        super(values);
    }

    /**
     * Adds a number to a counter.
     *
     * @param id    id of the counter.
     * @param delta number to add.
     */
    public void add(final int id, final long delta)
    {
        final int index = CountersReader.counterOffset(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    /**
     * Sets the value of a counter.
     *
     * @param id    id of the counter.
     * @param value new value.
     */
    public void set(final int id, final long value)
    {
        values.putLongRelease(CountersReader.counterOffset(id), value);
    }

    /**
     * Sets a counter to a value if the counter is lower.
     *
     * @param id    id of the counter.
     * @param value lowest value that the counter has after this call.
     */
    public void max(final int id, final long value)
    {
        final int index = CountersReader.counterOffset(id);
        if (value > values.getLong(index))
        {
            values.putLongRelease(index, value);
        }
    }
}
