// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

/**
 * Who comes when in a round. Every second round runs backwards, and each pair of rounds begins one place further on: so
 * in each pair everyone is once before and once after everyone else, and in twice as many rounds as there are arms
 * everyone has stood twice at every place.
 */
public final class TurnOrder
{
    private TurnOrder()
    {
    }

    /** Returns the indices 0 to {@code arms - 1} in the order of this round. */
    public static int[] ofRound(final int round, final int arms)
    {
        final int[] order = new int[arms];
        for (int turn = 0; turn < arms; turn++)
        {
            final int place = round % 2 == 0 ? turn : arms - 1 - turn;
            order[place] = (turn + round / 2) % arms;
        }
        return order;
    }
}
