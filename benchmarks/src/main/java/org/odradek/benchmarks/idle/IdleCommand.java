// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.idle;

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
 * {@code bench idle}: its options and its table.
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
        final IdlePlan plan = options.isQuick() ?
            IdlePlan.quick(options.timing(IdlePlan.QUICK_TIMING), options.bootstrap()) :
            IdlePlan.full(options.timing(IdlePlan.FULL_TIMING), options.bootstrap());
        final LiveRun run = new LiveRun(IdleScenario.NAME, options);
        run.run(plan.totalSeconds(), plan.settings(), columns(), (bootstrap, brokerPid) ->
            new IdleScenario(plan, bootstrap, brokerPid, run::say).run());
        return CommandLine.ExitCode.OK;
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
