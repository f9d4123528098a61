// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.odradek.protocol.PrintableText;
import org.odradek.tools.broker.BrokerCommand;
import org.odradek.tools.doctor.DoctorCommand;
import org.odradek.tools.reading.PerfCommand;
import org.odradek.tools.reading.ReplayCommand;
import org.odradek.tools.reading.TailCommand;
import org.odradek.tools.status.GroupsCommand;
import org.odradek.tools.status.PrometheusCommand;
import org.odradek.tools.status.StatusCommands;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The root of the commands that a user runs, except {@code bench} and {@code demo}, which are in the module of the
 * benchmarks.
 */
@Command(name = "odradek", description = "A Kafka consumer for the JVM that allocates nothing while it runs.",
    subcommands = {BrokerCommand.class, TailCommand.class, PerfCommand.class, ReplayCommand.class, DoctorCommand.class,
        StatusCommands.Stat.class, StatusCommands.Lag.class, StatusCommands.Errors.class,
        PrometheusCommand.class, GroupsCommand.class, HelpCommand.class})
public final class OdradekCommand
{
    private OdradekCommand()
    {
    }

    /**
     * Runs a command and exits with its exit code: 0 for success, 1 for failure, 2 for wrong use.
     *
     * @param args the command and its options.
     */
    public static void main(final String[] args)
    {
        System.exit(commandLine().execute(args));
    }

    /** @param more commands, which are run and refused in the same way. */
    public static CommandLine commandLine(final Object... more)
    {
        final CommandLine commandLine = new CommandLine(new OdradekCommand());
        for (final Object command : more)
        {
            commandLine.addSubcommand(command);
        }
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setParameterExceptionHandler((ex, args) -> refuse(ex));
        commandLine.setExecutionExceptionHandler((ex, failed, parsed) ->
        {
            failed.getErr().println(sentence(ex));
            return 1;
        });
        return commandLine;
    }

    /** Two lines, because all options of a command would scroll the first of them away. */
    private static int refuse(final ParameterException ex)
    {
        final CommandLine refused = ex.getCommandLine();
        final String name = refused.getCommandSpec().qualifiedName();
        final boolean isUnknownCommand = refused.getParent() == null && ex instanceof UnmatchedArgumentException;
        refused.getErr().println(name + ": " + (isUnknownCommand ?
            "there is no command " + PrintableText.of(((UnmatchedArgumentException)ex).getUnmatched().get(0)) + "." :
            sentence(ex)));
        refused.getErr().println(refused.getParent() == null ?
            "'odradek help' lists the commands." : "'" + name + " --help' lists the options.");
        return CommandLine.ExitCode.USAGE;
    }

    private static String sentence(final Throwable cause)
    {
        return PrintableText.of(cause.getMessage() == null ? cause.toString() : cause.getMessage(),
            PrintableText.MAX_SENTENCE_LENGTH);
    }
}
