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
    private int maxBarrierAgeMs = 10_000;
    private boolean isTooLargeSkipped;
    private RecordRouter router = RecordRouter.BY_KEY;

    /**
     * @param count    the number of workers, 1 to 1,024. It may change at a restart.
     * @param handlers creates the handler of a worker. It is called once for each worker, on the thread of the worker,
     *                 before its first record. What a handler returns has the same meaning as in a poll: {@code ABORT}
     *                 offers the record again, and {@code BREAK} ends {@link Worker#doWork}.
     */
    public WorkerSettings(final int count, final Function<? super Worker, ? extends ControlledRecordHandler> handlers)
    {
        this.count = count;
        this.handlers = handlers;
    }

    /** The number of workers. */
    public int count()
    {
        return count;
    }

    /** The function that creates the handler of a worker. */
    public Function<? super Worker, ? extends ControlledRecordHandler> handlers()
    {
        return handlers;
    }

    /**
     * Sets the length of the ring of each worker, in bytes: a power of two from 4 KiB to 1 GiB; 8 MiB unless set. A
     * record must fit into an eighth of it, together with 60 bytes. The rings are direct memory beside the memory
     * budget of the consumer.
     */
    public WorkerSettings ringLength(final int length)
    {
        ringLength = length;
        return this;
    }

    /** The value of {@link #ringLength(int)}. */
    public int ringLength()
    {
        return ringLength;
    }

    /**
     * Sets the least time between two barriers, in milliseconds; 10 unless set. The consumer commits only offsets that
     * a barrier has passed, at the interval of its commit policy.
     */
    public WorkerSettings barrierIntervalMs(final int intervalMs)
    {
        barrierIntervalMs = intervalMs;
        return this;
    }

    /** The value of {@link #barrierIntervalMs(int)}. */
    public int barrierIntervalMs()
    {
        return barrierIntervalMs;
    }

    /**
     * Sets the age of a barrier after which nothing is dispatched until it has passed, in milliseconds; 10,000 unless
     * set. It limits how many records are repeated after a failure while a worker is slow or has stopped.
     */
    public WorkerSettings maxBarrierAgeMs(final int ageMs)
    {
        maxBarrierAgeMs = ageMs;
        return this;
    }

    /** The value of {@link #maxBarrierAgeMs(int)}. */
    public int maxBarrierAgeMs()
    {
        return maxBarrierAgeMs;
    }

    /**
     * Sets whether records that do not fit into an eighth of a ring are skipped, which means that they count as
     * processed. Unless set, nothing is dispatched after such a record until its partition is sought, paused or
     * unassigned. Each is reported to the error handler.
     */
    public WorkerSettings skipTooLarge(final boolean isSkipped)
    {
        isTooLargeSkipped = isSkipped;
        return this;
    }

    /** The value of {@link #skipTooLarge(boolean)}. */
    public boolean skipTooLarge()
    {
        return isTooLargeSkipped;
    }

    /** Sets how the worker of a record is chosen; {@link RecordRouter#BY_KEY} unless set. */
    public WorkerSettings router(final RecordRouter newRouter)
    {
        router = newRouter;
        return this;
    }

    /** The value of {@link #router(RecordRouter)}. */
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
        check(maxBarrierAgeMs >= barrierIntervalMs, "maxBarrierAgeMs", maxBarrierAgeMs,
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
