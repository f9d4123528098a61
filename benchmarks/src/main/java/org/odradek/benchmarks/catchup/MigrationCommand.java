// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.report.OptionCheck;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.RowTable;
import org.odradek.testkit.BrokerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench migration}: what {@code bench catchup} reads from one partition, by the two ways on that a program for
 * the old SimpleConsumer has.
 */
@Command(
    name = MigrationCommand.NAME,
    description = "Reads prefilled partitions as fast as one thread can: ours, and the SimpleConsumer facade.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class MigrationCommand implements Callable<Integer>
{
    static final String NAME = "migration";

    @Spec
    private CommandSpec spec;

    @Option(names = "--passes", defaultValue = "5", paramLabel = "N",
        description = "Measured passes of each over each topic (default: ${DEFAULT-VALUE}).")
    private int passes;

    @Option(names = "--quick", description = "A tenth of the records: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there as well.")
    private Path json;

    @Override
    public Integer call() throws Exception
    {
        new OptionCheck(spec).that(passes >= 1, "--passes must be at least 1, not " + passes + ".")
            .writable("--json", json);
        final long startNs = System.nanoTime();
        final CatchupPlan plan = new CatchupPlan(NAME, ArmKind.MIGRATION, CatchupPlan.plainCases(), passes,
            CatchupPlan.WARM_UP_PASSES, isQuick ? CatchupPlan.QUICK_BYTES_PER_TOPIC : CatchupPlan.FULL_BYTES_PER_TOPIC,
            null);
        final Report report;
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            report = new CatchupScenario(
                plan, broker.bootstrapServers(), BrokerCpu.of(broker.pid()), MigrationCommand::say).run();
        }
        System.out.println();
        System.out.print(RowTable.format(report.rows(), CatchupRows.columns()));
        System.out.println();
        if (json != null)
        {
            report.writeTo(json);
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (json == null ? "" : ", results in " + json));
        return CommandLine.ExitCode.OK;
    }

    private static void say(final String line)
    {
        System.out.println(NAME + ": " + line);
    }
}
