// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ChaosVerdictTest
{
    private final ChaosLedger.Tally tally = new ChaosLedger.Tally();
    private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);

    ChaosVerdictTest()
    {
        tally.right = 1_000;
        for (final FaultKind kind : FaultKind.values())
        {
            faults.put(kind, 1);
        }
    }

    @Test
    void shouldBeClean()
    {
        tally.gapped = 10;
        tally.gaps = 1;
        tally.truncated = 10;
        tally.truncations = 1;

        final ChaosRun.Verdict verdict = verdict(0, List.of());

        assertTrue(verdict.isClean());
        assertEquals("CLEAN: 1000 records delivered, 0 lost, 0 repeated, 0 out of order, 0 offsets unaccounted for.",
            lastLine(verdict));
    }

    @Test
    void shouldNotBeCleanWhenAKindIsMissing()
    {
        faults.put(FaultKind.LEADER_KILL, 0);

        final ChaosRun.Verdict verdict = verdict(0, List.of());

        assertFalse(verdict.isClean());
        assertTrue(lastLine(verdict).startsWith("NOT CLEAN: "), verdict.toText());
        assertTrue(lastLine(verdict).contains("1 of the kinds of fault missing"), verdict.toText());
    }

    @Test
    void shouldNotBeCleanWithoutRecords()
    {
        tally.right = 0;

        assertFalse(verdict(0, List.of()).isClean());
    }

    @Test
    void shouldNotBeCleanAfterAStopOrAProblem()
    {
        assertFalse(verdict(1, List.of()).isClean());
        assertFalse(verdict(0, List.of("no broker")).isClean());
        assertTrue(verdict(0, List.of("no broker")).toText().contains("problem: no broker"));
    }

    @Test
    void shouldNotBeCleanWithAnythingWrong()
    {
        assertDirty((wrong) -> wrong.lost++);
        assertDirty((wrong) -> wrong.repeated++);
        assertDirty((wrong) -> wrong.outOfOrder++);
        assertDirty((wrong) -> wrong.wrong++);
        assertDirty((wrong) -> wrong.unaccounted++);
        assertDirty((wrong) -> wrong.falseEvents++);
        assertDirty((wrong) -> wrong.clusterLost++);
    }

    private void assertDirty(final Consumer<ChaosLedger.Tally> change)
    {
        final ChaosLedger.Tally other = new ChaosLedger.Tally();
        other.add(tally);
        change.accept(other);

        final ChaosRun.Verdict verdict = new ChaosRun.Verdict(other, faults, 0, List.of(), ChaosSettings.Sabotage.NONE);

        assertFalse(verdict.isClean(), verdict.toText());
        assertTrue(lastLine(verdict).startsWith("NOT CLEAN: "), verdict.toText());
    }

    private ChaosRun.Verdict verdict(final int stopped, final List<String> problems)
    {
        return new ChaosRun.Verdict(tally, faults, stopped, problems, ChaosSettings.Sabotage.NONE);
    }

    private static String lastLine(final ChaosRun.Verdict verdict)
    {
        final String text = verdict.toText();
        return text.substring(text.lastIndexOf('\n') + 1);
    }
}
