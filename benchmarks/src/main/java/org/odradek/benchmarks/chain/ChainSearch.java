// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.chain.ChainTask.Result;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Looks for the highest number of chains that hold: up or down in rough steps until one held and one broke, then into
 * the middle between these two. A number that broke is tried again some times; the last try counts.
 *
 * @param first    number of chains to begin with.
 * @param most     to go no further than.
 * @param maxSteps numbers to try at most.
 * @param maxTries of each number that breaks.
 * @param limitUs  below which the limited percentile must be, in microseconds.
 * @param results  every try so far, in the order in which they were made.
 */
record ChainSearch(int first, int most, int maxSteps, int maxTries, long limitUs, List<Result> results)
{
    /** There is nothing more to be tried. */
    static final int DONE = -1;

    private static final NavigableSet<Integer> STEPS =
        new TreeSet<>(List.of(1, 2, 5, 10, 25, 50, 100, 150, 200, 300, 400, 500, 700, 1_000));
    /** Closer than a tenth says more about the run than about the client. */
    private static final int CLOSE_ENOUGH = 10;

    ChainSearch(final int first, final int most, final int maxSteps, final int maxTries, final long limitUs)
    {
        this(first, most, maxSteps, maxTries, limitUs, new ArrayList<>());
    }

    boolean isHeld(final Result result)
    {
        return result.isHeld(limitUs);
    }

    /** @return how many chains to try next, or {@link #DONE}. */
    int next()
    {
        if (results.isEmpty())
        {
            return first;
        }
        final Result last = results.get(results.size() - 1);
        if (!isHeld(last) && results.stream().filter((next) -> next.chains() == last.chains()).count() < maxTries)
        {
            return last.chains();
        }
        return results.stream().mapToInt(Result::chains).distinct().count() < maxSteps ? next(held(), broken()) : DONE;
    }

    private int next(final int held, final int broken)
    {
        if (broken == 0)
        {
            final Integer above = STEPS.higher(held);
            return held >= most ? DONE : Math.min(most, above == null ? held * 2 : above);
        }
        if (held == 0)
        {
            final Integer below = STEPS.lower(broken);
            return below == null ? DONE : below;
        }
        final int distance = broken - held;
        return distance <= Math.max(1, held / CLOSE_ENOUGH) ? DONE : held + distance / 2;
    }

    /** The highest number of chains that held, 0 if none did. */
    int held()
    {
        return results.stream().filter(this::isHeld).mapToInt(Result::chains).max().orElse(0);
    }

    /** The lowest number of chains that broke in all of its tries, 0 if none did. */
    int broken()
    {
        return results.stream().mapToInt(Result::chains).filter((chains) -> !isHeld(last(chains))).min().orElse(0);
    }

    /** The try of this number after which there was no other: chains that hold are not tried again. */
    Result last(final int chains)
    {
        return results.stream().filter((next) -> next.chains() == chains).reduce((one, next) -> next).orElseThrow();
    }
}
