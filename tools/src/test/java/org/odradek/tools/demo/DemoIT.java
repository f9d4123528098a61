// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.JavaProcess;
import org.odradek.testkit.JavaProcessBuilder;
import org.odradek.tools.OdradekCommand;

import java.nio.file.Files;
import java.nio.file.Path;
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
 * A short demo, as a command in a child JVM.
 */
@Timeout(360)
class DemoIT
{
    private static final List<String> FIELDS = List.of("records", "allocatedBytes", "bytesPerRecord", "gcCount",
        "cpuPercentProcess", "cpuPercentThread", "fetchesPerSecond", "allocatedBytesJvm");

    private final Queue<String> errors = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureBothClientsAndAllocateNothing() throws Exception
    {
        final Path json = folder.resolve("demo.json");
        try (JavaProcess demo = demo("--seconds", "2", "--rate", "5000", "--json", json.toString()).start())
        {
            assertEquals(0, demo.exitCode(300, TimeUnit.SECONDS), demo.outputTail());
        }

        final JsonNode result = new ObjectMapper().readTree(json.toFile());
        for (final String client : List.of("ours", "stock"))
        {
            for (final String field : FIELDS)
            {
                assertTrue(result.path(client).path(field).isNumber(), client + " " + field + " in " + result);
            }
            assertTrue(result.path(client).path("records").asLong() > 0, result.toString());
            assertTrue(result.path(client).path("fetchesPerSecond").asDouble() > 0, result.toString());
        }
        assertEquals(0, result.path("ours").path("allocatedBytes").asLong());
        assertTrue(result.path("stock").path("allocatedBytes").asLong() > 0, result.toString());
        assertEquals(0.0, result.path("ratios").path("allocatedBytes").asDouble(-1));
        assertEquals(5000, result.path("environment").path("settings").path("rate").asInt());
        assertEquals(List.of(), List.copyOf(errors), "No JVM of the demo has anything to warn of.");
        assertFolderIsEmptyBut("demo.json");
    }

    @Test
    void shouldLeaveNoFilesOrProcessesWhenInterrupted() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start();
            JavaProcess demo = demo("--bootstrap", broker.bootstrapServers()).start())
        {
            Await.until("the demo's producer and first client run",
                () -> demo.isAlive() && children(demo).size() == 2 && !topics(broker).isEmpty());
            final List<ProcessHandle> children = children(demo);

            demo.terminate();

            assertEquals(143, demo.exitCode(30, TimeUnit.SECONDS), demo.outputTail());
            Await.until("its children have ended", () -> children.stream().noneMatch(ProcessHandle::isAlive));
            assertEquals(Set.of(), topics(broker));
            assertFolderIsEmptyBut();
        }
    }

    @Test
    void shouldFailInOneSentenceWhenNoBrokerListens()
    {
        try (JavaProcess demo = demo("--bootstrap", "127.0.0.1:1").start())
        {
            assertEquals(1, demo.exitCode(60, TimeUnit.SECONDS));
        }

        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.peek().startsWith("No topic can be created at 127.0.0.1:1: "), errors.toString());
    }

    private JavaProcessBuilder demo(final String... options)
    {
        return JavaProcess.of(OdradekCommand.class)
            .flags("-Djava.io.tmpdir=" + folder, "-XX:-UsePerfData", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
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

    private void assertFolderIsEmptyBut(final String... names) throws Exception
    {
        try (Stream<Path> files = Files.list(folder))
        {
            assertEquals(List.of(names), files.map(file -> file.getFileName().toString()).toList());
        }
    }
}
