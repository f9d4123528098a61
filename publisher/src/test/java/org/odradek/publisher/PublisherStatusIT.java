// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ListedCounter;

import java.lang.management.ManagementFactory;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what a publisher shows to others: its counters file, and JMX. */
@ExtendWith(SharedBroker.class)
class PublisherStatusIT
{
    private static final int RECORDS = 50;

    @TempDir
    private Path folder;
    private long frozenNs;
    private long nowMs = System.currentTimeMillis();

    private Path path()
    {
        return folder.resolve("counters");
    }

    private PublisherContext context()
    {
        return Publishing.context(SharedBroker.broker().bootstrapServers()).countersFile(path());
    }

    private static void publish(final Publishing client, final String topic)
    {
        for (int i = 0; i < RECORDS; i++)
        {
            assertTrue(client.tryOfferTo(client.publisher.topic(topic), i % 2, "value " + i) > 0);
        }
        client.acknowledge();
    }

    /** Another reader maps the file, as another process does. */
    // Behaviour Q237, tried 2026-11-29: Another process can read the counters, the distinct errors and the time of the
    // last work of a publisher; the publisher allocates nothing for these. A file of another version or of an unknown
    // kind is refused.
    @Test
    void shouldShowItsCountersToAReaderOfTheFile()
    {
        final String topic = SharedBroker.topic(2);
        final CountersFileReader reader;
        try (Publishing client = Publishing.start(context(), topic))
        {
            reader = CountersFileReader.open(path());
            assertEquals(ClientKind.PUBLISHER, reader.kind());
            assertEquals("", reader.topic());
            assertTrue(reader.isRunning());

            publish(client, topic);

            final PublisherCounters counters = client.publisher.counters();
            final long[] totals = reader.publisherTotals();
            assertEquals(RECORDS, totals[PublisherCounters.RECORDS]);
            assertEquals(RECORDS, totals[PublisherCounters.RECORDS_ACKNOWLEDGED]);
            assertTrue(totals[PublisherCounters.BYTES_SENT] > 0);
            for (final int id : PublisherCounters.ids())
            {
                assertEquals(counters.get(id), ListedCounter.ofPublisher(id).isOfPublisher() ? totals[id] :
                    reader.total(id), PublisherCounters.name(id));
            }
            assertTrue(reader.total(ClientCounters.CONNECTS) > 0);
            assertTrue(reader.total(ClientCounters.BYTES_RECEIVED) > 0);
            for (int id = 0; id < ClientCounters.count(); id++)
            {
                assertTrue(ListedCounter.of(id).isOfEachClient() || reader.total(id) == 0, ClientCounters.name(id));
            }
            assertTrue(client.publisher.describe().contains(", counters in " + path()), client.publisher::describe);
            assertTrue(client.publisher.describe().contains("records=" + RECORDS + ", "), client.publisher::describe);
            assertTrue(client.publisher.describe().contains(", connects="), client.publisher::describe);
        }
        assertFalse(reader.isRunning());
        assertTrue(reader.endMs() >= reader.startMs());
        assertEquals(RECORDS, reader.publisherTotals()[PublisherCounters.RECORDS]);
    }

    // Behaviour Q237.
    @Test
    void shouldNoteEvery100MsThatItWorks()
    {
        try (Publishing client = Publishing.start(context()
            .nanoClock(() -> frozenNs == 0 ? System.nanoTime() : frozenNs).epochClock(() -> nowMs),
            SharedBroker.topic(1)))
        {
            final CountersFileReader reader = CountersFileReader.open(path());
            assertEquals(nowMs, reader.lastPollMs());
            frozenNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            nowMs += 1_000;
            client.publisher.doWork();
            assertEquals(nowMs, reader.lastPollMs());

            frozenNs += CountersFileReader.HEARTBEAT_INTERVAL_NS - 1;
            nowMs += 99;
            client.publisher.doWork();
            assertEquals(nowMs - 99, reader.lastPollMs());

            frozenNs++;
            nowMs++;
            client.publisher.doWork();
            assertEquals(nowMs, reader.lastPollMs());
        }
    }

    /** An error is counted and in the file, and so is what the listener throws. */
    // Behaviour Q237.
    @Test
    void shouldNoteErrors()
    {
        final String topic = SharedBroker.topic(2);
        try (Publishing client = Publishing.start(context(), topic))
        {
            final CountersFileReader reader = CountersFileReader.open(path());
            assertTrue(client.publisher.topic(topic).tryClaim(0, 1, 1) > 0);
            client.publisher.doWork();
            assertEquals(1, client.counter(PublisherCounters.CLAIMS_ABORTED));
            assertEquals(1, reader.total(ClientCounters.ERRORS));

            client.onEvent = () ->
            {
                client.onEvent = () -> {};
                throw new IllegalStateException("of a listener");
            };
            publish(client, topic);

            assertEquals(1, client.counter(ClientCounters.LISTENER_ERRORS));
            assertEquals(1, reader.total(ClientCounters.LISTENER_ERRORS));
            assertEquals(1, reader.total(ClientCounters.ERRORS));
            final List<String> texts = new ArrayList<>();
            ErrorLogReader.read(reader.errorLog(), (count, firstMs, lastMs, text) -> texts.add(text));
            assertEquals(2, texts.size());
            IntStream.range(0, 2).forEach((i) ->
                assertTrue(texts.get(i).contains(client.errors.get(i)), () -> texts + " " + client.errors));
        }
    }

    @Test
    void shouldReleaseTheFileWhenClosedOrFailed() throws Exception
    {
        assertThrows(ClientException.class, () -> Publisher.connect(context().nameResolver((host) ->
        {
            throw new UnknownHostException(host);
        }).bootstrapServers("nowhere:1")));
        try (Publisher first = Publisher.connect(context().countersFilePermissions("rw-r-----")))
        {
            assertEquals(path(), first.countersFile());
            // The umask may forbid some of them.
            final Path any = Files.createFile(path().resolveSibling("any"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
            assertEquals(Files.getPosixFilePermissions(any), Files.getPosixFilePermissions(path()));
            final String message =
                assertThrows(IllegalStateException.class, () -> Publisher.connect(context())).getMessage();
            assertTrue(message.endsWith(" is in use by process " + ProcessHandle.current().pid() +
                " for a publisher: give each client a file of its own"), message);
        }
        Publisher.connect(context()).close();
    }

    @Test
    void shouldShowCountersByJmx() throws Exception
    {
        final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        final String topic = SharedBroker.topic(2);
        final ObjectName name;
        try (Publishing client = Publishing.start(context().countersFile(null).clientId("a \"b\":*"), topic);
            PublisherMBean bean = PublisherMBean.register(client.publisher))
        {
            publish(client, topic);

            assertEquals((long)RECORDS, server.getAttribute(bean.name(), "Records"));
            assertEquals(client.counter(PublisherCounters.BYTES_SENT), server.getAttribute(bean.name(), "BytesSent"));
            assertEquals(client.counter(ClientCounters.CONNECTS), server.getAttribute(bean.name(), "Connects"));
            assertEquals(0L, server.getAttribute(bean.name(), "ListenerErrors"));
            assertEquals(ListedCounter.shownByPublisher().size(),
                server.getMBeanInfo(bean.name()).getAttributes().length);
            final String message =
                assertThrows(IllegalStateException.class, () -> PublisherMBean.register(client.publisher)).getMessage();
            assertTrue(message.contains("give each its own clientId"), message);
            name = bean.name();
        }
        assertFalse(server.isRegistered(name));
    }

    /** Its thread, and what other threads may read. */
    @Test
    void shouldNameItsOwner()
    {
        try (Publisher publisher = Publisher.connect(context().clientId("mine").countersFile(null)))
        {
            assertEquals("mine", publisher.clientId());
            assertEquals(null, publisher.countersFile());
            assertEquals(null, publisher.owner());
            publisher.doWork();
            assertEquals(Thread.currentThread(), publisher.owner());
        }
    }
}
