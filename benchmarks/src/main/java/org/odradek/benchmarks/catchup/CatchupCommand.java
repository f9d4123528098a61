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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench catchup}: checks its options, provides the cluster, and says how it ended.
 */
@Command(
    name = "catchup",
    description = "Reads prefilled partitions as fast as one thread can: ours, the stock client, the bare loop.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class CatchupCommand implements Callable<Integer>
{
    private static final int MOST_PARTITIONS = 64;
    private static final List<String> CODECS = List.of(CatchupCase.NO_CODEC, "gzip", "snappy", "lz4", "zstd");
    private static final String CRC_ON = "on";
    private static final String CRC_OFF = "off";

    @Spec
    private CommandSpec spec;

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES",
        description = "Lengths of a value. Given this or one of the next three options, every combination of them is " +
            "read, and what is left out is 23,100,1000, 1, none and on; given none of them, the cases of the README.")
    private List<Integer> sizes;

    @Option(names = "--partitions", split = ",", paramLabel = "N", description = "Partitions of the topic, 1 to 64.")
    private List<Integer> partitions;

    @Option(names = "--codecs", split = ",", paramLabel = "CODEC",
        description = "Of the batches: none, gzip, snappy, lz4, zstd.")
    private List<String> codecs;

    @Option(names = "--crc", split = ",", paramLabel = "on|off", description = "Whether clients check CRCs.")
    private List<String> crcs;

    @Option(names = "--passes", paramLabel = "N",
        description = "Measured passes of each client over each topic (default: 5, with --quick 3).")
    private Integer passes;

    @Option(names = "--quick", description = "Fewer cases and a tenth of the records: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster instead of a broker of its own.")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there as well.")
    private Path json;

    @Override
    public Integer call() throws Exception
    {
        checkOptions();
        final long startNs = System.nanoTime();
        final CatchupPlan plan = plan();
        say(plan.cases().size() + " cases, about " + plan.expectedSeconds() + " s");
        final Report report = bootstrap == null ?
            runOnOwnBroker(plan) : run(plan, bootstrap, BrokerCpu.unknown());

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

    private static Report runOnOwnBroker(final CatchupPlan plan) throws Exception
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return run(plan, broker.bootstrapServers(), BrokerCpu.of(broker.pid()));
        }
    }

    private static Report run(final CatchupPlan plan, final String bootstrap, final BrokerCpu brokerCpu)
        throws Exception
    {
        return new CatchupScenario(plan, bootstrap, brokerCpu, CatchupCommand::say).run();
    }

    private CatchupPlan plan()
    {
        final int measuredPasses =
            passes != null ? passes : isQuick ? CatchupPlan.QUICK_PASSES : CatchupPlan.FULL_PASSES;
        return new CatchupPlan(CatchupPlan.CATCHUP, ArmKind.CATCHUP, cases(), measuredPasses,
            CatchupPlan.WARM_UP_PASSES, isQuick ? CatchupPlan.QUICK_BYTES_PER_TOPIC : CatchupPlan.FULL_BYTES_PER_TOPIC,
            bootstrap);
    }

    private List<CatchupCase> cases()
    {
        if (sizes == null && partitions == null && codecs == null && crcs == null)
        {
            return isQuick ? CatchupPlan.quickCases() : CatchupPlan.fullCases();
        }
        final List<CatchupCase> cases = new ArrayList<>();
        for (final int partitionCount : orElse(partitions, List.of(1)))
        {
            for (final String codec : orElse(codecs, List.of(CatchupCase.NO_CODEC)))
            {
                for (final String crc : orElse(crcs, List.of(CRC_ON)))
                {
                    for (final int size : orElse(sizes, List.of(23, 100, 1_000)))
                    {
                        cases.add(new CatchupCase(size, partitionCount, codec, CRC_ON.equals(crc)));
                    }
                }
            }
        }
        return cases;
    }

    private static <T> List<T> orElse(final List<T> given, final List<T> otherwise)
    {
        return given == null ? otherwise : given;
    }

    private static void say(final String line)
    {
        System.out.println("catchup: " + line);
    }

    private void checkOptions()
    {
        final OptionCheck check = new OptionCheck(spec);
        for (final int size : orElse(sizes, List.of()))
        {
            check.that(size >= ThreeLongs.SMALLEST_VALUE && size <= CatchupPlan.LARGEST_VALUE,
                "--sizes must be between " + ThreeLongs.SMALLEST_VALUE + ", to hold three longs, and " +
                CatchupPlan.LARGEST_VALUE + ", to fit into a batch, not " + size + ".");
        }
        for (final int count : orElse(partitions, List.of()))
        {
            check.that(count >= 1 && count <= MOST_PARTITIONS,
                "--partitions must be between 1 and " + MOST_PARTITIONS + ", not " + count + ".");
        }
        for (final String codec : orElse(codecs, List.of()))
        {
            check.that(CODECS.contains(codec),
                "--codecs must be of " + String.join(", ", CODECS) + ", not " + codec + ".");
        }
        for (final String crc : orElse(crcs, List.of()))
        {
            check.that(CRC_ON.equals(crc) || CRC_OFF.equals(crc), "--crc must be on or off, not " + crc + ".");
        }
        check.that(passes == null || passes >= 1, "--passes must be at least 1, not " + passes + ".");
        check.bootstrap(bootstrap).writable("--json", json);
    }
}
