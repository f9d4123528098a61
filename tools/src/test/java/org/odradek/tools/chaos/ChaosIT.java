// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The short form of {@code odradek chaos}: each kind of fault once. A certain amount of work, however long it takes.
 */
@Timeout(1_200)
class ChaosIT
{
    private static final int SEED = 1;
    private static final int RATE = 1_000;
    private static final int PARTITIONS = 3;

    @Test
    void shouldLoseAndRepeatNothingWhateverHappens()
    {
        final ChaosVerdict verdict = new ChaosRun(
            new ChaosSettings(0, SEED, RATE, PARTITIONS, Sabotage.NONE), System.out::println).run();

        assertTrue(verdict.isClean(), verdict.toText());
    }
}
