// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WorldTest
{
    private static final int MINUTES = 2;

    private static RunSettings settings(final long seed, final Set<String> without)
    {
        return new RunSettings(seed, MINUTES, LoadProfile.LOW, without);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldRepeatARunToTheByte(final long seed)
    {
        final List<String> lines = new ArrayList<>();

        final RunResult first = RunResult.of(settings(seed, Set.of()), null);
        final RunResult second = RunResult.of(settings(seed, Set.of()), lines::add);

        assertEquals(first.digest(), second.digest());
        assertEquals(first.timeNs(), second.timeNs());
        assertEquals(first.records(), second.records());
        assertTrue(lines.size() > 100, "lines of the trace");
        assertNotEquals(first.digest(), RunResult.of(settings(seed + 1, Set.of()), null).digest());
    }

    @Test
    void shouldHaveNoFaultThatIsTurnedOff()
    {
        final RunResult result = RunResult.of(settings(4, Set.of(FaultKind.CLOCK_STEPPED.name())), null);

        assertEquals(0, result.effects()[FaultKind.CLOCK_STEPPED.ordinal()]);
        assertTrue(result.effectCount() > 0);
    }
}
