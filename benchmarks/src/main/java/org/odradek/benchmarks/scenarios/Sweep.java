// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.FETCHES;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.LivePlan;
import org.odradek.benchmarks.rig.LivePlan.Case;
import org.odradek.benchmarks.rig.LivePlan.Timing;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import picocli.CommandLine.Command;

/**
 * {@code bench sweep}: does a latency budget ever cost more fetches than none? Slow and fast trickles, with and without
 * linger, in one and in eight partitions. The run fails if one does.
 */
@Command(name = "sweep", description = "Checks at rates of 1 to 5,000 that no latency budget costs more fetches.")
@Facts(quickSeconds = 220, seconds = 1_500, columns = {
    "fetchesPerSecond", "fetchesPerSecondToOwnDefault", "threadCpuPercent", "latencyP50Us", "latencyP99Us"})
public final class Sweep extends LiveScenario
{
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.withBudget(Arms.ODRADEK, 1),
        Arms.withBudget(Arms.ODRADEK, 2), Arms.withBudget(Arms.ODRADEK, 5), Arms.withBudget(Arms.ODRADEK, 10));
    private static final double MOST = 1.05;
    /** A turn begins and ends within a fetch. */
    private static final int FETCHES_AT_EDGES = 2;

    @Override
    protected LivePlan plan()
    {
        final List<Case> cases = new ArrayList<>();
        for (final int partitions : new int[]{1, 8})
        {
            for (final int lingerMs : new int[]{0, 5})
            {
                for (final int rate : isQuick() ? new int[]{10, 5_000} : new int[]{1, 10, 100, 1_000, 5_000})
                {
                    cases.add(new Case(Signalfx.linger(rate, lingerMs).name() +
                        (partitions == 1 ? "" : ", " + partitions + " partitions"), rate, lingerMs,
                        Settings.of("partitionCount", partitions), List.of()));
                }
            }
        }
        return new LivePlan(name(), cases, ARMS, Signalfx.SHARED,
            timing(isQuick() ? new Timing(1, 3, 3, 1) : new Timing(1, 10, 10, 2)),
            (rows, turns) -> rows.add(turns, FETCHES, Metric.THREAD_CPU, Metric.P50, Metric.P99)
            .addRatios(ARMS.stream().skip(1).map(Arm::name).toList(), List.of(FETCHES), Rival.OWN_DEFAULT));
    }

    @Override
    protected boolean isComplete(final Results results)
    {
        final List<String> more = more(results.rows(), plan().timing().seconds());
        more.forEach(this::say);
        return more.isEmpty();
    }

    /**
     * @param seconds of a turn.
     * @return a sentence for each row of fetches that has too many.
     */
    static List<String> more(final List<Row> rows, final int seconds)
    {
        final List<Row> fetches = rows.stream().filter(row -> row.metric().equals(FETCHES.key())).toList();
        final Map<String, Double> defaults = fetches.stream().filter(row -> row.client().equals(Arms.ODRADEK.name()))
            .collect(Collectors.toMap(Row::caseName, row -> row.summary().median()));
        final List<String> more = new ArrayList<>();
        for (final Row row : fetches)
        {
            final double most = MOST * defaults.get(row.caseName()) + (double)FETCHES_AT_EDGES / seconds;
            if (row.summary().median() > most)
            {
                more.add(String.format(Locale.ROOT, "%s, %s: %.1f fetches/s, more than %.1f, which is 1.05 of the " +
                    "default's and %d fetches at the edges of the turn", row.caseName(), row.client(),
                    row.summary().median(), most, FETCHES_AT_EDGES));
            }
        }
        return more;
    }
}
