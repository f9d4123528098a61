// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.ClientCounters;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.TopicPublisher;
import org.odradek.testkit.EmbeddedBroker;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The commands read the counters file of a real publisher. */
class PublisherFileIT
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int RECORDS = 1_234;
    private static final int DAY_MS = 86_400_000;
    /** A broker accepts about 1 MiB by default. */
    private static final int TOO_LARGE = 2 << 20;

    @TempDir
    private Path folder;
    private final StringWriter shown = new StringWriter();

    private Path path()
    {
        return folder.resolve("a.counters");
    }

    private Publisher published(final EmbeddedBroker broker)
    {
        final Publisher publisher = Publisher.connect(
            new PublisherContext().bootstrapServers(broker.bootstrapServers()).countersFile(path()));
        publisher.topic("prices");
        assertTrue(publisher.awaitReady(TIMEOUT_NS), publisher::describe);
        final UnsafeBuffer value = new UnsafeBuffer("value".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < RECORDS; i++)
        {
            assertTrue(publisher.topic("prices").offer(0, null, value, null) > 0);
        }
        assertTrue(publisher.awaitAcknowledged(TIMEOUT_NS), publisher::describe);
        return publisher;
    }

    private int execute(final Object command, final String... arguments)
    {
        shown.getBuffer().setLength(0);
        final CommandLine commandLine = new CommandLine(command);
        commandLine.setOut(new PrintWriter(shown, true));
        commandLine.setErr(new PrintWriter(shown, true));
        return commandLine.execute(arguments);
    }

    // Behaviour Q237.
    @Test
    void shouldShowWhatAPublisherCounts() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.createTopic("prices", 1);
            try (Publisher publisher = published(broker))
            {
                assertStat(publisher);
                assertEquals(1, execute(new StatusCommands.Lag(), path().toString()));
                assertTrue(shown.toString().contains(
                    path() + " is the counters file of a publisher, which has no lag"), shown::toString);
                assertEquals(0, execute(new StatusCommands.Errors(), path().toString()));
                assertTrue(shown.toString().endsWith("no errors\n"), shown::toString);
                assertServed(publisher);
            }
            assertEquals(0, execute(new StatusCommands.Stat(), path().toString(), "--watch"));
            assertTrue(shown.toString().matches("(?s)Publisher, process \\d+, since [^,]+, closed at .*"),
                shown::toString);
        }
    }

    @Test
    void shouldNotBeReadyWhileAPartitionHasStopped()
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.createTopic("prices", 1);
            try (Publisher publisher = Publisher.connect(new PublisherContext()
                .bootstrapServers(broker.bootstrapServers()).countersFile(path())
                .batchLength(2 * TOO_LARGE).requestMaxLength(4 * TOO_LARGE)))
            {
                final TopicPublisher prices = publisher.topic("prices");
                assertTrue(publisher.awaitReady(TIMEOUT_NS), publisher::describe);
                assertTrue(prices.offer(0, null, new UnsafeBuffer(new byte[TOO_LARGE]), null) > 0);
                assertFalse(publisher.awaitAcknowledged(TIMEOUT_NS));
                final long nowMs = CountersFileReader.open(path()).lastPollMs();
                final MonitoredFiles files = files();
                assertEquals(List.of("The publisher at " + path() + " has 1 partition that has stopped."),
                    files.notReady(nowMs));
                assertEquals(List.of(), files.hung(nowMs));

                prices.skipFailed(0);
                assertEquals(List.of(), files.notReady(nowMs));
            }
        }
    }

    private MonitoredFiles files()
    {
        return new MonitoredFiles(List.of(path().toString()), new MonitoredFiles.Limits(DAY_MS, DAY_MS, 0));
    }

    private void assertStat(final Publisher publisher)
    {
        assertEquals(0, execute(new StatusCommands.Stat(), path().toString()));
        final List<String> lines = shown.toString().lines().toList();
        assertTrue(lines.get(0).matches("Publisher, process " + ProcessHandle.current().pid() +
            ", since [^,]+, last worked \\d+\\.\\d s ago\\."), lines.get(0));
        final List<ListedCounter> counters = ListedCounter.shownByPublisher();
        for (int i = 0; i < counters.size(); i++)
        {
            final ListedCounter counter = counters.get(i);
            final String[] cells = lines.get(4 + i).split("  +");
            assertEquals(counter.name(), cells[0]);
            assertEquals(String.format(Locale.ROOT, "%,d", value(publisher, counter)), cells[1], counter::name);
        }
        assertEquals(4 + counters.size() + 1, lines.size(), "a publisher has no partitions that lag");
        assertEquals("records", counters.get(0).name());
        assertTrue(lines.get(4).endsWith(" 1,234"), lines.get(4));
    }

    private static long value(final Publisher publisher, final ListedCounter counter)
    {
        return publisher.counters().get(counter.id());
    }

    private void assertServed(final Publisher publisher) throws Exception
    {
        final MonitoredFiles files = files();
        try (MetricsServer server = new MetricsServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), files))
        {
            final Thread serving = new Thread(server, "metrics");
            serving.start();
            final String metrics = get(server, "/metrics");
            final String labels = "{client=\"" + path() + "\",topic=\"\"} ";
            for (final ListedCounter counter : ListedCounter.shownByPublisher())
            {
                final String line = counter.metric() + labels + counter.metric().value(value(publisher, counter));
                assertTrue(metrics.contains(line + "\n"), () -> line + " in " + metrics);
            }
            assertTrue(metrics.contains("odradek_publisher_records_total" + labels + "1234.0\n"), metrics);
            assertTrue(metrics.contains("odradek_up" + labels + "1.0\n"), metrics);
            assertTrue(publisher.counters().get(ClientCounters.CONNECTS) > 0);
            for (final ListedCounter counter : ListedCounter.shownByConsumer())
            {
                assertEquals(counter.isOfEachClient(), metrics.contains("\n" + counter.metric() + "{"), counter::name);
            }
            assertFalse(metrics.contains(ExportedMetric.PARTITIONS + "{"), metrics);
            assertEquals("ok\n", get(server, "/healthz"));
            assertEquals("ok\n", get(server, "/readyz"));
            assertHung(files);
        }
    }

    private void assertHung(final MonitoredFiles files)
    {
        final long laterMs = CountersFileReader.open(path()).lastPollMs() + DAY_MS + 5_000;
        final List<String> sentences = List.of("The publisher at " + path() +
            " last worked 86405.0 s ago; the limit is 86400.0 s.");
        assertEquals(sentences, files.hung(laterMs));
        assertEquals(sentences, files.notReady(laterMs));
    }

    private static String get(final MetricsServer server, final String page) throws Exception
    {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.address().getPort() + page)).build(),
            HttpResponse.BodyHandlers.ofString()).body();
    }
}
