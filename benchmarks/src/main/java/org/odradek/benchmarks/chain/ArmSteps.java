/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one arm's search came to.
 *
 * @param arm     whose.
 * @param results of each number of chains tried; of several tries in the order they were made.
 */
record ArmSteps(ChainArm arm, Map<Integer, List<StepResult>> results)
{
    ArmSteps
    {
        results = new TreeMap<>(results);
    }

    /** The highest number of chains that held in one of its tries, 0 if none did. */
    int held()
    {
        return results.keySet().stream().filter(this::isHeld).mapToInt(Integer::intValue).max().orElse(0);
    }

    /** The lowest number of chains that broke, 0 if none did. */
    int broken()
    {
        return results.keySet().stream().filter(chains -> !isHeld(chains)).mapToInt(Integer::intValue).min().orElse(0);
    }

    private boolean isHeld(final int chains)
    {
        return results.get(chains).stream().anyMatch(StepResult::isHeld);
    }
}
