// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;

/**
 * {@code bench jmh}: what does a record cost once its bytes are there?
 */
@Command(name = JmhScenario.NAME,
    description = "Reads recorded fetches from memory: our consumer, the stock one, its record sets, the codecs alone.")
@Facts(quickSeconds = 90, seconds = 480,
    columns = {"nsPerRecord", "timesOurs", "bytesPerFetch", "gcBytesPerFetch"})
public final class JmhScenario extends Scenario
{
    static final String NAME = "jmh";

    private JmhPlan plan()
    {
        return isQuick() ? JmhPlan.QUICK : JmhPlan.FULL;
    }

    @Override
    protected void check(final OptionCheck check)
    {
        check.that(jvmSettings() == Settings.NONE, "--jdk25 is for scenarios with clients in JVMs of their own.");
    }

    @Override
    protected Results run() throws RunnerException
    {
        return new Results(plan().run(this::say), List.of(), List.of());
    }

    @Override
    protected Map<String, Object> settings()
    {
        final JmhPlan plan = plan();
        return Environment.ordered(
            "isQuick", isQuick(),
            "forks", plan.forks(),
            "warmUpIterations", plan.warmUpIterations(),
            "warmUpMs", plan.warmUpMs(),
            "iterations", plan.iterations(),
            "iterationMs", plan.iterationMs(),
            "profiler", "gc",
            "jvmFlags", JmhPlan.JVM_FLAGS,
            "batchLength", RecordedBatches.BATCH_LENGTH);
    }
}
