// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.ClientException;
import org.odradek.client.CountersFileReader;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.StallPhase;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;

import java.lang.management.ManagementFactory;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what a consumer reports about itself: counters file, stalls, histograms and JMX.
 */
@ExtendWith(SharedBroker.class)
final class ConsumerStatusIT
{
    private static final int RECORDS = 300;
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    @TempDir
    private Path folder;
    private final Deliveries deliveries = new Deliveries();
    private final List<String> stalls = new ArrayList<>();
    private long clockShiftNs;
    private boolean isWaitSlow;

    private Path path()
    {
        return folder.resolve("counters");
    }

    private static ConsumerContext context(final int partitions)
    {
        return SharedBroker.context(TransportType.AUTO, SharedBroker.topic(partitions, RECORDS));
    }

    private ConsumerContext withFile(final int partitions)
    {
        return context(partitions).countersFile(path());
    }

    @Test
    void shouldShowProgressToAReaderOfTheFile()
    {
        final ConsumerContext context = withFile(3).partitions(0, 2);
        final CountersFileReader reader;
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            reader = CountersFileReader.open(path());
            assertTrue(reader.isRunning());
            assertEquals(context.settings.topic, reader.topic());

            deliveries.pollUntilCount(consumer, 2 * RECORDS);
            final long emptyPolls = reader.total(ConsumerCounters.EMPTY_POLLS);
            assertEquals(0, consumer.poll(deliveries, 1));

            assertEquals(emptyPolls + 1, reader.total(ConsumerCounters.EMPTY_POLLS));
            assertEquals(2 * RECORDS, reader.total(ConsumerCounters.RECORDS));
            assertTrue(reader.total(ConsumerCounters.LONGEST_CYCLE_NS) > 0);
            assertTrue(reader.lastPollMs() >= reader.startMs());
            assertPartitions(reader, new long[] {RECORDS, -1, RECORDS}, new long[] {RECORDS, -1, RECORDS},
                new long[] {0, -1, 0});

            consumer.assign(1, StartPosition.earliest());
            consumer.unassign(2);
            deliveries.pollUntilCount(consumer, 3 * RECORDS);
            consumer.seek(0, 100);
            assertEquals(10, consumer.poll((record) -> { }, 10, 60 * SharedBroker.SECOND_NS));
            assertPartitions(reader, new long[] {110, RECORDS, -1}, new long[] {RECORDS, RECORDS, -1},
                new long[] {RECORDS - 110, 0, -1});
            assertTrue(consumer.describe().contains(", counters in " + path()), consumer::describe);
        }
        assertFalse(reader.isRunning());
        assertTrue(reader.endMs() >= reader.startMs());
        assertEquals(3 * RECORDS + 10, reader.total(ConsumerCounters.RECORDS));
    }

    private static void assertPartitions(
        final CountersFileReader reader, final long[] nextOffsets, final long[] highWatermarks, final long[] lags)
    {
        assertArrayEquals(nextOffsets, reader.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID));
        assertArrayEquals(highWatermarks, reader.partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID));
        assertArrayEquals(lags, reader.partitionValues(CountersFileReader.LAG_TYPE_ID));
    }

    @Test
    void shouldNoteErrorsBeforeCallingTheErrorHandler()
    {
        final List<String> reported = new ArrayList<>();
        final IllegalStateException cause = new IllegalStateException("no more room");
        final ConsumerContext context = withFile(1).errorHandler((error) ->
        {
            assertEquals(1, ErrorLogReader.read(CountersFileReader.open(path()).errorLog(),
                (count, firstMs, lastMs, text) -> assertTrue(text.contains("no more room"), text)));
            assertSame(cause, error.getCause());
            reported.add(error.getMessage());
        });
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            Deliveries.pollUntil(consumer, (record) ->
            {
                if (record.offset() == 7)
                {
                    throw cause;
                }
            }, 1_000, () -> !reported.isEmpty());
        }
        assertEquals(
            List.of("The handler failed on the record at offset 7 of partition 0 of topic " + context.topic() +
            ", which stops at offset 7; resume continues there."), reported);
    }

    @Test
    void shouldReleaseTheFileWhenClosedOrFailed()
    {
        assertThrows(ClientException.class, () -> TopicConsumer.connect(withFile(1).nameResolver((host) ->
        {
            throw new UnknownHostException(host);
        }).bootstrapServers("nowhere:1")));
        try (TopicConsumer consumer = TopicConsumer.connect(withFile(1)))
        {
            assertEquals(0, consumer.counters().records());
            final ConsumerContext second = withFile(1);
            final String message =
                assertThrows(IllegalStateException.class, () -> TopicConsumer.connect(second)).getMessage();
            assertTrue(message.contains(" is in use by process " + ProcessHandle.current().pid()), message);
        }
        TopicConsumer.connect(withFile(1)).close();
    }

    @Test
    void shouldReportAHandlerThatTakesTooLongAsAStall()
    {
        final ConsumerContext context = context(1).stallThresholdNs(HOUR_NS)
            .clientId("slow").listener(new Stalls())
            .nanoClock(() -> System.nanoTime() + clockShiftNs);
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            Deliveries.pollUntil(consumer, (record) -> clockShiftNs += record.offset() == 7 ? 2 * HOUR_NS : 0, 1_000,
                () -> consumer.counters().records() == RECORDS);

            assertEquals(1, consumer.counters().get(ConsumerCounters.STALLS));
            final long longestNs = consumer.counters().get(ConsumerCounters.LONGEST_CYCLE_NS);
            assertTrue(longestNs >= 2 * HOUR_NS && longestNs < 3 * HOUR_NS, () -> longestNs + " ns");
            assertEquals(List.of("HANDLER 2 h"), stalls);
        }
    }

    @Test
    void shouldReportAWaitThatEndsTooLateAsAStall()
    {
        final Poller poller = new SlowWait();
        final ConsumerContext context = SharedBroker.context(null, SharedBroker.topic(1, RECORDS))
            .clientId("slow").listener(new Stalls()).poller(poller)
            .stallThresholdNs(HOUR_NS).nanoClock(() -> System.nanoTime() + clockShiftNs);
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            deliveries.pollUntilCount(consumer, RECORDS);
            isWaitSlow = true;
            assertEquals(0, consumer.poll(deliveries, 1_000, HOUR_NS));

            assertFalse(isWaitSlow);
            assertEquals(1, consumer.counters().get(ConsumerCounters.STALLS));
            assertEquals(List.of("WAITING 1 h"), stalls);
            assertTrue(consumer.counters().get(ConsumerCounters.LONGEST_CYCLE_NS) < HOUR_NS);
        }
        poller.close();
    }

    /** Records whole hours. */
    private final class Stalls implements ConsumerListener
    {
        @Override
        public void onStall(final StallPhase phase, final long stalledNs)
        {
            stalls.add(phase + " " + stalledNs / HOUR_NS + " h");
        }
    }

    /** By the clock of the test, one wait takes two hours. */
    private final class SlowWait extends ForwardingPoller
    {
        SlowWait()
        {
            super(ConsumerContext.openPoller(TransportType.NIO));
        }

        @Override
        public int await(final long timeoutNs)
        {
            if (isWaitSlow && timeoutNs > 0)
            {
                isWaitSlow = false;
                clockShiftNs += 2 * HOUR_NS;
                return 0;
            }
            return super.await(timeoutNs);
        }
    }

    @Test
    void shouldRecordEachFetchAndTheAgeOfEachRecord()
    {
        final long beforeMs = System.currentTimeMillis();
        final ConsumerHistograms histograms = ConsumerHistograms.create();
        try (TopicConsumer consumer = TopicConsumer.connect(context(2).histograms(histograms)))
        {
            final long[] left = {3};
            while (consumer.counters().records() < 2 * RECORDS)
            {
                consumer.controlledPoll(
                    (record) -> left[0]-- > 0 ? Action.ABORT : null, 50, SharedBroker.SECOND_NS / 20);
            }

            assertEquals(2 * RECORDS, histograms.recordAgeMs().getTotalCount());
            // The histogram keeps three digits of a value, and the clock may be set back by a second.
            assertTrue(
                histograms.recordAgeMs().getMaxValue() <= 1.01 * (System.currentTimeMillis() - beforeMs) + 2_000);
            assertEquals(consumer.counters().fetches(), histograms.fetchLatencyNs().getTotalCount());
            assertTrue(histograms.fetchLatencyNs().getMaxValue() > 0);

            consumer.seek(0, 0);
            int batches = 0;
            while (consumer.nextOffset(0) < RECORDS)
            {
                batches += consumer.pollBatches((batch) -> null, 10, SharedBroker.SECOND_NS / 20);
            }
            assertEquals(2 * RECORDS + batches, histograms.recordAgeMs().getTotalCount());
        }
    }

    @Test
    void shouldShowCountersByJmx() throws Exception
    {
        final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        final ObjectName name;
        final ConsumerCounters counters;
        try (TopicConsumer consumer = TopicConsumer.connect(withFile(2).clientId("a \"b\":*"));
            ConsumerMBean bean = ConsumerMBean.register(consumer))
        {
            deliveries.pollUntilCount(consumer, 2 * RECORDS);

            assertEquals(2L * RECORDS, server.getAttribute(bean.name(), "Records"));
            assertEquals(consumer.counters().get(ConsumerCounters.BYTES_RECEIVED),
                server.getAttribute(bean.name(), "BytesReceived"));
            assertArrayEquals(new long[] {RECORDS, RECORDS},
                (long[])server.getAttribute(bean.name(), "NextOffsets"));
            assertArrayEquals(new long[] {0, 0}, (long[])server.getAttribute(bean.name(), "Lags"));
            assertEquals(ConsumerCounters.count() + 3, server.getMBeanInfo(bean.name()).getAttributes().length);
            assertEquals(1, server.getAttributes(bean.name(), new String[] {"Errors", "Moon"}).size());
            assertThrows(AttributeNotFoundException.class, () -> server.getAttribute(bean.name(), "Moon"));
            final String message =
                assertThrows(IllegalStateException.class, () -> ConsumerMBean.register(consumer)).getMessage();
            assertTrue(message.contains("give each its own clientId"), message);
            name = bean.name();
            counters = consumer.counters();
        }
        assertFalse(server.isRegistered(name));
        assertEquals(2L * RECORDS, counters.records());
    }
}
