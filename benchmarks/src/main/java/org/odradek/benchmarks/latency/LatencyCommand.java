/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.live.LiveOptions;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.live.LiveTable;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.report.Environment;
import org.odradek.testkit.BrokerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench latency}: checks its options, provides the cluster, and says how it ended.
 */
@Command(
    name = LatencyScenario.NAME,
    description = "Measures how late records reach the callback, from when they were to be sent.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class LatencyCommand implements Callable<Integer>
{
    private static final int HIGHEST_RATE = 1_000_000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LiveOptions options;

    @Option(names = "--rates", split = ",", paramLabel = "N",
        description = "Records a second, a case for each (default: 1000,5000,10000,50000,100000; with --quick " +
            "1000,10000,50000, and four clients).")
    private List<Integer> rates;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        options.check();
        checkRates();
        final long startNs = System.nanoTime();
        final LatencyPlan plan = plan();
        say("about " + plan.totalSeconds() + " s");
        final Results results = options.bootstrap() == null ?
            runOnOwnBroker(plan) : run(plan, options.bootstrap(), LiveRounds.NO_PID);

        System.out.println();
        System.out.print(LiveTable.format(results.rows(), columns()));
        results.notRun().forEach(absent -> System.out.println("not run: " + absent.client() + ": " + absent.reason()));
        System.out.println();
        if (options.json() != null)
        {
            results.toReport(Environment.describe(plan.settings())).writeTo(options.json());
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (options.json() == null ? "" : ", results in " + options.json()));
        return CommandLine.ExitCode.OK;
    }

    private LatencyPlan plan()
    {
        final boolean isQuick = options.isQuick();
        final List<Integer> standard = isQuick ? LatencyPlan.QUICK_RATES : LatencyPlan.RATES;
        return new LatencyPlan(rates == null ? standard : rates,
            isQuick ? LatencyClient.QUICK : LatencyClient.ALL,
            options.timing(isQuick ? LatencyPlan.QUICK_TIMING : LatencyPlan.FULL_TIMING), options.bootstrap());
    }

    private Results runOnOwnBroker(final LatencyPlan plan) throws IOException, InterruptedException
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return run(plan, broker.bootstrapServers(), broker.pid());
        }
    }

    private Results run(final LatencyPlan plan, final String bootstrap, final long brokerPid)
        throws IOException, InterruptedException
    {
        return new LatencyScenario(plan, bootstrap, brokerPid, options.json(), LatencyCommand::say).run();
    }

    private static void say(final String line)
    {
        System.out.println(LatencyScenario.NAME + ": " + line);
    }

    private static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(LatencyScenario.P50, "p50 us");
        columns.put(LatencyScenario.P99, "p99 us");
        columns.put("latencyP999Us", "p99.9 us");
        columns.put("latencyP9999Us", "p99.99 us");
        columns.put("latencyMaxUs", "worst us");
        columns.put(LatencyScenario.P50 + LatencyScenario.TO_BARE_LOOP, "p50 to bare loop");
        columns.put(LatencyScenario.P99 + LatencyScenario.TO_BARE_LOOP, "p99 to bare loop");
        columns.put(LatencyScenario.P50 + LiveRows.TO_STOCK, "p50 to stock");
        columns.put(LatencyScenario.P99 + LiveRows.TO_STOCK, "p99 to stock");
        columns.put(LiveRows.THREAD_CPU, "thread CPU %");
        return columns;
    }

    private void checkRates()
    {
        for (final int rate : rates == null ? List.<Integer>of() : rates)
        {
            if (rate < 1 || rate > HIGHEST_RATE)
            {
                throw new ParameterException(spec.commandLine(),
                    "--rates must be between 1 and " + HIGHEST_RATE + ", not " + rate + ".");
            }
        }
    }
}
