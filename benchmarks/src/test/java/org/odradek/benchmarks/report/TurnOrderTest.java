// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TurnOrderTest
{
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldGiveEveryArmEveryPlaceTwice(final int arms)
    {
        final int[][] timesAtPlace = new int[arms][arms];

        for (int round = 0; round < 2 * arms; round++)
        {
            final int[] order = TurnOrder.ofRound(round, arms);
            assertEquals(arms, order.length);
            for (int place = 0; place < arms; place++)
            {
                timesAtPlace[order[place]][place]++;
            }
        }

        for (int arm = 0; arm < arms; arm++)
        {
            for (int place = 0; place < arms; place++)
            {
                assertEquals(2, timesAtPlace[arm][place], "arm " + arm + " at place " + place);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldPutEveryArmOnceBeforeAndOnceAfterEveryOtherInAPairOfRounds(final int arms)
    {
        for (int round = 0; round < 4 * arms; round += 2)
        {
            final int[][] timesBefore = new int[arms][arms];
            countBefore(timesBefore, TurnOrder.ofRound(round, arms));
            countBefore(timesBefore, TurnOrder.ofRound(round + 1, arms));

            for (int arm = 0; arm < arms; arm++)
            {
                for (int other = 0; other < arms; other++)
                {
                    assertEquals(arm == other ? 0 : 1, timesBefore[arm][other], "round " + round);
                }
            }
        }
    }

    private static void countBefore(final int[][] timesBefore, final int[] order)
    {
        for (int place = 0; place < order.length; place++)
        {
            for (int later = place + 1; later < order.length; later++)
            {
                timesBefore[order[place]][order[later]]++;
            }
        }
    }
}
