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
    public CounterWriter()
    {
        this(new UnsafeBuffer(ByteBuffer.allocateDirect(count() * CountersReader.COUNTER_LENGTH)));
    }

    /** @param values memory for {@link #count()} counters, with the layout of Agrona's counters. */
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
