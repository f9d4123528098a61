// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.odradek.client.core.CountersFile;
import org.odradek.client.metrics.ListedCounter;

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
    /**
     * Is the time in nanoseconds for which the open barrier has waited for the worker, or 0 if it does not wait for it.
     * The dispatcher sets the value about once in a barrier interval.
     */
    public static final int BARRIER_AGE_NS = 7;

    static final int WORKING = 0;
    static final int STOPPED = 1;
    static final int ENDED = 2;

    private final WorkerRing[] rings;
    /** The counters, in memory or in a file. Each is in a cache line of its own, as all values here are. */
    private AtomicBuffer values;
    /** The completed position of each worker, and the age of the barrier. */
    private final AtomicBuffer progress;

    WorkerCounters(final WorkerRing[] rings)
    {
        this.rings = rings;
        values = lines(rings.length * count());
        progress = lines(rings.length + 1);
    }

    private static AtomicBuffer lines(final int count)
    {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(CountersReader.counterOffset(count)));
    }

    /**
     * Moves the counters to a file, before anything is counted.
     *
     * @return false if the file has no room, and the counters stay in memory.
     */
    boolean moveTo(final CountersFile file)
    {
        final AtomicBuffer inFile = file.allocateOfWorkers(rings.length);
        values = inFile == null ? values : inFile;
        return inFile != null;
    }

    /** Returns the number of counters of a worker; their ids are 0 to {@code count() - 1}. */
    public static int count()
    {
        return ListedCounter.workerCount();
    }

    /**
     * Returns the name of a counter.
     *
     * @throws IndexOutOfBoundsException if there is no such counter.
     */
    public static String name(final int id)
    {
        return ListedCounter.ofWorker(id).name();
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
        return progress.getLongVolatile(CountersReader.counterOffset(rings.length));
    }

    void barrierAgeNs(final long ageNs)
    {
        progress.putLongRelease(CountersReader.counterOffset(rings.length), ageNs);
    }

    void add(final int worker, final int id, final long delta)
    {
        final int index = index(worker, id);
        values.putLongRelease(index, values.getLong(index) + delta);
    }

    void set(final int worker, final int id, final long value)
    {
        values.putLongRelease(index(worker, id), value);
    }

    int state(final int worker)
    {
        return (int)get(worker, STATE);
    }

    void state(final int worker, final int state)
    {
        set(worker, STATE, state);
    }

    long completed(final int worker)
    {
        return progress.getLongVolatile(CountersReader.counterOffset(worker));
    }

    void completed(final int worker, final long position)
    {
        progress.putLongRelease(CountersReader.counterOffset(worker), position);
    }

    private static int index(final int worker, final int id)
    {
        return CountersReader.counterOffset(worker * count() + id);
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
