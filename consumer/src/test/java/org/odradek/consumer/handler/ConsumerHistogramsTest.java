// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.ConsumerContext;
import org.odradek.testkit.internal.JavaProcess;

import java.io.File;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ConsumerHistogramsTest
{
    private static final long YEAR_MS = TimeUnit.DAYS.toMillis(365);

    /** Runs in a JVM without HdrHistogram. */
    public static final class Child
    {
        public static void main(final String[] args)
        {
            System.out.println("off: " + new ConsumerContext().histograms().isOn());
            try
            {
                ConsumerHistograms.create();
            }
            catch (final IllegalStateException ex)
            {
                System.out.println(ex.getMessage());
            }
        }
    }

    @Test
    void shouldRecordValuesBeyondTheRangeAsItsMaximum()
    {
        final ConsumerHistograms histograms = ConsumerHistograms.create();
        assertTrue(histograms.isOn());

        histograms.onRecord(YEAR_MS, 0);
        histograms.onRecord(0, YEAR_MS);
        histograms.onRecord(YEAR_MS, -1);
        histograms.onFetch(Long.MAX_VALUE);
        histograms.onFetch(-5);

        assertEquals(2, histograms.recordAgeMs().getTotalCount());
        assertEquals(0, histograms.recordAgeMs().getMinValue());
        assertTrue(histograms.recordAgeMs().getMaxValue() >= TimeUnit.DAYS.toMillis(30));
        assertEquals(2, histograms.fetchLatencyNs().getTotalCount());
        assertTrue(histograms.fetchLatencyNs().getMaxValue() >= TimeUnit.HOURS.toNanos(1));
    }

    @Test
    void shouldNameTheMissingLibrary()
    {
        final String withoutLibrary = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((entry) -> !entry.contains("HdrHistogram")).collect(Collectors.joining(File.pathSeparator));
        assertFalse(ConsumerHistograms.OFF.isOn());
        try (JavaProcess child = JavaProcess.of(Child.class).classPath(withoutLibrary).start())
        {
            assertEquals(0, child.exitCode(60, TimeUnit.SECONDS), child::outputTail);
            assertEquals("off: false\nhistograms are on, but HdrHistogram is not on the class path: " +
                "add org.hdrhistogram:HdrHistogram, or turn them off", child.outputTail().strip());
        }
    }
}
