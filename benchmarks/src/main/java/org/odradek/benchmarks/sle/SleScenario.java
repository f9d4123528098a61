/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.ProducerSettings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Level by level and client by client, the search for the highest rate.
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
        try (CaseTopic topic = new CaseTopic(bootstrap, "sle", SlePlan.PARTITIONS, plan.bootstrap() != null))
        {
            for (int partition = 0; partition < SlePlan.PARTITIONS; partition++)
            {
                producers.add(ProducerProcess.start(new ProducerSettings(bootstrap, topic.name(),
                    new int[]{partition}, 1, SlePlan.VALUE_LENGTH, SlePlan.LINGER_MS, SlePlan.ACKS)));
            }
            producers.forEach(ProducerProcess::awaitStart);
            for (final SleClient client : plan.clients())
            {
                try (SleGroup group = new SleGroup(client, plan, bootstrap, topic.name(), producers))
                {
                    int firstRate = plan.firstRate();
                    for (final Level level : plan.levels())
                    {
                        // The next level is tighter, so it breaks near where this one does or below.
                        firstRate = Math.max(plan.firstRate(), search(level, firstRate, group, probes) / 2);
                    }
                }
            }
        }
        finally
        {
            producers.forEach(ProducerProcess::close);
        }
        return probes;
    }

    private int search(
        final Level level, final int firstRate, final SleGroup group, final List<SleProbe> probes)
        throws InterruptedException
    {
        final RateSearch search = new RateSearch(firstRate, plan.highestRate(), plan.halvings());
        while (!search.isDone())
        {
            final SleProbe probe = group.probe(level, search.next());
            search.answer(probe.isKept());
            probes.add(probe);
            progress.accept(String.format(Locale.ROOT, "%s, %s, %,d/s: %s, p%s %.1f ms", level.caseName(),
                probe.client().client(), probe.rate(), probe.isKept() ? "kept" : "not kept",
                String.valueOf(level.percentile()).replaceFirst("\\.0$", ""),
                probe.us(level.percentile()) / US_PER_MS));
        }
        return search.held();
    }
}
