// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.odradek.benchmarks.chain.ChainScenario;
import org.odradek.benchmarks.jmh.JmhScenario;
import org.odradek.benchmarks.produce.ProduceScenario;
import org.odradek.benchmarks.report.HtmlReport;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.scenarios.Budget;
import org.odradek.benchmarks.scenarios.Catchup;
import org.odradek.benchmarks.scenarios.Demo;
import org.odradek.benchmarks.scenarios.Distance;
import org.odradek.benchmarks.scenarios.Flink;
import org.odradek.benchmarks.scenarios.Groups;
import org.odradek.benchmarks.scenarios.Latency;
import org.odradek.benchmarks.scenarios.Partitions;
import org.odradek.benchmarks.scenarios.Signalfx;
import org.odradek.benchmarks.scenarios.Sle;
import org.odradek.benchmarks.workers.WorkersScenario;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code odradek bench SCENARIO}. Exit code 0 is done, 1 the run failed, 2 called wrongly: the last line says it. */
@Command(name = "bench", mixinStandardHelpOptions = true,
    description = "Measures our consumer against its rivals, each in a JVM of its own.",
    subcommands = {AllCommand.class, Demo.class, Signalfx.class, Budget.class, Budget.Sweep.class,
        Signalfx.Idle.class, Catchup.class, Latency.class, ChainScenario.class, ProduceScenario.class,
        WorkersScenario.class, Sle.class, JmhScenario.class, Groups.class, Signalfx.Many.class, Catchup.Cores.class,
        Distance.class, Flink.class, Partitions.class, Catchup.Migration.class, DriftCommand.class})
public final class BenchCommand implements Runnable
{
    @Spec
    private CommandSpec spec;

    /** @param args the scenario and its options. */
    public static void main(final String[] args)
    {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine()
    {
        return withHandlers(new CommandLine(new BenchCommand()).setCommandName("odradek bench"));
    }

    static CommandLine withHandlers(final CommandLine scenarios)
    {
        return scenarios
            .setParameterExceptionHandler((ex, args) ->
            {
                ex.getCommandLine().getErr().println(ex.getCommandLine().getCommandName() + ": " + ex.getMessage());
                return CommandLine.ExitCode.USAGE;
            })
            .setExecutionExceptionHandler((ex, commandLine, result) ->
            {
                ex.printStackTrace(commandLine.getErr());
                final String firstLine = String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
                commandLine.getErr().println(commandLine.getCommandName() + ": failed: " + firstLine);
                return CommandLine.ExitCode.SOFTWARE;
            });
    }

    @Command(name = "report",
        description = "Makes one page of HTML, readable without a network, from what scenarios wrote with --json.",
        mixinStandardHelpOptions = true, sortOptions = false)
    int report(
        @Parameters(arity = "1..*", paramLabel = "JSON", description = "Results, shown in this order.")
        final List<Path> files,
        @Option(names = "--html", required = true, paramLabel = "FILE", description = "The page to write.")
        final Path html,
        @Option(names = "--aims", paramLabel = "FILE", description = "Write the verdicts on the aims there, as JSON.")
        final Path aims) throws IOException
    {
        final OptionCheck check = new OptionCheck(spec.subcommands().get("report").getCommandSpec());
        check.readable(files).writable("--html", html).writable("--aims", aims);
        HtmlReport.write(files, html, aims);
        System.out.println("report: written to " + html);
        return CommandLine.ExitCode.OK;
    }

    @Override
    public void run()
    {
        throw new ParameterException(spec.commandLine(), "name a scenario: " +
            String.join(", ", spec.subcommands().keySet()) + ".");
    }
}
