// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification;

import org.odradek.tools.OdradekCommand;
import org.odradek.verification.chaos.ChaosCommand;
import org.odradek.verification.chaos.SoakCommand;
import org.odradek.verification.matrix.MatrixCommand;
import org.odradek.verification.numbers.NumbersCommand;
import picocli.CommandLine;

/** Runs the commands that verify Odradek itself. */
public final class VerificationCommand
{
    private VerificationCommand()
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

    static CommandLine commandLine()
    {
        return OdradekCommand.commandLine(
            new ChaosCommand(), new SoakCommand(), new MatrixCommand(), new NumbersCommand());
    }
}
