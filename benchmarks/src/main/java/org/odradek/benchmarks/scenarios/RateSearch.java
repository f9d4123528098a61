// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

/**
 * Looks for the highest rate that is kept: doubled until one is not, then the gap is halved some times.
 */
final class RateSearch
{
    private static final int NONE = 0;

    private int held = NONE;
    private int broken = NONE;
    private int halvingsLeft;
    private int next;
    private final int highest;

    /**
     * @param first    rate to try.
     * @param highest  that is tried at all.
     * @param halvings of the gap between the last that was kept and the first that was not.
     */
    RateSearch(final int first, final int highest, final int halvings)
    {
        next = first;
        this.highest = highest;
        halvingsLeft = halvings;
    }

    boolean isDone()
    {
        return next == NONE;
    }

    int next()
    {
        return next;
    }

    /**
     * @param isKept whether the rate of {@link #next()} was.
     */
    void answer(final boolean isKept)
    {
        if (isKept)
        {
            held = next;
        }
        else
        {
            broken = next;
        }
        if (broken == NONE)
        {
            next = held == highest ? NONE : Math.min(2 * held, highest);
        }
        else
        {
            final int middle = held + (broken - held) / 2;
            next = halvingsLeft-- > 0 && middle > held ? middle : NONE;
        }
    }

    /**
     * @return the highest rate that was kept, 0 if none was.
     */
    int held()
    {
        return held;
    }
}
