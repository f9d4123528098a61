// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PassTest
{
    private static final Pass WRITTEN = Pass.written(10, 230, 0x5EED);

    @Test
    void shouldAcceptThatTheSameWasRead()
    {
        assertDoesNotThrow(() -> new Pass(10, 230, 0x5EED, 7, 7, 7, 7, 7).mustHaveReadTheSameAs(WRITTEN, "a client"));
    }

    @Test
    void shouldNotAcceptOtherRecordsBytesOrSum()
    {
        final Pass[] others = {
            Pass.written(9, 230, 0x5EED),
            Pass.written(10, 231, 0x5EED),
            Pass.written(10, 230, 0x5EEE)};

        for (final Pass other : others)
        {
            final IllegalStateException failure = assertThrows(
                IllegalStateException.class, () -> other.mustHaveReadTheSameAs(WRITTEN, "a client"));
            assertTrue(failure.getMessage().startsWith("a client read other records"), failure.getMessage());
        }
    }

    @Test
    void shouldDivideByTheNumberOfRecords()
    {
        final Pass pass = new Pass(1_000, 23_000, 0, 500_000, 20_000, 30_000, 40_000, 125_000);

        assertEquals(2e6, pass.recordsPerSecond());
        assertEquals(20, pass.threadCpuNsPerRecord());
        assertEquals(30, pass.processCpuNsPerRecord());
        assertEquals(40, pass.allocatedBytesPerRecord());
        assertEquals(46, pass.megabytesPerSecond());
        assertEquals(25, pass.brokerCpuPercent());
    }
}
