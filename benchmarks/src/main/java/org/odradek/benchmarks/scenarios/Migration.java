// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench migration}: what {@code bench catchup} reads from one partition, by the two ways on that a program for
 * the old SimpleConsumer has.
 */
@Command(name = Migration.NAME,
    description = "Reads prefilled partitions as fast as one thread can: ours, and the SimpleConsumer facade.")
public final class Migration extends Scenario
{
    static final String NAME = "migration";

    @Option(names = "--passes", defaultValue = "5", paramLabel = "N",
        description = "Measured passes of each over each topic (default: ${DEFAULT-VALUE}).")
    private int passes;

    @Override
    protected void check(final OptionCheck check)
    {
        check.that(passes >= 1, "--passes must be at least 1, not " + passes + ".");
    }

    private CatchupPlan plan()
    {
        return CatchupPlan.of(
            NAME, onChosenJvm(List.of(Arms.ODRADEK, Arms.FACADE)), Catchup.CASES.subList(0, 3), passes, isQuick());
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 90 : 420;
    }

    @Override
    protected Results run() throws Exception
    {
        return runOnOwnBroker(Map.of(), cluster -> new CatchupRun(plan(), cluster, this::say).run());
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(null);
    }

    @Override
    protected List<String> columns()
    {
        return CatchupRun.COLUMNS;
    }
}
