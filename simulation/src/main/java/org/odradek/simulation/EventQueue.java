// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.Arrays;

/**
 * The events of a simulation in the order of their times, and in the order in which they were added where the times are
 * equal: a binary heap. An event is an object that its owner may keep and add again, which allocates nothing.
 */
final class EventQueue
{
    private static final int INITIAL_CAPACITY = 64;

    private int size;
    private long nextSequence;
    private long[] times = new long[INITIAL_CAPACITY];
    private long[] sequences = new long[INITIAL_CAPACITY];
    private Runnable[] events = new Runnable[INITIAL_CAPACITY];

    void add(final long timeNs, final Runnable event)
    {
        if (size == times.length)
        {
            times = Arrays.copyOf(times, 2 * size);
            sequences = Arrays.copyOf(sequences, 2 * size);
            events = Arrays.copyOf(events, 2 * size);
        }
        int i = size++;
        while (i > 0 && timeNs < times[(i - 1) >>> 1])
        {
            move((i - 1) >>> 1, i);
            i = (i - 1) >>> 1;
        }
        set(i, timeNs, nextSequence++, event);
    }

    /** Returns the time of the next event, or {@link Long#MAX_VALUE} if there is none. */
    long nextTimeNs()
    {
        return size == 0 ? Long.MAX_VALUE : times[0];
    }

    Runnable remove()
    {
        final Runnable first = events[0];
        size--;
        final long timeNs = times[size];
        final long sequence = sequences[size];
        final Runnable last = events[size];
        events[size] = null;
        int i = 0;
        int child = smallerChild(i);
        while (child < size && isBefore(times[child], sequences[child], timeNs, sequence))
        {
            move(child, i);
            i = child;
            child = smallerChild(i);
        }
        if (size > 0)
        {
            set(i, timeNs, sequence, last);
        }
        return first;
    }

    private int smallerChild(final int i)
    {
        final int left = 2 * i + 1;
        final int right = left + 1;
        return right < size && isBefore(times[right], sequences[right], times[left], sequences[left]) ? right : left;
    }

    private static boolean isBefore(
        final long time, final long sequence, final long otherTime, final long otherSequence)
    {
        return time < otherTime || time == otherTime && sequence < otherSequence;
    }

    private void move(final int from, final int to)
    {
        set(to, times[from], sequences[from], events[from]);
    }

    private void set(final int i, final long timeNs, final long sequence, final Runnable event)
    {
        times[i] = timeNs;
        sequences[i] = sequence;
        events[i] = event;
    }
}
