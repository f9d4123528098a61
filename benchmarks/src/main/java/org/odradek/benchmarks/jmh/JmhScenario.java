// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.report.TurnOrder;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Has JMH run the cases round by round, a JVM for each case and client in each round: those who read the same take
 * turns, and what slows the machine for a while slows all of them.
 */
final class JmhScenario
{
    private static final String ALLOCATED_BY_ALL = "gc.alloc.rate.norm";
    private static final String ALLOCATED_BY_THREAD = "allocatedBytes";
    private static final String FETCHES = "fetches";
    private static final int FIRST_JDK_WITH_NATIVE_ACCESS = 22;

    private final JmhPlan plan;
    private final Consumer<String> progress;

    /**
     * @param plan     what is measured.
     * @param progress gets a line for each case and round.
     */
    JmhScenario(final JmhPlan plan, final Consumer<String> progress)
    {
        this.plan = plan;
        this.progress = progress;
    }

    List<Row> run() throws RunnerException
    {
        // JMH would refuse to run where another user's lock file is in the temporary folder.
        System.setProperty("jmh.ignoreLock", "true");
        final List<Map<JmhClient, JmhFigure[]>> figures = new ArrayList<>();
        for (int i = 0; i < plan.cases().size(); i++)
        {
            figures.add(new EnumMap<>(JmhClient.class));
        }
        for (int round = 0; round < plan.forks(); round++)
        {
            for (int i = 0; i < figures.size(); i++)
            {
                runRound(round, plan.cases().get(i), figures.get(i));
            }
        }

        final List<Row> rows = new ArrayList<>();
        for (int i = 0; i < figures.size(); i++)
        {
            rows.addAll(JmhRows.of(plan.cases().get(i), figures.get(i)));
        }
        return rows;
    }

    private void runRound(final int round, final JmhCase jmhCase, final Map<JmhClient, JmhFigure[]> figures)
        throws RunnerException
    {
        final List<JmhClient> clients = jmhCase.clients();
        final StringBuilder line = new StringBuilder();
        for (final int turn : TurnOrder.ofRound(round, clients.size()))
        {
            final JmhClient client = clients.get(turn);
            final JmhFigure figure = runFork(jmhCase, client);
            figures.computeIfAbsent(client, (key) -> new JmhFigure[plan.forks()])[round] = figure;
            line.append(String.format(
                Locale.ROOT, "  %s %.1f", client.title(), figure.ns() / jmhCase.recordCount()));
        }
        progress.accept("round " + (round + 1) + " of " + plan.forks() + ", " + jmhCase.name() + ", ns/record:" + line);
    }

    private JmhFigure runFork(final JmhCase jmhCase, final JmhClient client) throws RunnerException
    {
        final ChainedOptionsBuilder options = new OptionsBuilder()
            .include(client.pattern())
            .param("valueLength", Integer.toString(jmhCase.valueLength()))
            .param("codec", jmhCase.codec())
            .param("batchCount", Integer.toString(jmhCase.batchCount()))
            .param("isCheckingCrcs", Boolean.toString(jmhCase.isCheckingCrcs()))
            .forks(1)
            .warmupIterations(plan.warmUpIterations()).warmupTime(TimeValue.milliseconds(plan.warmUpMs()))
            .measurementIterations(plan.iterations()).measurementTime(TimeValue.milliseconds(plan.iterationMs()))
            .addProfiler(GCProfiler.class)
            .jvm(System.getProperty("java.home") + "/bin/java")
            .jvmArgs(jvmFlags().toArray(new String[0]))
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true);
        final Collection<RunResult> results = new Runner(options.build()).run();
        if (results.size() != 1)
        {
            throw new IllegalStateException(results.size() + " results for " + jmhCase.name() + " and " +
                client.title() + " where one was expected");
        }
        final Collection<IterationResult> iterations =
            results.iterator().next().getBenchmarkResults().iterator().next().getIterationResults();
        return new JmhFigure(
            median(iterations, (iteration) -> iteration.getPrimaryResult().getScore()),
            median(iterations, (iteration) ->
                secondary(iteration, ALLOCATED_BY_THREAD) / secondary(iteration, FETCHES)),
            median(iterations, (iteration) -> secondary(iteration, ALLOCATED_BY_ALL)));
    }

    private static double secondary(final IterationResult iteration, final String name)
    {
        return iteration.getSecondaryResults().get(name).getScore();
    }

    private static double median(
        final Collection<IterationResult> iterations, final ToDoubleFunction<IterationResult> figure)
    {
        return Summary.of(iterations.stream().mapToDouble(figure).toArray()).median();
    }

    private static List<String> jvmFlags()
    {
        final List<String> flags = new ArrayList<>(JmhPlan.JVM_FLAGS);
        flags.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        if (Runtime.version().feature() >= FIRST_JDK_WITH_NATIVE_ACCESS)
        {
            flags.add("--enable-native-access=ALL-UNNAMED");
        }
        return flags;
    }
}
