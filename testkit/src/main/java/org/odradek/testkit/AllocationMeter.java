// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.internal.ThreadUsage;

/**
 * Counts the bytes that the current thread allocates on the heap, to the byte. It needs nothing but the JDK, and works
 * in a unit test of any framework:
 * <pre>{@code
 * assertEquals(0, new AllocationMeter().leastBytes(50, () -> consumer.poll(handler, 1_000)));
 * }</pre>
 * Other threads are not counted, and neither is memory outside of the heap. What a virtual thread allocates is not
 * known to the JVM, so {@link #start()} refuses to run on one. The meter subtracts its own cost, which it
 * measures when it is created.
 */
public final class AllocationMeter
{
    private static final int CALIBRATIONS = 2_000;
    private static final int MAX_REPEATS = 1_000;

    private final long ownBytes;
    private long threadId;
    private long bytesAtStart;
    private long bytesAtStop;

    /** Measures the cost of a measurement, which takes some milliseconds. */
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
     * Runs the same work many times on this thread. The allocations of the work are in every run; those of the JVM,
     * which it makes once when it loads a class or compiles a method, are in some of the first runs. So the fewest
     * bytes of all runs are those of the work. Ends after the first run that has allocated nothing, or when the JVM has
     * compiled nothing during so many runs in a row, but after a thousand times as many at the latest.
     *
     * @param runs without a compilation, 1 or more.
     * @param work that does the same in each run.
     * @return the fewest bytes that a run has allocated.
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
     * @throws IllegalStateException if the JVM does not count what this thread allocates.
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

    /** Ends the measurement, on the thread that started it. */
    public void stop()
    {
        bytesAtStop = ThreadUsage.allocatedBytes();
        if (threadId != currentThreadId())
        {
            throw new IllegalStateException("An allocation meter is stopped on the thread that started it.");
        }
    }

    /** Returns the bytes allocated between start and stop. */
    public long allocatedBytes()
    {
        return bytesAtStop - bytesAtStart - ownBytes;
    }

    /** Thread.threadId() exists since 19, which deprecated this method. */
    @SuppressWarnings("deprecation")
    private static long currentThreadId()
    {
        return Thread.currentThread().getId();
    }
}
