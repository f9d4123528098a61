// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.tools.CommandOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The command {@code odradek matrix}. Exit code 0 means that every version passed.
 */
@Command(name = "matrix", sortOptions = false,
    description = "Read from and publish to real brokers of many Kafka versions, which Maven downloads.")
public final class MatrixCommand implements Callable<Integer>
{
    private static final String DEFAULT_VERSIONS =
        "0.11.0.3,1.0.2,1.1.1,2.0.1,2.1.1,2.4.1,2.8.2,3.3.2,3.9.2,4.0.2,4.2.1,4.4.0";

    @Mixin
    private CommandOptions options;

    @Option(names = "--versions", paramLabel = "V", split = ",", defaultValue = DEFAULT_VERSIONS,
        description = "Versions, separated by commas (default: ${DEFAULT-VALUE}).")
    private List<String> versions;

    @Option(names = "--record",
        description = "Write the results to docs/results/matrix.json and the table into docs/platforms.md.")
    private boolean record;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}", hidden = true)
    private Path home;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final List<KafkaVersion> wanted =
            options.checked(() -> versions.stream().map(KafkaVersion::of).toList());
        final PrintWriter out = options.out();
        final List<ObjectNode> rows = new ArrayList<>();
        for (final KafkaVersion version : wanted)
        {
            final SmokeReading.Tally tally = run(version);
            rows.add(MatrixDocs.row(version, tally));
            out.println("Kafka " + version + ": " + tally.records + " records in " + tally.readings + " readings, " +
                tally.lost + " lost, " + tally.repeated + " repeated, " + tally.wrong + " wrong, " +
                tally.published + " published");
            tally.problems.forEach((problem) -> out.println("  " + problem));
            out.flush();
        }
        if (record)
        {
            new MatrixDocs(home).record(rows);
        }
        out.println();
        out.print(MatrixDocs.table(rows).toText());
        out.flush();
        return rows.stream().allMatch(MatrixDocs::isPassed) ? 0 : 1;
    }

    private SmokeReading.Tally run(final KafkaVersion version) throws IOException, InterruptedException
    {
        final String classPath =
            BrokerClassPath.resolve(version, VersionFiles.folder(home));
        try (VersionedBroker broker = new VersionedBroker(version, classPath))
        {
            return new SmokeSuite(version, broker).run();
        }
        catch (final IllegalStateException ex)
        {
            final SmokeReading.Tally tally = new SmokeReading.Tally();
            tally.problems.add(ex.getMessage());
            return tally;
        }
    }
}
