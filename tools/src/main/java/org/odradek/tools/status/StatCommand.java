// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.odradek.consumer.status.CountersFileReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * {@code odradek stat FILE}: every counter of a consumer, once or again and again.
 */
@Command(name = "stat", sortOptions = false,
    description = "Show the counters of a consumer of another process, from its counters file.")
public final class StatCommand implements Callable<Integer>
{
    private static final String CLEAR = "\033[H\033[2J";
    private static final long NS_PER_MS = 1_000_000;
    private static final double NS_PER_SECOND = 1e9;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "What the consumer was given as countersFile.")
    private Path path;

    @Option(names = "--watch", description = "Show them again and again, with rates, until the consumer has ended.")
    private boolean watch;

    @Option(names = "--interval", paramLabel = "MS", defaultValue = "1000",
        description = "Milliseconds between two looks (default: ${DEFAULT-VALUE}).")
    private int intervalMs;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call() throws InterruptedException
    {
        if (intervalMs < 1)
        {
            throw new ParameterException(spec.commandLine(), "--interval must be 1 or more.");
        }
        final CountersFileReader file = CountersFileReader.open(path);
        long[] before = null;
        long beforeNs = 0;
        boolean isLast;
        do
        {
            if (before != null)
            {
                Thread.sleep(intervalMs);
            }
            isLast = !watch || !file.isRunning();
            final long nowNs = Math.max(System.nanoTime(), beforeNs + NS_PER_MS);
            final long[] totals = StatusText.totals(file);
            show(file, StatusText.totals(file, totals, before, (nowNs - beforeNs) / NS_PER_SECOND));
            before = totals;
            beforeNs = nowNs;
        }
        while (!isLast);
        return 0;
    }

    private void show(final CountersFileReader file, final String totals)
    {
        final PrintWriter out = spec.commandLine().getOut();
        if (watch && Boolean.getBoolean("odradek.terminal"))
        {
            out.print(CLEAR);
        }
        out.println(StatusText.state(file, System.currentTimeMillis()));
        out.println();
        out.println(totals);
        out.println(StatusText.lags(file));
        out.flush();
    }
}
