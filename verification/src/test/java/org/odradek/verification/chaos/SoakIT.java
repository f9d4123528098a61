// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Short forms of {@code odradek soak}. They do not judge CPU time and lag, which depend on the machine in a short run.
 */
@Tag("slow")
@Timeout(900)
class SoakIT
{
    private static final int SEED = 1;
    private static final int SAMPLES = 20;
    private static final int FAULT_SECONDS = 8;
    private static final int RATE = 1_000;

    @Test
    void shouldLoseNothingAndHoldNoMoreThanAtTheStart()
    {
        final SoakRun.Result result = run(false);

        assertEquals(List.of(), result.problems());
        assertEquals(List.of(), leaks(result), result.verdict().toText());
        assertTrue(result.faults().get(SoakFault.NETWORK_CUT) > 1, result.toText());
        assertTrue(result.written() > RATE, result.toText());
        assertEquals(3, result.counters().size(), result.toText());
    }

    @Test
    void shouldFindALeakOfEachKind()
    {
        final SoakRun.Result result = run(true);

        assertEquals(List.of(), result.problems());
        assertEquals(
            List.of(SoakQuantity.HEAP, SoakQuantity.DIRECT, SoakQuantity.DESCRIPTORS, SoakQuantity.THREADS),
            leaks(result), result.verdict().toText());
        assertFalse(result.isClean());
        assertTrue(result.toText().contains("\nNOT CLEAN: "), result.toText());
    }

    private static SoakRun.Result run(final boolean isLeaking)
    {
        return new SoakRun(List.of(SoakFault.NETWORK_CUT),
            new SoakRun.Settings(SEED, SAMPLES, 1, FAULT_SECONDS, RATE, isLeaking), System.out::println).run();
    }

    private static List<SoakQuantity> leaks(final SoakRun.Result result)
    {
        final List<SoakQuantity> failures = new ArrayList<>(result.verdict().failures());
        failures.removeAll(List.of(SoakQuantity.CPU, SoakQuantity.LAG));
        return failures;
    }
}
