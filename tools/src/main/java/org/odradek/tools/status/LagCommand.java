// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.odradek.consumer.status.CountersFileReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * {@code odradek lag FILE}: how far each partition is.
 */
@Command(name = "lag", description = "Show how far each partition of a consumer of another process is.")
public final class LagCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "What the consumer was given as countersFile.")
    private Path path;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call()
    {
        final CountersFileReader file = CountersFileReader.open(path);
        final PrintWriter out = spec.commandLine().getOut();
        out.println(StatusText.state(file, System.currentTimeMillis()));
        out.println();
        out.print(StatusText.lags(file));
        out.flush();
        return 0;
    }
}
