// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.odradek.tools.CommandOptions;
import org.odradek.tools.numbers.ReadmeNumbers;
import org.odradek.tools.numbers.ResultTables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

/**
 * The command {@code odradek demo}. Exit code 0 means that both clients read all records and that ours allocated
 * nothing.
 */
@Command(name = "demo", sortOptions = false,
    description = "Consume a live topic with our consumer and with the stock one, and compare their costs.")
public final class DemoCommand implements Callable<Integer>
{
    private static final int MAX_RECORDS_PER_SECOND = 100_000;
    private static final int MAX_SECONDS = 86_400;
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^:,\\s]+:\\d{1,5}|\\[[0-9a-fA-F:]+]:\\d{1,5}");

    @Mixin
    private CommandOptions options;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "5000",
        description = "Records produced per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "60",
        description = "How long each client is measured, after 20 s of warm-up (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use a temporary topic of this cluster (default: start a broker).")
    private String bootstrap;

    @Option(names = "--secure", description = "Connect both clients with TLS and SCRAM-SHA-512 to the demo's broker.")
    private boolean secure;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the result to this file.")
    private Path json;

    @Option(names = "--record",
        description = "Write the result to docs/results/demo.json and its figures into README.md.")
    private boolean record;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}", hidden = true)
    private Path home;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        options.checkRange("--rate", rate, 1, MAX_RECORDS_PER_SECOND);
        options.checkRange("--seconds", seconds, 1, MAX_SECONDS);
        options.check(
            bootstrap == null || HOST_AND_PORT.matcher(bootstrap).matches(), "--bootstrap must be HOST:PORT.");

        options.check(!secure || bootstrap == null && !record,
            "--secure starts its own broker, and its figures are not for the README: leave out --bootstrap and " +
            "--record.");

        final PrintWriter out = options.out();
        final Screen screen = new Screen(out, Boolean.getBoolean("odradek.terminal"));
        final DemoResult result = new Demo(DemoResult.Plan.of(rate, seconds, bootstrap, secure), screen).run();
        out.println();
        out.print(ResultTables.demo(result.toJson()).toText());
        out.println();
        out.flush();
        if (json != null)
        {
            result.writeTo(json);
        }
        if (result.ours().allocatedBytes() != 0)
        {
            options.err().println("Our polling thread allocated " + result.ours().allocatedBytes() +
                " bytes after warm-up; it should have allocated 0.");
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
}
