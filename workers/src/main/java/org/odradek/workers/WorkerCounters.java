// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.ByteBuffer;

/**
 * The counters of the workers: for each worker one 64-bit value for each id below. Any thread may read them, also after
 * the workers have been closed.
 */
public final class WorkerCounters
{
    /** Counts the records that the handler has processed. */
    public static final int RECORDS = 0;
    /** Counts the records that were skipped, because the member did not own their partition any more. */
    public static final int RECORDS_SKIPPED = 1;
    /** Counts the exceptions and Errors of the handler. */
    public static final int HANDLER_ERRORS = 2;
    /** Is 0 while the worker works, 1 while it has stopped at a record, 2 after it has ended. */
    public static final int STATE = 3;
    /** Counts the records that were skipped, because they did not fit into an eighth of the ring. */
    public static final int TOO_LARGE = 4;
    /** Counts the nanoseconds for which nothing was dispatched, because the ring of the worker was full. */
    public static final int RING_FULL_NS = 5;
    /** Is the number of bytes in the ring now. */
    public static final int RING_BYTES = 6;

    static final int WORKING = 0;
    static final int STOPPED = 1;
    static final int ENDED = 2;

    private static final String[] NAMES = {
        "records", "records skipped", "handler errors", "state", "too large", "ring full ns", "ring bytes"};
    private static final int FIRST_OF_DISPATCHER = TOO_LARGE;
    private static final int COMPLETED = FIRST_OF_DISPATCHER * Long.BYTES;
    private static final int LINE_LENGTH = CountersReader.COUNTER_LENGTH;

    private final WorkerRing[] rings;
    private final AtomicBuffer values;

    WorkerCounters(final WorkerRing[] rings)
    {
        this.rings = rings;
        values = new UnsafeBuffer(ByteBuffer.allocateDirect((2 * rings.length + 1) * LINE_LENGTH));
    }

    /** Returns the number of counters of a worker; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return NAMES.length;
    }

    /**
     * Returns the name of a counter.
     *
     * @throws IndexOutOfBoundsException if there is no such counter.
     */
    public static String name(final int id)
    {
        return NAMES[id];
    }

    /** Returns the number of workers. */
    public int workers()
    {
        return rings.length;
    }

    /**
     * Returns the value of a counter.
     *
     * @param worker the worker index.
     * @param id     the counter id.
     * @throws IndexOutOfBoundsException if there is no such worker or counter.
     */
    public long get(final int worker, final int id)
    {
        if (id < 0 || id >= count())
        {
            throw new IndexOutOfBoundsException("there is no counter " + id + " of a worker");
        }
        final WorkerRing ring = rings[worker];
        return id == RING_BYTES ? ring.messages.size() : values.getLongVolatile(index(worker, id));
    }

    /**
     * Returns the time in nanoseconds for which the open barrier has waited, as of the last work of the dispatcher; 0
     * if none is open.
     */
    public long barrierAgeNs()
    {
        return values.getLongVolatile(2 * rings.length * LINE_LENGTH);
    }

    void barrierAgeNs(final long ageNs)
    {
        values.putLongRelease(2 * rings.length * LINE_LENGTH, ageNs);
    }

    void add(final int worker, final int id, final long delta)
    {
        final int index = index(worker, id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    int state(final int worker)
    {
        return (int)get(worker, STATE);
    }

    void state(final int worker, final int state)
    {
        values.putLongRelease(index(worker, STATE), state);
    }

    long completed(final int worker)
    {
        return values.getLongVolatile(2 * worker * LINE_LENGTH + COMPLETED);
    }

    void completed(final int worker, final long position)
    {
        values.putLongRelease(2 * worker * LINE_LENGTH + COMPLETED, position);
    }

    private static int index(final int worker, final int id)
    {
        return id < FIRST_OF_DISPATCHER ? 2 * worker * LINE_LENGTH + id * Long.BYTES :
            (2 * worker + 1) * LINE_LENGTH + (id - FIRST_OF_DISPATCHER) * Long.BYTES;
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder("barrier age ns=").append(barrierAgeNs());
        for (int worker = 0; worker < rings.length; worker++)
        {
            text.append("\nworker ").append(worker).append(':');
            for (int id = 0; id < count(); id++)
            {
                text.append(id == 0 ? " " : ", ").append(name(id)).append('=').append(get(worker, id));
            }
        }
        return text.toString();
    }
}
