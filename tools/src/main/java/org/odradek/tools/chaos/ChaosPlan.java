// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The order of the faults, drawn from a seed: each kind once a round, shuffled anew each round. So a run of one round
 * has had every kind.
 */
final class ChaosPlan
{
    private final Random random;
    private final List<FaultKind> round = new ArrayList<>();

    ChaosPlan(final long seed)
    {
        random = new Random(seed);
    }

    FaultKind next()
    {
        if (round.isEmpty())
        {
            round.addAll(Arrays.asList(FaultKind.values()));
            Collections.shuffle(round, random);
        }
        return round.remove(0);
    }

    /**
     * For what a fault draws itself: one for each, so that how much it draws does not change what comes after.
     */
    Random newRandom()
    {
        return new Random(random.nextLong());
    }
}
