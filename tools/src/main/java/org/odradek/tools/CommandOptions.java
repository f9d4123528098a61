// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The option {@code --help} of a command, its output streams, and the checks of its other options.
 */
public final class CommandOptions
{
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = {"-h", "--help"}, usageHelp = true, order = Integer.MAX_VALUE, description = "Show this help.")
    private boolean help;

    /** Returns true if the launch script has found that standard output is a terminal. */
    public static boolean isTerminal()
    {
        return Boolean.getBoolean("odradek.terminal");
    }

    /**
     * Returns true unless standard output is known to be no terminal: the launch script says so, or it is a file.
     * Without the script, a pipe counts as a terminal.
     */
    public static boolean mayBeTerminal()
    {
        return !"false".equals(System.getProperty("odradek.terminal")) && !isFile();
    }

    /** Returns true if standard output is a file, to which everything must be written. */
    public static boolean isFile()
    {
        return Files.isRegularFile(Path.of("/dev/stdout"));
    }

    public PrintWriter out()
    {
        return command.commandLine().getOut();
    }

    public PrintWriter err()
    {
        return command.commandLine().getErr();
    }

    /**
     * Ends the command as wrong use unless the condition holds.
     *
     * @param isRight  the condition.
     * @param sentence that says which value is allowed.
     */
    public void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(command.commandLine(), sentence);
        }
    }

    /** Ends the command as wrong use unless the value of the option is in the range, whose ends are allowed. */
    public void checkRange(final String option, final long value, final long min, final long max)
    {
        check(value >= min && value <= max, option + " must be " + min + " to " + max + ".");
    }

    /**
     * As {@link #checked(Supplier)}, with the name of the option before the sentence.
     *
     * @param option that the value is computed from.
     */
    public <T> T checked(final String option, final Supplier<T> value)
    {
        return valueOf(value, option + ": ");
    }

    /**
     * @param value to compute from options.
     * @param <T>   its type.
     * @return the value. An IllegalArgumentException ends the command as wrong use.
     */
    public <T> T checked(final Supplier<T> value)
    {
        return valueOf(value, "");
    }

    private <T> T valueOf(final Supplier<T> value, final String prefix)
    {
        try
        {
            return value.get();
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(command.commandLine(), prefix + ex.getMessage(), ex);
        }
    }
}
