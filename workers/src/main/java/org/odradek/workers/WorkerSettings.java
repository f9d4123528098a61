// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.odradek.consumer.handler.ControlledRecordHandler;

import java.util.function.Function;

/** The settings of {@link Workers}. Each setter returns this object and has a getter of the same name. */
public final class WorkerSettings
{
    private static final int MAX_WORKERS = 1024;
    private static final int MIN_RING_LENGTH = 4 * 1024;
    private static final int MAX_RING_LENGTH = 1 << 30;

    private final int count;
    private final Function<? super Worker, ? extends ControlledRecordHandler> handlers;
    private int ringLength = 8 * 1024 * 1024;
    private int barrierIntervalMs = 10;
    private int barrierMaxAgeMs = 10_000;
    private boolean isTooLargeSkipped;
    private RecordRouter router = RecordRouter.BY_KEY;

    /**
     * Creates settings with the defaults.
     *
     * @param count    the number of workers, 1 to 1,024. The number may change at a restart.
     * @param handlers creates the handler of a worker, once for each worker, on the thread of the worker before its
     *                 first record. The result of a handler has the same meaning as in a poll: {@code ABORT} offers the
     *                 record again, and {@code BREAK} ends {@link Worker#doWork}.
     */
    public WorkerSettings(final int count, final Function<? super Worker, ? extends ControlledRecordHandler> handlers)
    {
        this.count = count;
        this.handlers = handlers;
    }

    /** Returns the number of workers. */
    public int count()
    {
        return count;
    }

    /** Returns the function that creates the handler of a worker. */
    public Function<? super Worker, ? extends ControlledRecordHandler> handlers()
    {
        return handlers;
    }

    /**
     * Sets the length of the ring of each worker, in bytes: a power of two from 4 KiB to 1 GiB; the default is 8 MiB.
     * The key, the value and the headers of a record, and about 60 further bytes, must fit into an eighth of the ring.
     * The rings are direct memory.
     */
    public WorkerSettings ringLength(final int length)
    {
        ringLength = length;
        return this;
    }

    /** Returns the value of {@link #ringLength(int)}. */
    public int ringLength()
    {
        return ringLength;
    }

    /** Sets the interval of barriers in milliseconds, 1 or more; the default is 10. */
    public WorkerSettings barrierIntervalMs(final int intervalMs)
    {
        barrierIntervalMs = intervalMs;
        return this;
    }

    /** Returns the value of {@link #barrierIntervalMs(int)}. */
    public int barrierIntervalMs()
    {
        return barrierIntervalMs;
    }

    /**
     * Sets the age of a barrier in milliseconds after which nothing is dispatched until it has passed; the default is
     * 10,000. The age must not be less than the interval of barriers.
     */
    public WorkerSettings barrierMaxAgeMs(final int ageMs)
    {
        barrierMaxAgeMs = ageMs;
        return this;
    }

    /** Returns the value of {@link #barrierMaxAgeMs(int)}. */
    public int barrierMaxAgeMs()
    {
        return barrierMaxAgeMs;
    }

    /**
     * Sets whether records that do not fit into an eighth of a ring are skipped; false by default. Otherwise nothing is
     * dispatched after such a record until its partition is sought, paused or unassigned.
     */
    public WorkerSettings skipTooLarge(final boolean isSkipped)
    {
        isTooLargeSkipped = isSkipped;
        return this;
    }

    /** Returns the value of {@link #skipTooLarge(boolean)}. */
    public boolean skipTooLarge()
    {
        return isTooLargeSkipped;
    }

    /** Sets how the worker of a record is chosen; the default is {@link RecordRouter#BY_KEY}. */
    public WorkerSettings router(final RecordRouter newRouter)
    {
        router = newRouter;
        return this;
    }

    /** Returns the value of {@link #router(RecordRouter)}. */
    public RecordRouter router()
    {
        return router;
    }

    void check()
    {
        check(count >= 1 && count <= MAX_WORKERS, "count", count, "from 1 to " + MAX_WORKERS);
        check(ringLength >= MIN_RING_LENGTH && ringLength <= MAX_RING_LENGTH && Integer.bitCount(ringLength) == 1,
            "ringLength", ringLength, "a power of two from " + MIN_RING_LENGTH + " to " + MAX_RING_LENGTH);
        check(barrierIntervalMs >= 1, "barrierIntervalMs", barrierIntervalMs, "1 or more");
        check(barrierMaxAgeMs >= barrierIntervalMs, "barrierMaxAgeMs", barrierMaxAgeMs,
            "barrierIntervalMs or more, which is " + barrierIntervalMs);
        check(handlers != null, "handlers", null, "set");
        check(router != null, "router", null, "set");
    }

    private static void check(final boolean isRight, final String name, final Object value, final String right)
    {
        if (!isRight)
        {
            throw new IllegalArgumentException(name + " of the workers is " + value + ": it must be " + right);
        }
    }
}
