// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.odradek.tools.numbers.DemoNumbers;
import org.odradek.tools.numbers.ReadmeNumbers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/**
 * {@code odradek demo}: checks its options, runs the demo, shows and writes what came out. Exit code 0 says that both
 * clients read all that was produced and that ours allocated nothing.
 */
@Command(name = "demo", sortOptions = false,
    description = "Consume a live topic with ours and with the stock client, and compare what they cost.")
public final class DemoCommand implements Callable<Integer>
{
    private static final int MOST_RECORDS_PER_SECOND = 100_000;
    private static final int MOST_SECONDS = 86_400;
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^:,\\s]+:\\d{1,5}|\\[[0-9a-fA-F:]+]:\\d{1,5}");

    @Spec
    private CommandSpec spec;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "5000",
        description = "Records produced a second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "60",
        description = "Seconds each client is measured, after 20 s of warm-up (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster and a temporary topic there (default: a broker started for the demo).")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result there.")
    private Path json;

    @Option(names = "--record",
        description = "Write the result to docs/results/demo.json and its figures into README.md.")
    private boolean record;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}", hidden = true)
    private Path home;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    private boolean help;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        check(rate >= 1 && rate <= MOST_RECORDS_PER_SECOND, "--rate must be 1 to " + MOST_RECORDS_PER_SECOND + ".");
        check(seconds >= 1 && seconds <= MOST_SECONDS, "--seconds must be 1 to " + MOST_SECONDS + ".");
        check(bootstrap == null || HOST_AND_PORT.matcher(bootstrap).matches(), "--bootstrap must be HOST:PORT.");

        final PrintWriter out = spec.commandLine().getOut();
        final Screen screen = new Screen(out, Boolean.getBoolean("odradek.terminal"));
        final DemoResult result = new Demo(DemoPlan.of(rate, seconds, bootstrap), screen).run();
        out.println();
        out.print(DemoNumbers.table(result.toJson()).toText());
        out.println();
        out.flush();
        if (json != null)
        {
            result.writeTo(json);
        }
        if (result.ours().allocatedBytes() != 0)
        {
            spec.commandLine().getErr().println("Our polling thread allocated " + result.ours().allocatedBytes() +
                " bytes after warm-up, and should have allocated none.");
            return 1;
        }
        if (record)
        {
            final ReadmeNumbers numbers = new ReadmeNumbers(home);
            result.writeTo(numbers.resultFile("demo"));
            numbers.write();
        }
        out.println("Our polling thread allocated 0 bytes; both clients read every record from their first one on.");
        out.flush();
        return 0;
    }

    private void check(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
    }
}
