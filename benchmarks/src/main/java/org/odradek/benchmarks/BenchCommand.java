// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks;

import org.odradek.benchmarks.chain.ChainScenario;
import org.odradek.benchmarks.jmh.JmhScenario;
import org.odradek.benchmarks.scenarios.Budget;
import org.odradek.benchmarks.scenarios.Catchup;
import org.odradek.benchmarks.scenarios.Cores;
import org.odradek.benchmarks.scenarios.Demo;
import org.odradek.benchmarks.scenarios.Flink;
import org.odradek.benchmarks.scenarios.Groups;
import org.odradek.benchmarks.scenarios.Idle;
import org.odradek.benchmarks.scenarios.Latency;
import org.odradek.benchmarks.scenarios.Many;
import org.odradek.benchmarks.scenarios.Migration;
import org.odradek.benchmarks.scenarios.Partitions;
import org.odradek.benchmarks.scenarios.Signalfx;
import org.odradek.benchmarks.scenarios.Sle;
import org.odradek.benchmarks.scenarios.Sweep;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code odradek bench SCENARIO}. Exit code 0 means done, 1 means the run failed, 2 means it was called wrongly; the
 * last line of output says which in words.
 */
@Command(
    name = "bench",
    description = "Measures our consumer against its rivals, each in a JVM of its own.",
    mixinStandardHelpOptions = true,
    subcommands = {
        AllCommand.class,
        Demo.class,
        Signalfx.class,
        Budget.class,
        Sweep.class,
        Idle.class,
        Catchup.class,
        Latency.class,
        ChainScenario.class,
        Sle.class,
        JmhScenario.class,
        Groups.class,
        Many.class,
        Cores.class,
        Flink.class,
        Partitions.class,
        Migration.class,
        ReportCommand.class})
public final class BenchCommand implements Runnable
{
    @Spec
    private CommandSpec spec;

    /**
     * @param args the scenario and its options.
     */
    public static void main(final String[] args)
    {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine()
    {
        return withHandlers(new CommandLine(new BenchCommand()));
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

    @Override
    public void run()
    {
        throw new ParameterException(spec.commandLine(), "name a scenario: " +
            String.join(", ", spec.subcommands().keySet()) + ".");
    }
}
