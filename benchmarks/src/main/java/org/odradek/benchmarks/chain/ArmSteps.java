// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one arm's search came to, in one round.
 *
 * @param results of each number of chains tried; of several tries in the order they were made: the last one counts.
 */
record ArmSteps(Map<Integer, List<StepResult>> results)
{
    ArmSteps
    {
        results = new TreeMap<>(results);
    }

    /** The highest number of chains that held in one of its tries, 0 if none did. */
    int held()
    {
        return results.keySet().stream().filter(chains -> last(chains).isHeld()).mapToInt(Integer::intValue)
            .max().orElse(0);
    }

    /** The lowest number of chains that broke, 0 if none did. */
    int broken()
    {
        return results.keySet().stream().filter(chains -> !last(chains).isHeld()).mapToInt(Integer::intValue)
            .min().orElse(0);
    }

    /** The try after which there was no other: who holds is not tried again. */
    StepResult last(final int chains)
    {
        final List<StepResult> tries = results.get(chains);
        return tries.get(tries.size() - 1);
    }
}
