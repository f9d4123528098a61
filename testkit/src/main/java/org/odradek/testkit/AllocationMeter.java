// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.internal.ThreadUsage;

/**
 * Counts the bytes that the current thread allocates on the heap. The meter works in a unit test of any framework:
 * <pre>{@code
 * assertEquals(0, new AllocationMeter().leastBytes(50, () -> consumer.poll(handler, 1_000)));
 * }</pre>
 * The meter counts neither the allocations of other threads nor memory outside of the heap. The bytes that a
 * measurement itself allocates are subtracted.
 */
public final class AllocationMeter
{
    private static final int CALIBRATIONS = 2_000;
    private static final int MAX_REPEATS = 1_000;

    private final long ownBytes;
    private long threadId;
    private long bytesAtStart;
    private long bytesAtStop;

    /**
     * Creates a meter, and measures what a measurement itself allocates; this takes some milliseconds.
     *
     * @throws IllegalStateException if the JVM does not count what this thread allocates.
     */
    public AllocationMeter()
    {
        long leastBytes = Long.MAX_VALUE;
        for (int i = 0; i < CALIBRATIONS; i++)
        {
            start();
            stop();
            leastBytes = Math.min(leastBytes, bytesAtStop - bytesAtStart);
        }
        ownBytes = leastBytes;
        bytesAtStart = 0;
        bytesAtStop = ownBytes;
    }

    /**
     * Runs the same work repeatedly on this thread, because the JVM itself may allocate in some of the runs. The method
     * returns after the first run that allocates nothing, after {@code runs} runs in a row without a compilation, or
     * after 1,000 times {@code runs} runs.
     *
     * @param runs number of runs in a row without a compilation, 1 or more.
     * @param work work that does the same in each run.
     * @return the fewest bytes that a run has allocated.
     * @throws IllegalArgumentException if {@code runs} is less than 1.
     * @throws IllegalStateException    if the JVM does not count what this thread allocates.
     */
    public long leastBytes(final int runs, final Runnable work)
    {
        if (runs < 1)
        {
            throw new IllegalArgumentException("the work is to run " + runs + " times: it must be 1 or more");
        }
        long leastBytes = Long.MAX_VALUE;
        int quietRuns = 0;
        for (int run = 0; leastBytes > 0 && quietRuns < runs && run / runs < MAX_REPEATS; run++)
        {
            final long compilationMs = ThreadUsage.compilationMs();
            start();
            work.run();
            stop();
            leastBytes = Math.min(leastBytes, allocatedBytes());
            quietRuns = ThreadUsage.compilationMs() == compilationMs ? quietRuns + 1 : 0;
        }
        return leastBytes;
    }

    /**
     * Starts a new measurement.
     *
     * @throws IllegalStateException if the JVM does not count what this thread allocates, for example because the
     *                               thread is virtual.
     */
    public void start()
    {
        threadId = currentThreadId();
        bytesAtStart = ThreadUsage.allocatedBytes();
        if (bytesAtStart < 0)
        {
            throw new IllegalStateException("The JVM does not count what thread '" + Thread.currentThread().getName() +
                "' allocates: it is a virtual thread, or thread allocated memory is disabled.");
        }
    }

    /**
     * Ends the measurement.
     *
     * @throws IllegalStateException if another thread has started the measurement.
     */
    public void stop()
    {
        bytesAtStop = ThreadUsage.allocatedBytes();
        if (threadId != currentThreadId())
        {
            throw new IllegalStateException("An allocation meter is stopped on the thread that started it.");
        }
    }

    /** Returns the number of bytes that the thread allocated between the last {@link #start()} and {@link #stop()}. */
    public long allocatedBytes()
    {
        return bytesAtStop - bytesAtStart - ownBytes;
    }

    /**
     * Returns {@link Thread#getId()}, which is deprecated since JDK 19, because its replacement {@code threadId()} does
     * not exist in JDK 17.
     */
    @SuppressWarnings("deprecation")
    private static long currentThreadId()
    {
        return Thread.currentThread().getId();
    }
}
