// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

/**
 * Counts the bytes the current thread allocates between {@link #start()} and {@link #stop()}; both must be called on
 * the thread that is measured. What the two calls cost themselves was measured when the meter was made and does not
 * count: with nothing in between, the answer is 0.
 */
public final class AllocationMeter
{
    private static final int CALIBRATIONS = 2_000;

    private final long ownBytes;
    private long threadId;
    private long bytesAtStart;
    private long bytesAtStop;

    /**
     * Takes a moment: it measures what measuring costs.
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
     * Begins a measurement; the one before is forgotten.
     */
    public void start()
    {
        threadId = currentThreadId();
        bytesAtStart = ThreadUsage.allocatedBytes();
    }

    /**
     * Ends the measurement.
     */
    public void stop()
    {
        bytesAtStop = ThreadUsage.allocatedBytes();
        if (threadId != currentThreadId())
        {
            throw new IllegalStateException("An allocation meter is stopped on the thread that started it.");
        }
    }

    /**
     * @return bytes allocated between start and stop.
     */
    public long allocatedBytes()
    {
        return bytesAtStop - bytesAtStart - ownBytes;
    }

    /** Thread.threadId() came with 19, when this one was deprecated. */
    @SuppressWarnings("deprecation")
    private static long currentThreadId()
    {
        return Thread.currentThread().getId();
    }
}
