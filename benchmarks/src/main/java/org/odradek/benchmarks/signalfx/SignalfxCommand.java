// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.signalfx;

import org.odradek.benchmarks.live.LiveOptions;
import org.odradek.benchmarks.live.LiveRun;
import org.odradek.benchmarks.live.LiveRows;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * {@code bench signalfx}: its options and its table.
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
        final SignalfxPlan plan = options.isQuick() ?
            SignalfxPlan.quick(options.timing(SignalfxPlan.QUICK_TIMING), options.bootstrap()) :
            SignalfxPlan.full(options.timing(SignalfxPlan.FULL_FIRST_TIMING), options.timing(SignalfxPlan.FULL_TIMING),
                options.bootstrap());
        final LiveRun run = new LiveRun(SignalfxScenario.NAME, options);
        run.run(plan.totalSeconds(options.json() != null), plan.settings(), columns(), (bootstrap, brokerPid) ->
            new SignalfxScenario(plan, bootstrap, brokerPid, options.json(), run::say).run());
        return CommandLine.ExitCode.OK;
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
