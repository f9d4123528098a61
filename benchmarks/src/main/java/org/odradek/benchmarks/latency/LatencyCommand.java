// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.live.LiveOptions;
import org.odradek.benchmarks.live.LiveRun;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.report.OptionCheck;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * {@code bench latency}: its options and its table.
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
        final LatencyPlan plan = plan();
        final LiveRun run = new LiveRun(LatencyScenario.NAME, options);
        run.run(plan.totalSeconds(), plan.settings(), columns(), (bootstrap, brokerPid) ->
            new LatencyScenario(plan, bootstrap, brokerPid, options.json(), run::say).run());
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

    private static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(LatencyScenario.P50, "p50 us");
        columns.put(LatencyScenario.P99, "p99 us");
        columns.put("latencyP999Us", "p99.9 us");
        columns.put("latencyP9999Us", "p99.99 us");
        columns.put("latencyMaxUs", "worst us");
        columns.put(LatencyScenario.P50 + LiveRows.TO_BARE_LOOP, "p50 to bare loop");
        columns.put(LatencyScenario.P99 + LiveRows.TO_BARE_LOOP, "p99 to bare loop");
        columns.put(LatencyScenario.P50 + LiveRows.TO_STOCK, "p50 to stock");
        columns.put(LatencyScenario.P99 + LiveRows.TO_STOCK, "p99 to stock");
        columns.put(LiveRows.THREAD_CPU, "thread CPU %");
        return columns;
    }

    private void checkRates()
    {
        final OptionCheck check = new OptionCheck(spec);
        for (final int rate : rates == null ? List.<Integer>of() : rates)
        {
            check.that(rate >= 1 && rate <= HIGHEST_RATE,
                "--rates must be between 1 and " + HIGHEST_RATE + ", not " + rate + ".");
        }
    }
}
