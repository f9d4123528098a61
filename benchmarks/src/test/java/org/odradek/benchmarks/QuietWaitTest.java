// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class QuietWaitTest
{
    @Test
    void shouldEndAfterSixQuietSamplesInARow()
    {
        final QuietWait wait = new QuietWait();

        for (final double cores : new double[] {1.9, 0, 0.01, 0.02, 0.04, 0.049, 0.05, 0.03, 0, 0, 0, 0})
        {
            wait.onSample(cores);
            assertFalse(wait.isOver());
        }
        wait.onSample(0.02);
        assertTrue(wait.isOver());
    }

    @Test
    void shouldCountProcessesAndInterruptsOfAllCores()
    {
        assertEquals(1 + 2 + 4 + 32 + 64, QuietWait.busyTicks("""
            cpu  1 2 4 8 16 32 64 128 256 512
            cpu0 1 2 4 8 16 32 64 128 256 512
            intr 7
            """));
    }

    @Test
    void shouldSayThatItDoesNotWaitWithoutTheFileOfTheKernel(@TempDir final Path folder) throws Exception
    {
        final Path stat = folder.resolve("stat");
        final List<String> progress = new ArrayList<>();

        QuietWait.await(stat, progress::add);

        assertEquals(List.of("whether other processes run is not checked, because there is no " + stat), progress);
    }
}
