// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.ClientCounters;

import java.nio.ByteBuffer;

/**
 * Writes the counters of a client. Only the client's thread may call it; users see {@link ClientCounters}.
 */
public final class CounterWriter extends ClientCounters
{
    /** Counts in memory of its own. */
    public CounterWriter()
    {
        this(new UnsafeBuffer(ByteBuffer.allocateDirect(count() * CountersReader.COUNTER_LENGTH)));
    }

    /** @param values to write to, laid out as Agrona's counters are; the first {@link #count()} are of the list. */
    public CounterWriter(final AtomicBuffer values)
    {
        super(values);
    }

    /**
     * Add to a counter.
     *
     * @param id    of the counter.
     * @param delta to add.
     */
    public void add(final int id, final long delta)
    {
        final int index = CountersReader.counterOffset(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    /**
     * Replace the value of a counter.
     *
     * @param id    of the counter.
     * @param value from now on.
     */
    public void set(final int id, final long value)
    {
        values.putLongRelease(CountersReader.counterOffset(id), value);
    }

    /**
     * Raise a counter to a value if it is lower.
     *
     * @param id    of the counter.
     * @param value to raise it to.
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
