// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UsageTest
{
    private static final Usage WRITTEN = usage(10, 230, 0x5EED);

    @Test
    void shouldAcceptThatTheSameWasRead()
    {
        assertDoesNotThrow(() -> usage(10, 230, 0x5EED).mustHaveReadTheSameAs(WRITTEN, "a client"));
    }

    @Test
    void shouldNotAcceptOtherRecordsBytesOrSum()
    {
        final Usage[] others = {usage(9, 230, 0x5EED), usage(10, 231, 0x5EED), usage(10, 230, 0x5EEE)};
        for (final Usage other : others)
        {
            final IllegalStateException failure = assertThrows(
                IllegalStateException.class, () -> other.mustHaveReadTheSameAs(WRITTEN, "a client"));
            assertTrue(failure.getMessage().startsWith("a client read other records"), failure.getMessage());
        }
    }

    @Test
    void shouldDivideByTheNumberOfRecords()
    {
        final Usage pass = usage(1_000, 23_000, 0);
        pass.wallNs = 500_000;
        pass.threadCpuNs = 20_000;
        pass.processCpuNs = 30_000;
        pass.allocatedBytes = 40_000;
        pass.brokerCpuNs = 125_000;
        assertEquals(2e6, Metric.RECORDS_PER_SECOND.of(pass), 1e-3);
        assertEquals(20, Metric.THREAD_CPU_PER_RECORD.of(pass));
        assertEquals(30, Metric.PROCESS_CPU_PER_RECORD.of(pass));
        assertEquals(40, Metric.ALLOCATED_PER_RECORD.of(pass));
        assertEquals(46, Metric.MEGABYTES_PER_SECOND.of(pass), 1e-9);
        assertEquals(25, Metric.BROKER_CPU.of(pass));
    }

    @Test
    void shouldRefuseARunInWhichARecordIsMissing()
    {
        final Usage usage = usage(9, 9, 0);
        usage.missing = 1;
        final Exception failure = assertThrows(IllegalStateException.class, () -> usage.mustBeComplete("stock"));
        assertEquals("stock did not get 1 of 10 records.", failure.getMessage());
    }

    private static Usage usage(final long records, final long bytes, final long sum)
    {
        final Usage usage = new Usage();
        usage.records = records;
        usage.bytes = bytes;
        usage.sum = sum;
        return usage;
    }

    @Test
    void shouldReadTheLatenciesOfAProgram()
    {
        final Usage usage = new Usage();
        usage.records = 4;
        usage.latencies = new long[]{1_000_000, 3, 5_000_000, 1, Usage.MOST_NS + 1, 0};

        assertTrue(usage.hasLatency());
        assertEquals(4, usage.latencyHistogram().getTotalCount());
        assertEquals(1_000, usage.latencyUs(50), 1);
        assertEquals(5_000, usage.latencyUs(100), 5);
    }
}
