// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.ProducerSettings;
import org.odradek.benchmarks.report.TurnOrder;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Round by round and client by client, level after level, the search for the highest rate.
 */
final class SleScenario
{
    private static final double US_PER_MS = 1e3;

    private final SlePlan plan;
    private final String bootstrap;
    private final Consumer<String> progress;

    /**
     * @param bootstrap of the cluster that is used.
     * @param progress  gets a line for each rate that was tried.
     */
    SleScenario(final SlePlan plan, final String bootstrap, final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.progress = progress;
    }

    /**
     * @return every rate that was tried, in the order of trying.
     */
    List<SleProbe> run() throws InterruptedException
    {
        final List<SleProbe> probes = new ArrayList<>();
        final List<ProducerProcess> producers = new ArrayList<>();
        try (CaseTopic topic = CaseTopic.keeping(
            SlePlan.KEPT_BYTES, bootstrap, "sle", SlePlan.PARTITIONS, plan.bootstrap() != null))
        {
            for (int partition = 0; partition < SlePlan.PARTITIONS; partition++)
            {
                producers.add(ProducerProcess.start(new ProducerSettings(bootstrap, topic.name(),
                    new int[]{partition}, 1, SlePlan.VALUE_LENGTH, SlePlan.LINGER_MS, SlePlan.ACKS)));
            }
            producers.forEach(ProducerProcess::awaitStart);
            int practiceSeconds = plan.timing().firstPracticeSeconds();
            for (int round = 0; round < plan.timing().rounds(); round++)
            {
                for (final int index : TurnOrder.ofRound(round, plan.clients().size()))
                {
                    try (SleGroup group =
                        new SleGroup(plan.clients().get(index), plan, bootstrap, topic.name(), producers))
                    {
                        group.practise(plan.firstRate(), practiceSeconds);
                        search(round, group, probes);
                    }
                    practiceSeconds = plan.timing().practiceSeconds();
                }
            }
        }
        finally
        {
            producers.forEach(ProducerProcess::close);
        }
        return probes;
    }

    private void search(final int round, final SleGroup group, final List<SleProbe> probes)
        throws InterruptedException
    {
        int firstRate = plan.firstRate();
        for (final Level level : plan.levels())
        {
            final RateSearch search = new RateSearch(firstRate, plan.highestRate(), level.halvings());
            search(round, level, search, group, probes);
            // The next level is tighter, so it breaks near where this one does or below.
            firstRate = Math.max(plan.firstRate(), search.held() / 2);
        }
    }

    private void search(
        final int round,
        final Level level,
        final RateSearch search,
        final SleGroup group,
        final List<SleProbe> probes) throws InterruptedException
    {
        while (!search.isDone())
        {
            final SleProbe probe = group.probe(round, level, search.next());
            search.answer(probe.isKept());
            probes.add(probe);
            progress.accept(String.format(Locale.ROOT, "round %d of %d, %s, %s, %,d/s: %s, p%s %.1f ms",
                round + 1, plan.timing().rounds(), level.caseName(), probe.client().client(), probe.rate(),
                probe.isKept() ? "kept" : "not kept",
                String.valueOf(level.percentile()).replaceFirst("\\.0$", ""),
                probe.us(level.percentile()) / US_PER_MS));
        }
    }
}
