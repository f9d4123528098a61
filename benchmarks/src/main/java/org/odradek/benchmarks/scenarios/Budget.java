// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.LiveRun;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** {@code bench budget}: what does a record cost that may come later for the sake of fewer wake-ups? */
@Command(name = "budget", description = "Reads a trickle with a latency budget of 0 to 50 ms: CPU against latency.")
@Facts(quickSeconds = 120, seconds = 1_700, columns = {"threadCpuPercent", "processCpuPercent", "latencyP50Us",
    "latencyP99Us", "fetchesPerSecond", "brokerCpuPercent", "allocatedBytes", "processCpuPercentToStockTuned",
    "processCpuPercentToBareLoop"})
public final class Budget extends LiveScenario
{
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.STOCK_TUNED, Arms.LIBRDKAFKA, Arms.BARE_LOOP);

    @Range(most = 1_000_000)
    @Option(names = "--rate", defaultValue = "5000", paramLabel = "N",
        description = "Records a second over all partitions (default: ${DEFAULT-VALUE}).")
    private int rate;
    @Range(least = 0, most = 100)
    @Option(names = "--linger", defaultValue = "0", paramLabel = "MS",
        description = "Of the producer (default: ${DEFAULT-VALUE}).")
    private int lingerMs;
    @Range(most = 64)
    @Option(names = "--partitions", defaultValue = "1", paramLabel = "N",
        description = "Of the topic; the bare loop reads one only (default: ${DEFAULT-VALUE}).")
    private int partitions;

    /** The first case has no budget: the others' latency is compared with it. */
    static LiveRun.RowMaker rowMaker()
    {
        final Map<String, Double> defaultP50 = new HashMap<>();
        return (rows, turns) ->
        {
            rows.add(turns, Metric.USAGE).add(turns, Metric.P50, Metric.P99, Metric.P999);
            turns.forEach((client, usages) ->
            {
                final double[] p50 = Arrays.stream(usages).mapToDouble((usage) -> usage.latencyUs(50)).toArray();
                final double withoutBudget = defaultP50.computeIfAbsent(client, (key) -> Summary.of(p50).median());
                rows.add(client, Metric.P50_ADDED, Arrays.stream(p50).map((value) -> value - withoutBudget).toArray());
            });
            return rows.addRatios(List.of(Arms.ODRADEK.name()),
                List.of(Metric.THREAD_CPU, Metric.PROCESS_CPU, Metric.P50, Metric.P99),
                Rival.STOCK_TUNED, Rival.LIBRDKAFKA, Rival.BARE_LOOP);
        };
    }

    @Override
    protected Plan plan()
    {
        final int[] budgetsMs = isQuick() ? new int[]{0, 2, 10} : new int[]{0, 1, 2, 5, 10, 50};
        final List<Case> cases = IntStream.of(budgetsMs).mapToObj((budgetMs) -> new Case(
            budgetMs + " ms", rate, lingerMs, Settings.of(Arms.BUDGET_MS, budgetMs), List.of())).toList();
        return new Plan(name(), cases,
            onChosenJvm(partitions == 1 ? ARMS : ARMS.subList(0, ARMS.indexOf(Arms.BARE_LOOP))),
            Signalfx.SHARED.with("partitionCount", partitions, "recordsPerSecond", rate, "lingerMs", lingerMs),
            timing(isQuick() ? new Timing(1, 3, 3, 1) : new Timing(5, 8, 15, 3)), rowMaker());
    }

    /** {@code bench sweep}: does a latency budget ever cost more fetches than none? The run fails if one does. */
    @Command(name = "sweep", description = "Checks at rates of 1 to 5,000 that no latency budget costs more fetches.")
    @Facts(quickSeconds = 220, seconds = 1_300, columns = {
        "fetchesPerSecond", "fetchesPerSecondToOwnDefault", "threadCpuPercent", "latencyP50Us", "latencyP99Us",
        "latencyP99AddedUs"})
    public static final class Sweep extends LiveScenario
    {
        private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.withBudget(Arms.ODRADEK, 1),
            Arms.withBudget(Arms.ODRADEK, 2), Arms.withBudget(Arms.ODRADEK, 5), Arms.withBudget(Arms.ODRADEK, 10));
        private static final double MOST = 1.05;
        /** A turn begins and ends within a fetch. */
        private static final int FETCHES_AT_EDGES = 2;

        @Override
        protected Plan plan()
        {
            final List<Case> cases = new ArrayList<>();
            List.of(1, 8).forEach((partitions) -> List.of(0, 5).forEach((lingerMs) ->
                rates(lingerMs).forEach((rate) -> cases.add(new Case(Signalfx.linger(rate, lingerMs).name() +
                (partitions == 1 ? "" : ", " + partitions + " partitions"), rate, lingerMs,
                Settings.of("partitionCount", partitions), List.of())))));
            return new Plan(name(), cases, onChosenJvm(ARMS), Signalfx.SHARED,
                timing(isQuick() ? new Timing(1, 3, 3, 1) : new Timing(1, 10, 10, 2)),
                (rows, turns) -> addP99(
                    rows.add(turns, Metric.RECORDS_PER_SECOND, Metric.FETCHES, Metric.THREAD_CPU)
                        .add(turns, Metric.P50, Metric.P99), turns)
                .addRatios(ARMS.stream().skip(1).map(Arm::name).toList(), List.of(Metric.FETCHES), Rival.OWN_DEFAULT));
        }

        /** With linger 250 replaces 200, where a record comes each linger: chance made batches of one or of two. */
        private List<Integer> rates(final int lingerMs)
        {
            return isQuick() ? List.of(100, 5_000) : List.of(1, 100, lingerMs == 0 ? 200 : 250, 1_000, 5_000);
        }

        /** Adds what each budget adds at the 99th percentile. */
        private static Rows addP99(final Rows rows, final Map<String, Usage[]> turns)
        {
            final double withoutBudget = Summary.of(p99(turns.get(Arms.ODRADEK.name()))).median();
            turns.forEach((client, usages) -> rows.add(client, Metric.P99_ADDED,
                Arrays.stream(p99(usages)).map((value) -> value - withoutBudget).toArray()));
            return rows;
        }

        private static double[] p99(final Usage[] usages)
        {
            return Arrays.stream(usages).mapToDouble((usage) -> usage.latencyUs(99)).toArray();
        }

        @Override
        protected boolean isComplete(final Results results)
        {
            final List<String> more = more(results.rows(), plan().timing().seconds());
            more.forEach(this::say);
            return super.isComplete(results) && more.isEmpty();
        }

        /** Returns a sentence for each row of fetches that has too many; the seconds are those of a turn. */
        static List<String> more(final List<Row> rows, final int seconds)
        {
            final List<Row> fetches = rows.stream().filter((row) -> row.metric().equals(Metric.FETCHES.key())).toList();
            final double atEdges = (double)FETCHES_AT_EDGES / seconds;
            final Map<String, Double> most = fetches.stream().filter((row) -> row.client().equals(Arms.ODRADEK.name()))
                .collect(Collectors.toMap(Row::caseName, (row) -> MOST * row.summary().median() + atEdges));
            return fetches.stream().filter((row) -> row.summary().median() > most.get(row.caseName()))
                .map((row) -> String.format(Locale.ROOT, "%s, %s: %.1f fetches/s, more than %.1f, which is 1.05 of " +
                "the default's and %d fetches at the edges of the turn", row.caseName(), row.client(),
                row.summary().median(), most.get(row.caseName()), FETCHES_AT_EDGES)).toList();
        }
    }
}
