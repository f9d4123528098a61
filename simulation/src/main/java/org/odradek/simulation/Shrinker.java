// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes a run that fails as small as it can be: shortens it to the minute of the failure, and turns off each fault and
 * feature without which it still fails by the same oracle.
 */
final class Shrinker
{
    private final Consumer<String> lines;
    private RunResult smallest;

    /**
     * @param failed the run.
     * @param lines  receives the progress.
     */
    Shrinker(final RunResult failed, final Consumer<String> lines)
    {
        smallest = failed;
        this.lines = lines;
    }

    RunResult shrink()
    {
        attempt(smallest.settings().without());
        final List<Enum<?>> switches = new ArrayList<>(List.of(FaultKind.values()));
        switches.addAll(List.of(Feature.values()));
        for (final Enum<?> one : switches)
        {
            if (new Scenario(smallest.settings()).isOn(one))
            {
                final Set<String> without = new TreeSet<>(smallest.settings().without());
                without.add(one.name());
                attempt(without);
            }
        }
        return smallest;
    }

    private void attempt(final Set<String> without)
    {
        final RunSettings last = smallest.settings();
        final int minutes = (int)Math.min(last.minutes(), 1 + TimeUnit.NANOSECONDS.toMinutes(smallest.timeNs()));
        final RunResult result = RunResult.of(new RunSettings(last.seed(), minutes, last.load(), without), null);
        if (!result.isClean() && result.oracle().equals(smallest.oracle()))
        {
            smallest = result;
            lines.accept("Still fails after " + TimeUnit.NANOSECONDS.toSeconds(result.timeNs()) + " s: " +
                result.settings().toOptions());
        }
    }
}
