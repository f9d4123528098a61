/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.RowTable;
import org.odradek.testkit.BrokerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench latency}: checks its options, provides the cluster, and says how it ended.
 */
@Command(
    name = "latency",
    description = "Measures how late records reach the callback, from when they were to be sent.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class LatencyCommand implements Callable<Integer>
{
    private static final int HIGHEST_RATE = 1_000_000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--rates", split = ",", defaultValue = "1000,5000,10000,50000,100000", paramLabel = "N",
        description = "Records a second, a case for each (default: ${DEFAULT-VALUE}).")
    private List<Integer> rates;

    @Option(names = "--rounds", defaultValue = "3", paramLabel = "N",
        description = "Runs of each client at each rate (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seconds", defaultValue = "30", paramLabel = "N",
        description = "Of each run that are measured (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--quick",
        description = "Four clients, three rates, one run of 5 s each: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster instead of a broker of its own; it must share this machine's clock.")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE",
        description = "Write the figures there as well, and histogram logs beside it.")
    private Path json;

    @Override
    public Integer call() throws Exception
    {
        checkOptions();
        final long startNs = System.nanoTime();
        final LatencyPlan plan =
            isQuick ? LatencyPlan.quick(bootstrap) : LatencyPlan.full(rates, rounds, seconds, bootstrap);
        say("about " + plan.expectedSeconds() + " s");
        final List<LatencyRun> runs = bootstrap == null ? runOnOwnBroker(plan) : run(plan, bootstrap);

        final List<Row> rows = LatencyRows.of(plan.rates(), runs);
        System.out.println();
        System.out.print(new RowTable()
            .column("latencyP50Us", "p50 us", "%,.0f")
            .column("latencyP99Us", "p99 us", "%,.0f")
            .column("latencyP999Us", "p99.9 us", "%,.0f")
            .column("latencyP9999Us", "p99.99 us", "%,.0f")
            .column("latencyMaxUs", "worst us", "%,.0f")
            .column("threadCpuPercent", "thread CPU %", "%.1f")
            .column("latencyP50UsToBareLoop", "p50 to bare loop", "%.2f")
            .column("latencyP99UsToBareLoop", "p99 to bare loop", "%.2f")
            .column("latencyP50UsToStock", "p50 to stock", "%.2f")
            .column("latencyP99UsToStock", "p99 to stock", "%.2f")
            .format(rows));
        System.out.println();
        if (json != null)
        {
            new Report(Environment.describe(plan.settings()), rows, List.of(), LatencyLogs.write(json, plan, runs))
                .writeTo(json);
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (json == null ? "" : ", results in " + json));
        return CommandLine.ExitCode.OK;
    }

    private static List<LatencyRun> runOnOwnBroker(final LatencyPlan plan) throws Exception
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return run(plan, broker.bootstrapServers());
        }
    }

    private static List<LatencyRun> run(final LatencyPlan plan, final String bootstrap) throws InterruptedException
    {
        return new LatencyScenario(plan, bootstrap, LatencyCommand::say).run();
    }

    private static void say(final String line)
    {
        System.out.println("latency: " + line);
    }

    private void checkOptions()
    {
        for (final int rate : rates)
        {
            check(rate >= 1 && rate <= HIGHEST_RATE,
                "--rates must be between 1 and " + HIGHEST_RATE + ", not " + rate + ".");
        }
        check(rounds >= 1, "--rounds must be at least 1, not " + rounds + ".");
        check(seconds >= 1, "--seconds must be at least 1, not " + seconds + ".");
        check(bootstrap == null || bootstrap.matches("[^:,]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+]:[0-9]{1,5}"),
            "--bootstrap must be HOST:PORT, not " + bootstrap + ".");
        check(json == null || !Files.isDirectory(json), "--json must be a file, not the folder " + json + ".");
        check(json == null || Files.isWritable(json.toAbsolutePath().getParent()),
            "--json must be in a folder that can be written to, not at " + json + ".");
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
