// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Settings;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;

/**
 * {@code bench jmh}: what does a record cost once its bytes are there?
 */
@Command(name = JmhScenario.NAME,
    description = "Reads recorded fetches from memory: our consumer, the stock one, its record sets, the codecs alone.")
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
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 90 : 480;
    }

    @Override
    protected Results run() throws RunnerException
    {
        final Results results = new Results();
        results.rows().addAll(plan().run(this::say));
        return results;
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings();
    }

    @Override
    protected List<String> columns()
    {
        return List.of(Metric.NS_PER_RECORD.key(), Metric.TIMES_OURS.key(), Metric.BYTES_PER_FETCH.key(),
            Metric.GC_BYTES_PER_FETCH.key());
    }
}
