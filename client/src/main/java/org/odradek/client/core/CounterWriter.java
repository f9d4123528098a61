// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.ClientCounters;

import java.nio.ByteBuffer;

/** Writes the counters of a client. All writes must come from one thread. */
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

    public void add(final int id, final long delta)
    {
        final int index = CountersReader.counterOffset(id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    public void set(final int id, final long value)
    {
        values.putLongRelease(CountersReader.counterOffset(id), value);
    }

    public void max(final int id, final long value)
    {
        final int index = CountersReader.counterOffset(id);
        if (value > values.getLong(index))
        {
            values.putLongRelease(index, value);
        }
    }
}
