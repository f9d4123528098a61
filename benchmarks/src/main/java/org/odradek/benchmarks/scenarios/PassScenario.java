// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.Map;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.scenarios.CatchupRun.Plan;
import picocli.CommandLine.Option;

/**
 * A scenario on logs that are already there: what a subclass has is its {@link Plan}.
 */
abstract class PassScenario extends Scenario.OnCluster
{
    @Option(names = "--passes", paramLabel = "N",
        description = "Measured passes of each client over each topic (default: 5, with --quick 3; migration: 5).")
    private Integer passes;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.positive("--passes", passes);
    }

    /**
     * @param quick of the quick form.
     * @param full  of the full form.
     * @return the passes of the form, or those that the option says.
     */
    final int passes(final int quick, final int full)
    {
        return passes != null ? passes : isQuick() ? quick : full;
    }

    abstract Plan plan();

    @Override
    protected Results run(final Cluster cluster)
    {
        return new CatchupRun(plan(), cluster, this::say).run();
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(bootstrap());
    }
}
