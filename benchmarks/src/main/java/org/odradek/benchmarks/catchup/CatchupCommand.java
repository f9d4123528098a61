/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.testkit.BrokerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.nio.file.Files;
import java.nio.file.Path;
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
    @Spec
    private CommandSpec spec;

    @Option(names = "--sizes", split = ",", defaultValue = "23,100,1000", paramLabel = "BYTES",
        description = "Lengths of a value, a topic for each (default: ${DEFAULT-VALUE}).")
    private List<Integer> sizes;

    @Option(names = "--passes", defaultValue = "5", paramLabel = "N",
        description = "Measured passes of each client over each topic (default: ${DEFAULT-VALUE}).")
    private int passes;

    @Option(names = "--quick", description = "A tenth of the records: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster instead of a broker of its own.")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there as well.")
    private Path json;

    private final List<ArmKind> arms;

    /**
     * {@code bench catchup}.
     */
    public CatchupCommand()
    {
        this(ArmKind.CATCHUP);
    }

    private CatchupCommand(final List<ArmKind> arms)
    {
        this.arms = arms;
    }

    /**
     * {@code bench migration}: the same, of the two ways on for a program that was written for SimpleConsumer.
     *
     * @return the command.
     */
    public static CommandLine migration()
    {
        final CommandLine commandLine = new CommandLine(new CatchupCommand(ArmKind.MIGRATION));
        commandLine.getCommandSpec().name("migration").usageMessage().description(
            "Reads prefilled partitions as fast as one thread can: ours, and the SimpleConsumer facade over it.");
        return commandLine;
    }

    @Override
    public Integer call() throws Exception
    {
        checkOptions();
        final long startNs = System.nanoTime();
        final CatchupPlan plan = new CatchupPlan(spec.name(), arms, sizes, passes, CatchupPlan.WARM_UP_PASSES,
            isQuick ? CatchupPlan.QUICK_BYTES_PER_TOPIC : CatchupPlan.FULL_BYTES_PER_TOPIC, bootstrap);
        final List<Row> rows = bootstrap == null ? runOnOwnBroker(plan) : run(plan, bootstrap);

        System.out.println();
        System.out.print(CatchupTable.format(rows));
        System.out.println();
        if (json != null)
        {
            new Report(Environment.describe(plan.settings()), rows).writeTo(json);
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (json == null ? "" : ", results in " + json));
        return CommandLine.ExitCode.OK;
    }

    private List<Row> runOnOwnBroker(final CatchupPlan plan) throws Exception
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return run(plan, broker.bootstrapServers());
        }
    }

    private List<Row> run(final CatchupPlan plan, final String bootstrap) throws Exception
    {
        return new CatchupScenario(plan, bootstrap, this::say).run();
    }

    private void say(final String line)
    {
        System.out.println(spec.name() + ": " + line);
    }

    private void checkOptions()
    {
        for (final int size : sizes)
        {
            check(size >= ThreeLongs.SMALLEST_VALUE && size <= CatchupPlan.LARGEST_VALUE,
                "--sizes must be between " + ThreeLongs.SMALLEST_VALUE + ", to hold three longs, and " +
                CatchupPlan.LARGEST_VALUE + ", to fit into a batch, not " + size + ".");
        }
        check(passes >= 1, "--passes must be at least 1, not " + passes + ".");
        check(bootstrap == null || bootstrap.matches("[^:,]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+]:[0-9]{1,5}"),
            "--bootstrap must be HOST:PORT, not " + bootstrap + ".");
        check(json == null || !Files.isDirectory(json), "--json must be a file, not the folder " + json + ".");
        check(json == null || Files.isWritable(json.toAbsolutePath().getParent()),
            "--json must be in a folder that can be written to, not at " + json + ".");
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
