// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

/**
 * Counts the bytes that the current thread allocates between {@link #start()} and {@link #stop()}. Both must be called
 * on the measured thread. The meter subtracts its own cost, which it measures when it is created.
 */
public final class AllocationMeter
{
    private static final int CALIBRATIONS = 2_000;

    private final long ownBytes;
    private long threadId;
    private long bytesAtStart;
    private long bytesAtStop;

    /** Measures the cost of a measurement, which takes a moment. */
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

    /** Starts a new measurement. */
    public void start()
    {
        threadId = currentThreadId();
        bytesAtStart = ThreadUsage.allocatedBytes();
    }

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
