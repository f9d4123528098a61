// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.ChaosSettings.Sabotage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A chaos run: strikes one cluster with fault after fault and compares all deliveries with the log after each.
 */
final class ChaosRun
{
    private static final int SLOW_ONCE_IN = 3;

    private final ChaosSettings settings;
    private final List<FaultKind> kinds;
    private final Consumer<String> out;
    private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
    private final List<String> problems = new ArrayList<>();

    /**
     * @param kinds of faults to strike with.
     * @param out   gets a line for each fault.
     */
    ChaosRun(final ChaosSettings settings, final List<FaultKind> kinds, final Consumer<String> out)
    {
        this.settings = settings;
        this.kinds = kinds;
        this.out = out;
        kinds.forEach((kind) -> faults.put(kind, 0));
    }

    Verdict run()
    {
        final long startNs = System.nanoTime();
        out.accept("seed " + settings.seed() + ": starting " + ChaosCluster.BROKER_COUNT + " brokers");
        try (ChaosCluster cluster = new ChaosCluster(settings.isSecure(), Map.of(), null);
            ChaosTopic topic = new ChaosTopic(cluster, "chaos", settings))
        {
            topic.producer().release();
            topic.awaitDelivered(1_000);
            final Plan<FaultKind> plan = new Plan<>(settings.seed(), kinds);
            final long durationNs = TimeUnit.MINUTES.toNanos(settings.minutes());
            for (int i = 0; isToGoOn(i, System.nanoTime() - startNs < durationNs); i++)
            {
                strike(plan, i, cluster, topic, startNs);
            }
            if (!problems.isEmpty())
            {
                topic.ledger().errors().forEach((error) -> problems.add("The consumer reported: " + error));
            }
            if (topic.reader().failure() != null)
            {
                problems.add("The consumer's thread ended: " + topic.reader().failure());
            }
            return new Verdict(
                topic.ledger().tally(), faults, topic.ledger().stoppedCount(), problems, settings.sabotage());
        }
    }

    /** The first round is always completed, whatever the time. */
    private boolean isToGoOn(final int done, final boolean isTimeLeft)
    {
        return problems.isEmpty() && (done < kinds.size() || isTimeLeft);
    }

    private void strike(
        final Plan<FaultKind> plan,
        final int done,
        final ChaosCluster cluster,
        final ChaosTopic topic,
        final long startNs)
    {
        final FaultKind kind = plan.next();
        try
        {
            final Random random = plan.newRandom();
            // In later rounds links are sometimes slow during other faults too.
            final boolean isSlow = done >= kinds.size() && random.nextInt(SLOW_ONCE_IN) == 0;
            final String links = isSlow ? "; " + cluster.slowLinks(random) : "";
            final String what = kind.strike(cluster, topic, random);
            cluster.heal(topic.name(), topic.partitionCount());
            // Gaps are judged before leaders move again: with retention, replicas begin at different offsets.
            final String stall = topic.compare();
            faults.merge(kind, 1, Integer::sum);
            final ChaosLedger.Tally tally = topic.ledger().tally();
            out.accept(String.format("%5d s  %s: %s%s; %,d records so far, %s",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs), kind, what, links, tally.right,
                tally.isClean() ? "all right" : tally));
            if (stall != null || !tally.isClean())
            {
                problems.add("After " + kind + ": " + (stall == null ? tally.toString() : stall));
            }
        }
        catch (final RuntimeException ex)
        {
            problems.add("During " + kind + ": " + ex);
            problems.add(topic.reader().describe());
        }
    }

    /**
     * The order of the faults, drawn from a seed: each round has every kind once, in a new random order.
     *
     * @param <K> a kind of fault.
     */
    static final class Plan<K>
    {
        private final Random random;
        private final List<K> kinds;
        private final List<K> round = new ArrayList<>();

        Plan(final long seed, final List<K> kinds)
        {
            random = new Random(seed);
            this.kinds = kinds;
        }

        K next()
        {
            if (round.isEmpty())
            {
                round.addAll(kinds);
                Collections.shuffle(round, random);
            }
            return round.remove(0);
        }

        /**
         * Each fault gets a generator of its own, so that how much it draws does not change later faults.
         */
        Random newRandom()
        {
            return new Random(random.nextLong());
        }
    }

    /**
     * The result of a run.
     *
     * @param tally        of all comparisons.
     * @param faults       how often each kind has struck; 0 means that the run is incomplete.
     * @param stoppedCount partitions that stopped without a reason.
     * @param problems     sentences that say why the run ended early.
     * @param sabotage     of the run itself.
     */
    record Verdict(
        ChaosLedger.Tally tally,
        Map<FaultKind, Integer> faults,
        int stoppedCount,
        List<String> problems,
        Sabotage sabotage)
    {
        private static final int MAX_PROBLEMS = 20;

        /** True if nothing is wrong and every kind of fault has struck. */
        boolean isClean()
        {
            return tally.isClean() && tally.right > 0 && stoppedCount == 0 && problems.isEmpty() &&
                !faults.containsValue(0);
        }

        /** Lines for a human; the last one sums up. */
        String toText()
        {
            final StringBuilder text = new StringBuilder("faults:");
            faults.forEach((kind, count) -> text.append("\n  ").append(kind).append(": ").append(count));
            text.append("\nrecords: ").append(tally);
            text.append("\npartitions stopped: ").append(stoppedCount);
            problems.stream().limit(MAX_PROBLEMS).forEach((problem) -> text.append("\nproblem: ").append(problem));
            return text.append('\n').append(lastLine()).toString();
        }

        private String lastLine()
        {
            final long missing = faults.values().stream().filter((count) -> count == 0).count();
            return (isClean() ? "CLEAN: " : "NOT CLEAN: ") + tally.right + " records delivered, " + tally.lost +
                " lost, " + tally.repeated + " repeated, " + tally.outOfOrder + " out of order, " +
                tally.unaccounted + " offsets unaccounted for" +
                (missing == 0 ? "" : ", " + missing + " of the kinds of fault missing") +
                (sabotage == Sabotage.NONE ? "." : ", sabotaged (" + sabotage + ").");
        }
    }
}
