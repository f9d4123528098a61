/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.signalfx;

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

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench signalfx}: checks its options, provides the cluster, and says how it ended.
 */
@Command(
    name = SignalfxScenario.NAME,
    description = "Reads a trickle of small records from one partition: CPU, bytes, collections, latency.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class SignalfxCommand implements Callable<Integer>
{
    @Mixin
    private LiveOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        options.check();
        final long startNs = System.nanoTime();
        final SignalfxPlan plan = options.isQuick() ?
            SignalfxPlan.quick(options.timing(SignalfxPlan.QUICK_TIMING), options.bootstrap()) :
            SignalfxPlan.full(options.timing(SignalfxPlan.FULL_TIMING), options.bootstrap());
        say("about " + plan.totalSeconds(options.json() != null) + " s");
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

    private Results runOnOwnBroker(final SignalfxPlan plan) throws IOException, InterruptedException
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return run(plan, broker.bootstrapServers(), broker.pid());
        }
    }

    private Results run(final SignalfxPlan plan, final String bootstrap, final long brokerPid)
        throws IOException, InterruptedException
    {
        return new SignalfxScenario(plan, bootstrap, brokerPid, options.json(), SignalfxCommand::say).run();
    }

    private static void say(final String line)
    {
        System.out.println(SignalfxScenario.NAME + ": " + line);
    }

    private static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(LiveRows.THREAD_CPU, "thread CPU %");
        columns.put(LiveRows.PROCESS_CPU, "process CPU %");
        columns.put(LiveRows.PROCESS_CPU + LiveRows.TO_STOCK, "to stock");
        columns.put(LiveRows.ALLOCATED, "allocated bytes");
        columns.put("gcCount", "collections");
        columns.put(LiveRows.FETCHES, "fetches/s");
        columns.put(SignalfxScenario.LATENCY_P50, "p50 us");
        columns.put(SignalfxScenario.LATENCY_P99, "p99 us");
        return columns;
    }
}
