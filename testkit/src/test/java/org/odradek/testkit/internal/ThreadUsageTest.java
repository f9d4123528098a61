// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.Await;

import java.lang.management.ManagementFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ThreadUsageTest
{
    private static final int ARRAY_LENGTH = 1_000_000;

    private static byte[] sink;

    @Test
    void shouldMeasureNothingWhereNothingIsAllocated()
    {
        final AllocationMeter meter = new AllocationMeter();

        meter.start();
        meter.stop();

        assertEquals(0, meter.allocatedBytes());
    }

    @Test
    void shouldMeasureEveryByteOfAnObject()
    {
        final AllocationMeter meter = new AllocationMeter();

        meter.start();
        sink = new byte[0];
        meter.stop();

        assertEquals(16, meter.allocatedBytes());
    }

    /** As for a virtual thread, whose bytes the JVM does not count. */
    @Test
    void shouldRefuseToMeasureWhatIsNotCounted()
    {
        final AllocationMeter meter = new AllocationMeter();
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.setThreadAllocatedMemoryEnabled(false);
        try
        {
            final Exception failure = assertThrows(IllegalStateException.class, meter::start);

            assertTrue(failure.getMessage().startsWith("The JVM does not count what thread"), failure::getMessage);
        }
        finally
        {
            threads.setThreadAllocatedMemoryEnabled(true);
        }
    }

    @Test
    void shouldForgetTheMeasurementBefore()
    {
        final AllocationMeter meter = new AllocationMeter();
        meter.start();
        sink = new byte[ARRAY_LENGTH];
        meter.stop();

        meter.start();
        meter.stop();

        assertEquals(0, meter.allocatedBytes());
    }

    @Test
    void shouldFindTheFewestBytesOfSeveralRuns()
    {
        final AllocationMeter meter = new AllocationMeter();
        final int[] runs = new int[1];

        final long leastBytes = meter.leastBytes(5, () -> sink = new byte[++runs[0] == 3 ? 0 : ARRAY_LENGTH]);

        // Five runs in a row without a compilation are enough, so there may be more runs.
        final int count = runs[0];
        assertTrue(count >= 5, "runs: " + count);
        assertEquals(16, leastBytes);
        assertEquals(0, meter.leastBytes(5, () -> runs[0]++));
        assertEquals(count + 1, runs[0]);
        assertThrows(IllegalArgumentException.class, () -> meter.leastBytes(0, () -> runs[0]++));
    }

    @Test
    void shouldRefuseToStopOnAnotherThread() throws InterruptedException
    {
        final AllocationMeter meter = new AllocationMeter();
        final Thread other = new Thread(meter::start);
        other.start();
        other.join();

        assertThrows(IllegalStateException.class, meter::stop);
    }

    @Test
    @SuppressWarnings("deprecation") // Thread.getId: its replacement came with 19
    void shouldTellWhatAThreadAndTheWholeJvmAllocate()
    {
        final long threadId = Thread.currentThread().getId();
        final long ofThread = ThreadUsage.allocatedBytes(threadId);
        final long ofJvm = ThreadUsage.jvmAllocatedBytes();

        sink = new byte[ARRAY_LENGTH];

        assertTrue(ThreadUsage.allocatedBytes(threadId) - ofThread >= ARRAY_LENGTH);
        assertTrue(ThreadUsage.jvmAllocatedBytes() - ofJvm >= ARRAY_LENGTH);
    }

    @Test
    void shouldCountCollections()
    {
        final long before = ThreadUsage.gcCount();

        System.gc();

        assertTrue(ThreadUsage.gcCount() > before);
    }

    @Test
    void shouldCountCpuOfThreadAndProcess()
    {
        final long threadBefore = ThreadUsage.cpuNs();
        final long processBefore = ThreadUsage.processCpuNs();

        Await.until("CPU time to grow",
            () -> ThreadUsage.cpuNs() > threadBefore && ThreadUsage.processCpuNs() > processBefore);
    }
}
