// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.broker;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.tools.OdradekCommand;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs the command in a JVM of its own, and then the commands that it prints. */
class BrokerCommandIT
{
    private static final long AWAIT_MS = 120_000;

    @TempDir
    private Path folder;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Test
    void shouldServeTheCommandsThatItPrints()
    {
        serve();
    }

    @Tag("slow")
    @Test
    void shouldServeTheCommandsThatItPrintsForASecuredBroker() throws IOException
    {
        serve("--secured");
        // The file has a password.
        assertEquals("rw-------",
            PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("client.properties"))));
    }

    private void serve(final String... options)
    {
        final Path config = folder.resolve("client.properties");
        final List<String> args =
            new ArrayList<>(List.of("broker", "--config", config.toString(), "--rate", "20000"));
        Collections.addAll(args, options);
        try (JavaProcess broker = command(args))
        {
            Await.until("three commands", AWAIT_MS, () -> printed().size() == 3);
            for (final String line : printed())
            {
                final List<String> command = List.of(line.replaceAll(" --format '.*'", "").split(" "));
                try (JavaProcess process = command(command))
                {
                    assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
                }
            }
            assertTrue(lines.stream().filter((line) -> line.startsWith("temperature ")).count() > 10, lines::toString);

            assertTrue(ProcessHandle.of(broker.pid()).orElseThrow().destroy());
            assertEquals(143, broker.exitCode(60, TimeUnit.SECONDS), broker::outputTail);
        }
        assertTrue(lines.contains("The broker has ended."), lines::toString);
    }

    private List<String> printed()
    {
        return lines.stream().filter((line) -> line.startsWith("  ./odradek "))
            .map((line) -> line.substring("  ./odradek ".length())).toList();
    }

    private JavaProcess command(final List<String> args)
    {
        return JavaProcess.of(OdradekCommand.class).startingQuickly()
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args(args.toArray(new String[0])).onStdout(lines::add).start();
    }

    @Test
    void shouldReportInOneSentenceThatTheFileCannotBeWritten()
    {
        final Path config = folder.resolve("none/client.properties");

        try (JavaProcess broker = JavaProcess.of(OdradekCommand.class).startingQuickly()
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args("broker", "--config", config.toString()).onStderr(lines::add).start())
        {
            assertEquals(1, broker.exitCode(120, TimeUnit.SECONDS), broker::outputTail);
        }
        assertTrue(lines.contains("--config " + config + " cannot be written: java.nio.file.NoSuchFileException: " +
            config), lines::toString);
    }

    @Test
    void shouldNotReplaceAFileOfTheUser() throws IOException
    {
        final Path config = Files.writeString(folder.resolve("mine.properties"), "client.id=mine\n");
        final StringWriter err = new StringWriter();

        assertEquals(2, new CommandLine(new BrokerCommand()).setErr(new PrintWriter(err, true))
            .execute("--config", config.toString()));

        assertTrue(err.toString().startsWith(
            "--config " + config + " exists, and this command has not written it: name another file."), err.toString());
        assertEquals("client.id=mine\n", Files.readString(config));
    }
}
