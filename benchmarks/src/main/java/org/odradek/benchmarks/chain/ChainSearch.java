// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

/**
 * Looks for the highest number of chains that hold: up or down in rough steps until one held and one broke, then into
 * the middle between these two.
 */
final class ChainSearch
{
    /** There is nothing more to be tried. */
    static final int DONE = -1;

    private static final int[] STEPS = {1, 2, 5, 10, 25, 50, 100, 150, 200, 300, 400, 500};

    /** Closer than a tenth says more about the run than about the client. */
    private static final int CLOSE_ENOUGH = 10;
    private static final int NONE_BROKE = Integer.MAX_VALUE;

    private final int most;
    private int stepsLeft;
    private int next;
    private int held;
    private int broken = NONE_BROKE;

    /**
     * @param first    number of chains to begin with.
     * @param most     to go no further than.
     * @param maxSteps to try at most.
     */
    ChainSearch(final int first, final int most, final int maxSteps)
    {
        this.most = most;
        next = first;
        stepsLeft = maxSteps;
    }

    /**
     * @return how many chains to try next, or {@link #DONE}.
     */
    int next()
    {
        return stepsLeft > 0 ? next : DONE;
    }

    void onResult(final boolean isHeld)
    {
        if (isHeld)
        {
            held = next;
        }
        else
        {
            broken = next;
        }
        stepsLeft--;
        next = following();
    }

    /** The highest number that held, 0 if none did. */
    int held()
    {
        return held;
    }

    private int following()
    {
        if (broken == NONE_BROKE)
        {
            return held >= most ? DONE : Math.min(most, stepAbove(held));
        }
        if (held == 0)
        {
            return stepBelow(broken);
        }
        final int distance = broken - held;
        return distance <= Math.max(1, held / CLOSE_ENOUGH) ? DONE : held + distance / 2;
    }

    private static int stepAbove(final int chains)
    {
        int i = 0;
        while (i < STEPS.length - 1 && STEPS[i] <= chains)
        {
            i++;
        }
        return STEPS[i] > chains ? STEPS[i] : chains * 2;
    }

    private static int stepBelow(final int chains)
    {
        int i = STEPS.length - 1;
        while (i >= 0 && STEPS[i] >= chains)
        {
            i--;
        }
        return i >= 0 ? STEPS[i] : DONE;
    }
}
