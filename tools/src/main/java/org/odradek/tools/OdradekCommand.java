// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.odradek.tools.chaos.ChaosCommand;
import org.odradek.tools.demo.DemoCommand;
import org.odradek.tools.doctor.DoctorCommand;
import org.odradek.tools.matrix.MatrixCommand;
import org.odradek.tools.numbers.NumbersCommand;
import org.odradek.tools.perf.PerfCommand;
import org.odradek.tools.status.ErrorsCommand;
import org.odradek.tools.status.LagCommand;
import org.odradek.tools.status.StatCommand;
import org.odradek.tools.tail.ReplayCommand;
import org.odradek.tools.tail.TailCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The root of every command but {@code bench}, which brings the rivals and lives in its own module.
 */
@Command(name = "odradek", description = "A Kafka consumer for the JVM that allocates nothing while it runs.",
    subcommands = {DemoCommand.class, TailCommand.class, PerfCommand.class, ReplayCommand.class, DoctorCommand.class,
        StatCommand.class, LagCommand.class, ErrorsCommand.class, ChaosCommand.class, MatrixCommand.class,
        NumbersCommand.class, HelpCommand.class})
public final class OdradekCommand
{
    private OdradekCommand()
    {
    }

    /**
     * Runs a command and exits with its code: 0 done, 1 failed, 2 wrong use.
     *
     * @param args the command and its options.
     */
    public static void main(final String[] args)
    {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine()
    {
        final CommandLine commandLine = new CommandLine(new OdradekCommand())
            .setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler((ex, failed, parsed) ->
        {
            failed.getErr().println(sentence(ex));
            return 1;
        });
        return commandLine;
    }

    private static String sentence(final Throwable cause)
    {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
