// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.odradek.benchmarks.jmh.FetchBenchmark.Client;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What is measured, how often and for how long. JMH runs the cases round by round, a JVM for each case and client in
 * each round: those who read the same take turns, and what slows the machine for a while slows all of them.
 *
 * @param cases            in the order in which they are shown.
 * @param forks            JVMs for each case and client.
 * @param warmUpIterations in each JVM, discarded.
 * @param warmUpMs         of each of those.
 * @param iterations       in each JVM; their median is the JVM's figure.
 * @param iterationMs      of each of those.
 */
record JmhPlan(
    List<JmhCase> cases, int forks, int warmUpIterations, int warmUpMs, int iterations, int iterationMs)
{
    static final JmhPlan FULL = new JmhPlan(JmhCase.full(), 3, 3, 300, 7, 100);
    static final JmhPlan QUICK = new JmhPlan(JmhCase.quick(), 2, 2, 250, 5, 80);
    static final String[] JVM_FLAGS = {"-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=256m"};

    /**
     * What one JVM found for one fetch; each figure is the median of its iterations.
     *
     * @param ns      it took.
     * @param bytes   that the reading thread allocated for it.
     * @param gcBytes that all threads allocated meanwhile, with JMH's own, as its profiler "gc" counts them.
     */
    record Figure(double ns, double bytes, double gcBytes)
    {
    }

    /**
     * @param progress gets a line for each case and round.
     */
    List<Row> run(final Consumer<String> progress) throws RunnerException
    {
        // JMH would refuse to run if another user's lock file is in the temporary folder.
        System.setProperty("jmh.ignoreLock", "true");
        final Map<JmhCase, Map<Client, Figure[]>> figures = new LinkedHashMap<>();
        for (int round = 0; round < forks; round++)
        {
            for (final JmhCase each : cases)
            {
                final StringBuilder line = new StringBuilder();
                for (final int turn : TurnOrder.ofRound(round, each.clients().size()))
                {
                    final Client client = each.clients().get(turn);
                    final Figure figure = runFork(each, client);
                    figures.computeIfAbsent(each, key -> new EnumMap<>(Client.class))
                        .computeIfAbsent(client, key -> new Figure[forks])[round] = figure;
                    line.append(String.format(Locale.ROOT, "  %s %.1f", client.title, figure.ns / each.recordCount()));
                }
                progress.accept("round " + (round + 1) + " of " + forks + ", " + each.name() + ", ns/record:" + line);
            }
        }
        return figures.entrySet().stream().flatMap(next -> rows(next.getKey(), next.getValue()).stream()).toList();
    }

    private Figure runFork(final JmhCase each, final Client client) throws RunnerException
    {
        final RunResult result = new Runner(new OptionsBuilder()
            .include(FetchBenchmark.class.getName())
            .param("client", client.name())
            .param("valueLength", Integer.toString(each.valueLength()))
            .param("codec", each.codec())
            .param("batchCount", Integer.toString(each.batchCount()))
            .param("isCheckingCrcs", Boolean.toString(each.isCheckingCrcs()))
            .forks(1)
            .warmupIterations(warmUpIterations).warmupTime(TimeValue.milliseconds(warmUpMs))
            .measurementIterations(iterations).measurementTime(TimeValue.milliseconds(iterationMs))
            .addProfiler(GCProfiler.class)
            .jvmArgs(JVM_FLAGS)
            .jvmArgsAppend("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED")
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true).build()).runSingle();
        return new Figure(median(result.getPrimaryResult()),
            median(result.getSecondaryResults().get("bytesPerFetch")),
            median(result.getSecondaryResults().get("gc.alloc.rate.norm")));
    }

    private static double median(final Result<?> ofIterations)
    {
        return ofIterations.getStatistics().getPercentile(50);
    }

    /**
     * @param figures of each client, in the order of the rounds.
     */
    static List<Row> rows(final JmhCase each, final Map<Client, Figure[]> figures)
    {
        final Rows rows = new Rows(JmhScenario.NAME, each.name());
        final double[] ours = values(figures.get(Client.ODRADEK), Figure::ns);
        figures.forEach((client, ofClient) ->
        {
            final double[] timesOurs = values(ofClient, Figure::ns);
            Arrays.setAll(timesOurs, round -> timesOurs[round] / ours[round]);
            rows.add(client.title, Metric.NS_PER_RECORD,
                values(ofClient, figure -> figure.ns() / each.recordCount()))
                .add(client.title, Metric.BYTES_PER_FETCH, values(ofClient, Figure::bytes))
                .add(client.title, Metric.GC_BYTES_PER_FETCH, values(ofClient, Figure::gcBytes))
                .add(client.title, Metric.TIMES_OURS, timesOurs);
        });
        return rows.list();
    }

    private static double[] values(final Figure[] figures, final ToDoubleFunction<Figure> figure)
    {
        return Arrays.stream(figures).mapToDouble(figure).toArray();
    }
}
