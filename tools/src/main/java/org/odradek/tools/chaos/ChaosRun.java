// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Fault after fault on one cluster, and a comparison after each.
 */
final class ChaosRun
{
    private static final int SLOW_ONCE_IN = 3;

    private final ChaosSettings settings;
    private final Consumer<String> out;
    private final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
    private final List<String> problems = new ArrayList<>();

    /**
     * @param out gets a line for each fault.
     */
    ChaosRun(final ChaosSettings settings, final Consumer<String> out)
    {
        this.settings = settings;
        this.out = out;
    }

    ChaosVerdict run()
    {
        final long startNs = System.nanoTime();
        out.accept("seed " + settings.seed() + ": starting " + ChaosCluster.BROKER_COUNT + " brokers");
        try (ChaosCluster cluster = new ChaosCluster();
            ChaosTopic topic = new ChaosTopic(cluster, "chaos", settings))
        {
            topic.producer().release();
            topic.awaitDelivered(1_000);
            final ChaosPlan plan = new ChaosPlan(settings.seed());
            final long durationNs = TimeUnit.MINUTES.toNanos(settings.minutes());
            for (int i = 0; isToGoOn(i, System.nanoTime() - startNs < durationNs); i++)
            {
                strike(plan, i, cluster, topic, startNs);
            }
            if (!problems.isEmpty())
            {
                topic.ledger().errors().forEach((error) -> problems.add("The consumer said: " + error));
            }
            if (topic.reader().failure() != null)
            {
                problems.add("The consumer's thread ended: " + topic.reader().failure());
            }
            return new ChaosVerdict(
                topic.ledger().tally(), faults, topic.ledger().stoppedCount(), problems, settings.sabotage());
        }
    }

    /** The first round is done whole, whatever the time. */
    private boolean isToGoOn(final int done, final boolean isTimeLeft)
    {
        return problems.isEmpty() && (done < FaultKind.values().length || isTimeLeft);
    }

    private void strike(
        final ChaosPlan plan, final int done, final ChaosCluster cluster, final ChaosTopic topic, final long startNs)
    {
        final FaultKind kind = plan.next();
        try
        {
            final Random random = plan.newRandom();
            // Later rounds have slow links under other faults too.
            final boolean isSlow = done >= FaultKind.values().length && random.nextInt(SLOW_ONCE_IN) == 0;
            final String links = isSlow ? "; " + cluster.slowLinks(random) : "";
            final String what = kind.fault().strike(cluster, topic, random);
            cluster.heal(topic.name(), topic.partitionCount());
            final String stall = topic.compare();
            faults.merge(kind, 1, Integer::sum);
            final ChaosTally tally = topic.ledger().tally();
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
}
