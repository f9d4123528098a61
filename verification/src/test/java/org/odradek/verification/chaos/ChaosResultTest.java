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

class ChaosResultTest
{
    private final ChaosLedger.Tally tally = new ChaosLedger.Tally();
    private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);

    ChaosResultTest()
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

        final ChaosRun.Result result = result(0, List.of());

        assertTrue(result.isClean());
        assertEquals("CLEAN: 1000 records delivered, 0 lost, 0 repeated, 0 out of order, 0 offsets unaccounted for.",
            lastLine(result));
    }

    @Test
    void shouldNotBeCleanWhenAKindIsMissing()
    {
        faults.put(FaultKind.LEADER_KILL, 0);

        final ChaosRun.Result result = result(0, List.of());

        assertFalse(result.isClean());
        assertTrue(lastLine(result).startsWith("NOT CLEAN: "), result.toText());
        assertTrue(lastLine(result).contains("1 of the kinds of fault missing"), result.toText());
    }

    @Test
    void shouldNotBeCleanWithoutRecords()
    {
        tally.right = 0;

        assertFalse(result(0, List.of()).isClean());
    }

    @Test
    void shouldNotBeCleanAfterAStopOrAProblem()
    {
        assertFalse(result(1, List.of()).isClean());
        assertFalse(result(0, List.of("no broker")).isClean());
        assertTrue(result(0, List.of("no broker")).toText().contains("problem: no broker"));
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

        final ChaosRun.Result result = new ChaosRun.Result(other, faults, 0, List.of(), ChaosSettings.Sabotage.NONE);

        assertFalse(result.isClean(), result.toText());
        assertTrue(lastLine(result).startsWith("NOT CLEAN: "), result.toText());
    }

    private ChaosRun.Result result(final int stopped, final List<String> problems)
    {
        return new ChaosRun.Result(tally, faults, stopped, problems, ChaosSettings.Sabotage.NONE);
    }

    private static String lastLine(final ChaosRun.Result result)
    {
        final String text = result.toText();
        return text.substring(text.lastIndexOf('\n') + 1);
    }
}
