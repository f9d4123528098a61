/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.idle;

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
 * {@code bench idle}: checks its options, provides the cluster, and says how it ended.
 */
@Command(
    name = IdleScenario.NAME,
    description = "Waits for records that hardly come: CPU and bytes a minute, an empty JVM beside.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class IdleCommand implements Callable<Integer>
{
    @Mixin
    private LiveOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        options.check();
        final long startNs = System.nanoTime();
        final IdlePlan plan = options.isQuick() ?
            IdlePlan.quick(options.timing(IdlePlan.QUICK_TIMING), options.bootstrap()) :
            IdlePlan.full(options.timing(IdlePlan.FULL_TIMING), options.bootstrap());
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

    private static Results runOnOwnBroker(final IdlePlan plan) throws InterruptedException
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return run(plan, broker.bootstrapServers(), broker.pid());
        }
    }

    private static Results run(final IdlePlan plan, final String bootstrap, final long brokerPid)
        throws InterruptedException
    {
        return new IdleScenario(plan, bootstrap, brokerPid, IdleCommand::say).run();
    }

    private static void say(final String line)
    {
        System.out.println(IdleScenario.NAME + ": " + line);
    }

    private static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(IdleScenario.THREAD_CPU, "thread CPU ms/min");
        columns.put(IdleScenario.THREAD_CPU + LiveRows.TO_STOCK, "to stock");
        columns.put(IdleScenario.PROCESS_CPU, "process CPU ms/min");
        columns.put(IdleScenario.ALLOCATED, "allocated bytes/min");
        columns.put("processAllocatedBytesPerMinute", "of the process");
        columns.put(LiveRows.FETCHES, "fetches/s");
        return columns;
    }
}
