// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.ChaosSettings.Sabotage;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A chaos run: strikes one cluster with fault after fault and compares all deliveries with the log after each.
 *
 * @param kinds of faults to strike with.
 * @param out   gets a line for each fault.
 */
record ChaosRun(ChaosSettings settings, List<FaultKind> kinds, Consumer<String> out)
{
    private static final int SLOW_ONCE_IN = 3;

    Result run()
    {
        out.accept("seed " + settings.seed() + ": starting " + ChaosCluster.BROKER_COUNT + " brokers");
        try (ChaosCluster cluster = new ChaosCluster(settings.isSecure(), Map.of(), null);
            ChaosTopic topic = new ChaosTopic(cluster, "chaos", settings))
        {
            topic.producer().release();
            topic.awaitDelivered(1_000);
            final FaultPlan<FaultKind> plan = new FaultPlan<>(
                new Random(settings.seed()), kinds, topic.reader()::describe, out);
            plan.strikeFor(TimeUnit.MINUTES.toSeconds(settings.minutes()),
                (kind, random) -> strike(plan, topic, kind, random));
            final List<String> problems = plan.problems();
            if (!problems.isEmpty())
            {
                topic.ledger().errors().forEach((error) -> problems.add("The consumer reported: " + error));
            }
            if (topic.reader().failure() != null)
            {
                problems.add("The consumer's thread ended: " + topic.reader().failure());
            }
            return new Result(
                topic.ledger().tally(), plan.counts(), topic.ledger().stoppedCount(), problems, settings.sabotage());
        }
    }

    private static String strike(
        final FaultPlan<FaultKind> plan, final ChaosTopic topic, final FaultKind kind, final Random random)
    {
        // In later rounds links are sometimes slow during other faults too.
        final boolean isSlow = plan.isRoundDone() && random.nextInt(SLOW_ONCE_IN) == 0;
        final String links = isSlow ? "; " + topic.cluster().slowLinks(random) : "";
        final String done = kind.fault.strike(topic, random);
        topic.cluster().heal(topic.name(), topic.partitionCount());
        // Gaps are judged before leaders move again: with retention, replicas begin at different offsets.
        final String stall = topic.compare();
        final ChaosLedger.Tally tally = topic.ledger().tally();
        if (stall != null || !tally.isClean())
        {
            plan.problems().add("After " + kind + ": " + (stall == null ? tally.toString() : stall));
        }
        return String.format(
            "%s%s; %,d records so far, %s", done, links, tally.right, tally.isClean() ? "all right" : tally);
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
    record Result(
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
