// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Strikes with fault after fault, in an order drawn from a seed: each round has every kind once, in a new random order.
 * The first problem ends the run. One thread strikes at a time; another one may run other steps.
 *
 * @param <K> a kind of fault.
 */
final class FaultPlan<K>
{
    private static final int LAST_FAULTS = 50;

    private final Random random;
    private final List<K> kinds;
    private final Supplier<String> description;
    private final Consumer<String> out;
    private final List<K> round = new ArrayList<>();
    private final Map<K, Integer> counts = new LinkedHashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<String> problems = new CopyOnWriteArrayList<>();
    private final long startNs = System.nanoTime();

    /**
     * @param random      of the plan; the run may draw from it, too.
     * @param kinds       of faults to strike with.
     * @param description of what is struck, for a problem.
     * @param out         gets a line for each fault.
     */
    FaultPlan(
        final Random random,
        final List<K> kinds,
        final Supplier<String> description,
        final Consumer<String> out)
    {
        this.random = random;
        this.kinds = kinds;
        this.description = description;
        this.out = out;
        kinds.forEach((kind) -> counts.put(kind, 0));
    }

    /** Strikes until each kind has struck and the time since the creation has passed, or to the first problem. */
    void strikeFor(final long seconds, final Fault<K> fault)
    {
        final long ns = TimeUnit.SECONDS.toNanos(seconds);
        while (problems.isEmpty() && (!isRoundDone() || System.nanoTime() - startNs < ns))
        {
            strike(fault);
        }
    }

    /** Whether each of the kinds has struck; a kind may be there twice. */
    boolean isRoundDone()
    {
        return lines.size() >= kinds.size();
    }

    /** @param fault strikes with the next kind, unless there is a problem. */
    void strike(final Fault<K> fault)
    {
        if (round.isEmpty())
        {
            round.addAll(kinds);
            Collections.shuffle(round, random);
        }
        final K kind = round.remove(0);
        // Each fault gets a generator of its own, so that how much it draws does not change later faults.
        final Random own = new Random(random.nextLong());
        final String done = run("During " + kind, () -> fault.strike(kind, own));
        if (done != null)
        {
            counts.merge(kind, 1, Integer::sum);
            lines.add(String.format("%5.1f s  %s: %s", (System.nanoTime() - startNs) / 1e9, kind, done));
            out.accept(lines.get(lines.size() - 1));
        }
    }

    /**
     * Runs a step of the run, unless there is a problem. What the step throws is a problem.
     *
     * @param when the step is run.
     * @param <T>  its result.
     * @return the result of the step; null if there is a problem.
     */
    <T> T run(final String when, final Supplier<T> step)
    {
        try
        {
            return problems.isEmpty() ? step.get() : null;
        }
        catch (final RuntimeException ex)
        {
            problems.add(when + ": " + ex + "\n" + description.get() + "\nthe last faults:\n" + lines.stream()
                .skip(Math.max(0, lines.size() - LAST_FAULTS)).collect(Collectors.joining("\n")));
            return null;
        }
    }

    long startNs()
    {
        return startNs;
    }

    /** How often each kind has struck. */
    Map<K, Integer> counts()
    {
        return counts;
    }

    /** Sentences that say why the run ended early; the run adds its own. */
    List<String> problems()
    {
        return problems;
    }
}
