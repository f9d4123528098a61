// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A replay delivers the records that the capturing consumer delivered, in the same order, and a warm-up leaves live
 * consumers alone.
 */
final class CaptureReplayIT
{
    private static final int PARTITIONS = 2;
    private static final int RECORDS = 3_000;
    private static final int WINDOWS = 50;
    private static final long SEED = 23;
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static EmbeddedBroker broker;

    private final List<String> live = new ArrayList<>();
    private final List<String> replayed = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final RecordHandler counting = (record) -> this.count++;
    private long count;
    private Path file;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    @BeforeEach
    void file(@TempDir final Path folder)
    {
        file = folder.resolve("frames");
    }

    /** Returns all fields of a record in one line. */
    private static String line(final Record record)
    {
        final StringBuilder line = new StringBuilder().append(record.partition()).append(' ').append(record.offset())
            .append(' ').append(record.timestamp()).append(' ');
        text(line, record, record.keyIndex(), record.keyLength());
        text(line, record, record.valueIndex(), record.valueLength());
        final RecordHeadersFlyweight headers = record.headers();
        while (headers.next())
        {
            text(line, record, headers.keyIndex(), headers.keyLength());
            text(line, record, headers.valueIndex(), headers.valueLength());
        }
        return line.toString();
    }

    private static void text(final StringBuilder line, final Record record, final int index, final int length)
    {
        line.append(length).append(':').append(
            length < 0 ? "" : record.buffer().getStringWithoutLengthAscii(index, length)).append(' ');
    }

    private static String topic(final int records)
    {
        final String topic = newTopic(PARTITIONS);
        for (final String codec : List.of("none", "lz4", "gzip"))
        {
            produce(topic, codec, records / 3);
        }
        return topic;
    }

    private static String newTopic(final int partitions)
    {
        final String topic = "topic-" + TOPICS.incrementAndGet();
        broker.client().createTopic(topic, partitions, Map.of("retention.ms", "-1"));
        return topic;
    }

    private static void produce(final String topic, final String codec, final int records)
    {
        final Random random = new Random(SEED);
        final AtomicReference<Exception> failure = new AtomicReference<>();
        try (Producer<byte[], byte[]> producer = broker.client().producer(Map.of(
            "compression.type", codec, "linger.ms", 5, "batch.size", 4_000)))
        {
            for (int i = 0; i < records; i++)
            {
                final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                    topic, random.nextInt(PARTITIONS), bytes(random, 20), bytes(random, 300));
                for (int header = random.nextInt(3); header > 0; header--)
                {
                    record.headers().add("header-" + header, bytes(random, 10));
                }
                producer.send(record, (metadata, exception) -> failure.compareAndSet(null, exception));
            }
        }
        assertNull(failure.get());
    }

    /** Returns letters, and sometimes null. */
    private static byte[] bytes(final Random random, final int maxLength)
    {
        final int length = random.nextInt(maxLength) - 1;
        final byte[] bytes = new byte[Math.max(0, length)];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)('a' + random.nextInt(26));
        }
        return length < 0 ? null : bytes;
    }

    private static ConsumerContext context(final String topic)
    {
        return new ConsumerContext()
            .bootstrapServers(broker.bootstrapServers())
            .topic(topic)
            .transport(TransportType.NIO)
            .fetchMaxWaitMs(20)
            .startPosition(StartPosition.earliest())
            .errorHandler((error) ->
            {
                throw new AssertionError("the error handler was called: " + error.getMessage(), error);
            });
    }

    private ConsumerContext context(final String topic, final int captureLimit)
    {
        return context(topic).fetchMaxBytes(20_000).partitionMaxBytes(8_000)
            .fetchSession(FetchSessionMode.ON).frameHandler(new FrameCapture(file, captureLimit))
            .listener(new ConsumerListener()
            {
                @Override
                public void onCaptureFull(final Path name, final long frames, final long bytes)
                {
                    events.add(name + " " + frames);
                }
            });
    }

    private void readTo(final TopicConsumer consumer, final int records)
    {
        Await.until(records + " records", () ->
        {
            consumer.poll((record) -> live.add(line(record)), 100, SECOND_NS);
            return live.size() >= records;
        });
    }

    private void replay(final Supplier<ConsumerContext> settings)
    {
        try (CapturedFrames frames = CapturedFrames.open(file);
            FrameReplay replay = new FrameReplay(frames, settings))
        {
            while (!replay.isDone())
            {
                replay.poll((record) -> replayed.add(line(record)), 77);
            }
        }
    }

    @Test
    void shouldReplayCapturedFramesWithTheirSeeksAndPauses()
    {
        final String topic = topic(RECORDS);
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(topic, 8 << 20)))
        {
            readTo(consumer, RECORDS);
            final int again = (int)consumer.nextOffset(1) - 17;
            consumer.seek(1, 17);
            readTo(consumer, RECORDS + again);
            consumer.pause(1);
            final int before = live.size();
            produce(topic, "zstd", RECORDS / 3);
            readTo(consumer, before + 1);
            consumer.resume(1);
            readTo(consumer, before + RECORDS / 3);

            assertEquals(consumer.counters().fetches(),
                consumer.counters().get(ConsumerCounters.FRAMES_CAPTURED));
            assertTrue(consumer.describe().contains(", frames captured in " + file), consumer::describe);
        }

        replay(ConsumerContext::new);

        assertEquals(live, replayed);
        assertEquals(List.of(), events);
        replayed.clear();
        replay(() -> new ConsumerContext().fetchMaxBytes(20_000).partitionMaxBytes(8_000).fetchConnections(4));
        assertEquals(live, replayed);
    }

    @Test
    void shouldReplayAsFarAsTheFileReaches()
    {
        final String topic = topic(RECORDS);
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(topic, 64 << 10)))
        {
            readTo(consumer, RECORDS);

            final long frames = consumer.counters().get(ConsumerCounters.FRAMES_CAPTURED);
            assertTrue(frames > 0);
            assertEquals(consumer.counters().fetches() - frames,
                consumer.counters().get(ConsumerCounters.FRAMES_NOT_CAPTURED));
            assertEquals(List.of(file + " " + frames), events);
        }

        replay(ConsumerContext::new);

        assertTrue(!replayed.isEmpty() && replayed.size() < RECORDS, "replayed " + replayed.size());
        assertEquals(live.subList(0, replayed.size()), replayed);
    }

    @Test
    void shouldWarmUpWithoutATraceInAConsumerAndAllocateNothingAfter()
    {
        final String topic = newTopic(1);
        broker.client().produce(topic, 0, RECORDS, (i) -> ByteBuffer.allocate(Long.BYTES).putLong(i).array());
        final long[] next = new long[1];
        final RecordHandler checking = (record) ->
        {
            assertEquals(next[0], record.offset());
            assertEquals(next[0]++, record.buffer().getLong(record.valueIndex(), ByteOrder.BIG_ENDIAN));
        };
        try (TopicConsumer consumer = TopicConsumer.connect(context(topic)))
        {
            while (next[0] < RECORDS / 3)
            {
                consumer.poll(checking, RECORDS / 3 - (int)next[0], SECOND_NS);
            }
            final long offset = consumer.nextOffset(0);
            final String counters = consumer.counters().toString();

            assertTrue(new WarmUp().compressionTypes(CompressionType.LZ4).run(counting, 200_000) >= 200_000);

            assertEquals(offset, consumer.nextOffset(0));
            assertEquals(counters, consumer.counters().toString());
            while (next[0] < RECORDS)
            {
                consumer.poll(checking, RECORDS, SECOND_NS);
            }
            assertFalse(consumer.isPaused(0));
            assertEquals(0, leastAllocated(consumer));
        }
    }

    /** Returns the minimum of several windows, because the compilers allocate only in some of them. */
    private long leastAllocated(final TopicConsumer consumer)
    {
        return new AllocationMeter().leastBytes(WINDOWS, () ->
        {
            consumer.seek(0, 0);
            final long end = count + RECORDS;
            while (count < end)
            {
                consumer.poll(counting, RECORDS, SECOND_NS);
            }
        });
    }
}
