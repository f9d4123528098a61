// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.BenchCommand;
import org.odradek.benchmarks.rig.Child;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JavaProcessBuilder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The demo, as a command in a child JVM.
 */
@Tag("slow")
@Timeout(1_000)
class DemoIT
{
    private static final List<String> FIELDS = List.of("recordsPerSecond", "threadCpuPercent", "processCpuPercent",
        "allocatedBytes", "gcCount", "fetchesPerSecond", "latencyP50Us", "latencyP99Us");

    private static final List<String> CLIENTS = List.of("odradek", "odradek-2ms", "stock-defaults", "stock-tuned-2ms");

    private final Queue<String> errors = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path folder;

    /** A compiler that is still busy may make the JVM charge the polling thread with a few bytes: then it says so. */
    @Test
    void shouldShowTheFiguresOfEveryClientAndAPage() throws Exception
    {
        final Path json = folder.resolve("demo.json");
        final Path html = folder.resolve("demo.html");
        final List<String> lines = new ArrayList<>();
        final int exitCode;
        try (JavaProcess demo = demo("--quick", "--secure", "--backlog", "1000000", "--json", json.toString(),
            "--html", html.toString()).onStdout(lines::add).start())
        {
            exitCode = demo.exitCode(900, TimeUnit.SECONDS);
            assertEquals("demo: the page with the charts is " + html, lines.get(lines.size() - 2), demo.outputTail());
        }
        for (final String client : CLIENTS)
        {
            assertTrue(lines.stream().anyMatch((line) -> line.startsWith("demo: " + client + ", second 3 of 3: CPU ")));
        }
        assertFigures(json);
        final JsonNode rows = new ObjectMapper().readTree(json.toFile()).path("rows");
        final boolean isZero =
            figure(rows, "odradek", "allocatedBytes") + figure(rows, "odradek-2ms", "allocatedBytes") == 0;
        assertEquals(isZero ? 0 : 1, exitCode);
        final String last = lines.get(lines.size() - 1);
        assertEquals(isZero, last.startsWith("demo: Ours read every record and allocated nothing"), last);
        assertEquals(!isZero, last.contains("which should be 0"), last);
        final String page = Files.readString(html);
        assertTrue(page.contains(isZero ? "Ours read every record" : "which should be 0") && !page.contains("{{"));
    }

    private void assertFigures(final Path json) throws IOException
    {
        final List<String> missing = new ArrayList<>();
        final JsonNode rows = new ObjectMapper().readTree(json.toFile()).path("rows");
        for (final String client : CLIENTS)
        {
            for (final String field : FIELDS)
            {
                final double figure = figure(rows, client, field);
                if (!(field.equals("gcCount") || field.equals("allocatedBytes") ? figure >= 0 : figure > 0))
                {
                    missing.add(client + " " + field + " " + figure);
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(figure(rows, "stock-tuned-2ms", "allocatedBytes") > 0);
        assertEquals(List.of(), List.copyOf(errors), "No JVM of the demo has anything to warn of.");
    }

    private static double figure(final JsonNode rows, final String client, final String metric)
    {
        for (final JsonNode row : rows)
        {
            if (row.path("client").asText().equals(client) && row.path("metric").asText().equals(metric))
            {
                return row.path("median").asDouble();
            }
        }
        return Double.NaN;
    }

    @Test
    void shouldLeaveNoFilesOrProcessesWhenInterrupted() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start();
            JavaProcess demo = demo("--quick", "--bootstrap", broker.bootstrapServers()).start())
        {
            Await.until("the demo's producer and clients run",
                () -> demo.isAlive() && children(demo).size() >= 5 && !topics(broker).isEmpty());
            final List<ProcessHandle> children = children(demo);

            demo.terminate();

            assertEquals(143, demo.exitCode(30, TimeUnit.SECONDS), demo.outputTail());
            Await.until("its children have ended", () -> children.stream().noneMatch(ProcessHandle::isAlive));
            assertEquals(Set.of(), topics(broker));
            try (Stream<Path> files = Files.list(folder))
            {
                assertEquals(List.of(), files.map((file) -> file.getFileName().toString()).toList());
            }
        }
    }

    private JavaProcessBuilder demo(final String... options)
    {
        return JavaProcess.of(BenchCommand.class)
            .flags("-Djava.io.tmpdir=" + folder, "-XX:-UsePerfData", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
            "-D" + Child.Jvm.FLAGS_PROPERTY + "=-XX:TieredStopAtLevel=1")
            .args("demo")
            .args(options)
            .onStderr(errors::add);
    }

    private static List<ProcessHandle> children(final JavaProcess demo)
    {
        return ProcessHandle.of(demo.pid()).orElseThrow().children().toList();
    }

    private static Set<String> topics(final EmbeddedBroker broker)
    {
        try
        {
            return broker.admin().listTopics().names().get();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
