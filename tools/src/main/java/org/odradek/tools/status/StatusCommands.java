// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.tools.CommandOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The commands {@code stat}, {@code lag} and {@code errors}. Each reads the counters file of a consumer or publisher.
 */
public final class StatusCommands
{
    private static final String FILE = "The countersFile of the consumer or publisher.";
    private static final String CLEAR = "\033[H\033[2J";
    private static final long NS_PER_MS = 1_000_000;
    private static final double NS_PER_SECOND = 1e9;

    private StatusCommands()
    {
    }

    private static void print(final PrintWriter out, final CountersFileReader file, final String text)
    {
        out.println(StatusText.state(file, System.currentTimeMillis()));
        out.println();
        out.print(text);
        out.flush();
    }

    /**
     * The command {@code odradek lag FILE}.
     */
    @Command(name = "lag", description = "Show the lag of each partition of a consumer of another process.")
    public static final class Lag implements Callable<Integer>
    {
        @Mixin
        private CommandOptions options;

        @Parameters(paramLabel = "FILE", description = FILE)
        private Path path;

        @Override
        public Integer call()
        {
            final CountersFileReader file = CountersFileReader.open(path);
            if (file.kind() != ClientKind.CONSUMER)
            {
                throw new IllegalArgumentException(path + " is the counters file of a " + file.kind() +
                    ", which has no lag");
            }
            print(options.out(), file, StatusText.lags(file));
            return 0;
        }
    }

    /**
     * The command {@code odradek errors FILE}.
     */
    @Command(name = "errors", description = "Show the distinct errors of a consumer or publisher of another process.")
    public static final class Errors implements Callable<Integer>
    {
        @Mixin
        private CommandOptions options;

        @Parameters(paramLabel = "FILE", description = FILE)
        private Path path;

        @Override
        public Integer call()
        {
            final CountersFileReader file = CountersFileReader.open(path);
            print(options.out(), file, StatusText.errors(file));
            return 0;
        }
    }

    /**
     * The command {@code odradek stat FILE}, which shows all counters, once or repeatedly.
     */
    @Command(name = "stat", sortOptions = false,
        description = "Show the counters of a consumer or publisher of another process, from its counters file.")
    public static final class Stat implements Callable<Integer>
    {
        @Mixin
        private CommandOptions options;

        @Parameters(paramLabel = "FILE", description = FILE)
        private Path path;

        @Option(names = "--watch", description = "Repeat, with rates, until the client has ended.")
        private boolean watch;

        @Option(names = "--interval", paramLabel = "MS", defaultValue = "1000",
            description = "Milliseconds between two repetitions (default: ${DEFAULT-VALUE}).")
        private int intervalMs;

        @Override
        public Integer call() throws InterruptedException
        {
            options.check(intervalMs >= 1, "--interval must be 1 or more.");
            final CountersFileReader file = CountersFileReader.open(path);
            final boolean isConsumer = file.kind() == ClientKind.CONSUMER;
            List<ShownCounter> before = null;
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
                final List<ShownCounter> counters = ShownCounter.of(file);
                if (watch && CommandOptions.isTerminal())
                {
                    options.out().print(CLEAR);
                }
                print(options.out(), file, StatusText.counters(counters, before, (nowNs - beforeNs) / NS_PER_SECOND) +
                    System.lineSeparator() +
                    (isConsumer ? StatusText.lags(file) + System.lineSeparator() : ""));
                before = counters;
                beforeNs = nowNs;
            }
            // A reader that has ended (stat --watch | head) is shown by the stream only.
            while (!isLast && !System.out.checkError());
            return 0;
        }
    }
}
