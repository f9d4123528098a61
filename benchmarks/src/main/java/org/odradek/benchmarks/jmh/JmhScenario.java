// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.jmh.FetchBenchmark.Client;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * {@code bench jmh}: what does a record cost once its bytes are there? JMH runs the cases round by round, a JVM for
 * each case and client in each round: those who read the same take turns, and what slows the machine for a while slows
 * all of them.
 */
@Command(name = JmhScenario.NAME,
    description = "Reads recorded fetches from memory: our consumer, the stock one, its record sets, the codecs alone.")
@Facts(quickSeconds = 75, seconds = 480,
    columns = {"nsPerRecord", "timesOurs", "bytesPerFetch", "gcBytesPerFetch"})
public final class JmhScenario extends Scenario
{
    static final String NAME = "jmh";
    static final Plan FULL = new Plan(JmhCase.full(), 3, 3, 300, 7, 100);
    static final Plan QUICK = new Plan(JmhCase.quick(), 2, 2, 250, 5, 80);
    private static final String[] JVM_FLAGS = {"-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=256m"};

    /**
     * What one JVM found; each figure is the median of its iterations.
     *
     * @param bytes   that the reading thread allocated for a fetch.
     * @param gcBytes that all threads allocated meanwhile, with JMH's own, as its profiler "gc" counts them.
     */
    record Figures(double nsPerRecord, double bytes, double gcBytes)
    {
    }

    @Override
    protected void check(final OptionCheck check)
    {
        check.that(jvmSettings() == Settings.NONE, "--jdk25 is for scenarios with clients in JVMs of their own.");
    }

    @Override
    protected Results run() throws RunnerException
    {
        return new Results(plan().run(earlierClassPath(), this::say), List.of(), List.of());
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Plan plan = plan();
        return Environment.ordered(
            "isQuick", isQuick(),
            "forks", plan.forks,
            "warmUpIterations", plan.warmUpIterations,
            "warmUpMs", plan.warmUpMs,
            "iterations", plan.iterations,
            "iterationMs", plan.iterationMs,
            "profiler", "gc",
            "jvmFlags", JVM_FLAGS,
            "batchLength", RecordedBatches.BATCH_LENGTH);
    }

    private Plan plan()
    {
        return isQuick() ? QUICK : FULL;
    }

    /** The figures of each client are in the order of the rounds. */
    static List<Row> rows(final JmhCase each, final Map<Client, List<Figures>> figures)
    {
        final Rows rows = new Rows(NAME, each.name());
        final double[] ours = values(figures.get(Client.ODRADEK), Figures::nsPerRecord);
        figures.forEach((client, ofClient) ->
        {
            final double[] theirs = values(ofClient, Figures::nsPerRecord);
            rows.add(client.title, Metric.NS_PER_RECORD, theirs)
                .add(client.title, Metric.BYTES_PER_FETCH, values(ofClient, Figures::bytes))
                .add(client.title, Metric.GC_BYTES_PER_FETCH, values(ofClient, Figures::gcBytes))
                .add(client.title, Metric.TIMES_OURS,
                IntStream.range(0, ours.length).mapToDouble((round) -> theirs[round] / ours[round]).toArray());
        });
        return rows.list();
    }

    private static double[] values(final List<Figures> figures, final ToDoubleFunction<Figures> figure)
    {
        return figures.stream().mapToDouble(figure).toArray();
    }

    /**
     * What is measured, how often and for how long.
     *
     * @param cases            in the order in which they are shown.
     * @param forks            JVMs for each case and client.
     * @param warmUpIterations in each JVM, discarded.
     * @param iterations       in each JVM.
     */
    record Plan(List<JmhCase> cases, int forks, int warmUpIterations, int warmUpMs, int iterations, int iterationMs)
    {
        /**
         * @param earlierClassPath of an earlier commit, or null without one.
         * @param progress         gets a line for each case and round.
         */
        List<Row> run(final String earlierClassPath, final Consumer<String> progress) throws RunnerException
        {
            // JMH would refuse to run if another user's lock file is in the temporary folder.
            System.setProperty("jmh.ignoreLock", "true");
            final Map<JmhCase, Map<Client, List<Figures>>> figures = new LinkedHashMap<>();
            for (int round = 0; round < forks; round++)
            {
                for (final JmhCase each : cases)
                {
                    final StringBuilder line = new StringBuilder();
                    final List<Client> clients = each.clients(earlierClassPath != null);
                    for (final int turn : TurnOrder.ofRound(round, clients.size()))
                    {
                        final Client client = clients.get(turn);
                        final Figures ofTurn = client == Client.ODRADEK_BEFORE ?
                            runEarlierFork(each, earlierClassPath) : runFork(each, client);
                        figures.computeIfAbsent(each, (key) -> new EnumMap<>(Client.class))
                            .computeIfAbsent(client, (key) -> new ArrayList<>()).add(ofTurn);
                        line.append(String.format(Locale.ROOT, "  %s %.1f", client.title, ofTurn.nsPerRecord));
                    }
                    progress.accept(
                        "round " + (round + 1) + " of " + forks + ", " + each.name() + ", ns/record:" + line);
                }
            }
            return figures.entrySet().stream()
                .flatMap((next) -> rows(next.getKey(), next.getValue()).stream()).toList();
        }

        /** JMH gives its forks the class path that this property names. */
        private Figures runEarlierFork(final JmhCase each, final String earlierClassPath) throws RunnerException
        {
            final String own = System.setProperty("java.class.path", earlierClassPath);
            try
            {
                return runFork(each, Client.ODRADEK);
            }
            finally
            {
                System.setProperty("java.class.path", own);
            }
        }

        private Figures runFork(final JmhCase each, final Client client) throws RunnerException
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
                .jvmArgsAppend(
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED")
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true).build()).runSingle();
            return new Figures(median(result.getPrimaryResult()) / each.recordCount(),
                median(result.getSecondaryResults().get("bytesPerFetch")),
                median(result.getSecondaryResults().get("gc.alloc.rate.norm")));
        }

        private static double median(final Result<?> ofIterations)
        {
            return ofIterations.getStatistics().getPercentile(50);
        }
    }
}
