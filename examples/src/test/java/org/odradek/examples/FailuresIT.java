// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.affinity.ThreadPinning;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs the programs of docs/when-processing-fails.md and docs/more-cores-than-one.md. Each topic has two partitions of
 * {@link #COUNT} records.
 */
@ExtendWith(SharedBroker.class)
class FailuresIT
{
    private static final int COUNT = 500;
    private static final int FAILING = 250;

    private static EmbeddedBroker broker;

    /** Offsets by partition, in the order in which they were stored. */
    private final List<List<Long>> stored = List.of(new ArrayList<>(), new ArrayList<>());
    /** When the store has thrown, by {@link System#nanoTime()}. */
    private final List<Long> thrownNs = new ArrayList<>();

    @BeforeAll
    static void start()
    {
        broker = SharedBroker.broker();
    }

    private static String topic(final String name)
    {
        broker.createTopic(name, 2);
        for (int p = 0; p < 2; p++)
        {
            broker.produce(name, p, COUNT, (i) -> ("value-" + i).getBytes(StandardCharsets.UTF_8));
        }
        return name;
    }

    /** A store that throws at one record of partition 0, at the first attempts. */
    private RecordHandler storeThatFails(final int attempts)
    {
        return (record) ->
        {
            if (record.partition() == 0 && record.offset() == FAILING && thrownNs.size() < attempts)
            {
                thrownNs.add(System.nanoTime());
                throw new IllegalStateException("the store is down");
            }
            stored.get(record.partition()).add(record.offset());
        };
    }

    private int count()
    {
        return stored.get(0).size() + stored.get(1).size();
    }

    private void assertEachStoredOnceInOrder()
    {
        for (int p = 0; p < 2; p++)
        {
            assertEquals(LongStream.range(0, COUNT).boxed().toList(), stored.get(p), "partition " + p);
        }
    }

    private static long committed(final String group, final String topic, final int partition)
    {
        try
        {
            final OffsetAndMetadata committed = broker.admin().listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata().get().get(new TopicPartition(topic, partition));
            return committed == null ? 0 : committed.offset();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** A backoff is drawn between 80 and 120 % of its time. */
    private void assertPausedAtLeast(final long... pausesMs)
    {
        for (int i = 0; i < pausesMs.length; i++)
        {
            final long pausedMs = TimeUnit.NANOSECONDS.toMillis(thrownNs.get(i + 1) - thrownNs.get(i));
            assertTrue(pausedMs >= pausesMs[i] * 8 / 10, "pause " + i + " took only " + pausedMs + " ms");
        }
    }

    /** While the store is down, the program does not spin. It ends once, and is started again. */
    @Test
    void shouldResumeAfterStop()
    {
        final String topic = topic("resume-after-stop");
        final long beginNs = System.nanoTime();
        final AtomicInteger polls = new AtomicInteger();

        ResumeAfterStop.run(broker.bootstrapServers(), "resuming", topic, storeThatFails(Integer.MAX_VALUE),
            () -> polls.incrementAndGet() > 0 && (thrownNs.size() < 4 || stored.get(1).size() < COUNT));

        final long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
        assertTrue(polls.get() < 50 + elapsedMs / 10, polls + " polls in " + elapsedMs + " ms");
        assertEquals(FAILING, committed("resuming", topic, 0));
        assertEquals(COUNT, committed("resuming", topic, 1));
        assertEquals(FAILING + COUNT, count());
        assertPausedAtLeast(100, 200, 400);

        thrownNs.clear();
        ResumeAfterStop.run(broker.bootstrapServers(), "resuming", topic, storeThatFails(3), () -> count() < 2 * COUNT);

        assertEquals(3, thrownNs.size());
        assertEachStoredOnceInOrder();
        assertEquals(COUNT, committed("resuming", topic, 0));
    }

    @Test
    void shouldRetryInPlace()
    {
        final String topic = topic("retry-in-place");

        RetryInPlace.run(broker.bootstrapServers(), "retrying", topic, storeThatFails(3),
            () -> count() < 2 * COUNT);

        assertEquals(3, thrownNs.size());
        assertPausedAtLeast(250, 250);
        assertEachStoredOnceInOrder();
        assertEquals(COUNT, committed("retrying", topic, 0));
        assertEquals(COUNT, committed("retrying", topic, 1));
    }

    @Test
    void shouldSkipFailures()
    {
        final String topic = topic("skip-failures");
        final List<String> errors = new ArrayList<>();

        SkipFailures.run(broker.bootstrapServers(), "skipping", topic, storeThatFails(1),
            (error) -> errors.add(error.getMessage() + error.getCause()), () -> count() < 2 * COUNT - 1);

        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.get(0).contains("offset 250 of partition 0") &&
            errors.get(0).contains("the store is down"), errors.get(0));
        assertEquals(COUNT, committed("skipping", topic, 0));
        stored.get(0).add(FAILING, (long) FAILING);
        assertEachStoredOnceInOrder();
    }

    @Test
    void shouldPublishDeadLetters()
    {
        final String topic = topic("dead-letters-input");
        broker.createTopic("dead-letters", 1);

        DeadLetters.run(broker.bootstrapServers(), "burying", topic, "dead-letters", (record) ->
        {
            if (record.offset() == FAILING)
            {
                throw new IllegalArgumentException("no such currency");
            }
            stored.get(record.partition()).add(record.offset());
        }, () -> count() < 2 * COUNT - 2);

        stored.forEach((offsets) -> offsets.add(FAILING, (long) FAILING));
        assertEachStoredOnceInOrder();
        assertEquals(COUNT, committed("burying", topic, 0));
        assertEquals(COUNT, committed("burying", topic, 1));
        assertEquals(List.of(
            "value-250 0@250 java.lang.IllegalArgumentException: no such currency",
            "value-250 1@250 java.lang.IllegalArgumentException: no such currency"), deadLetters());
    }

    private static List<String> deadLetters()
    {
        final List<String> letters = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> stock = new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers(), "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            stock.assign(List.of(new TopicPartition("dead-letters", 0)));
            while (letters.size() < 2)
            {
                stock.poll(Duration.ofMillis(100)).forEach((letter) -> letters.add(text(letter.value()) + " " +
                    text(letter.headers().lastHeader("source").value()) + " " +
                    text(letter.headers().lastHeader("cause").value())));
            }
        }
        return letters.stream().sorted().toList();
    }

    private static String text(final byte[] bytes)
    {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** The next start stores the record that the store of the first one has refused, and all after it. */
    @Test
    void shouldEndAPinnedPipelineWhoseStoreFails()
    {
        final String topic = topic("pinned-pipeline");
        final PinnedPipeline failing = new PinnedPipeline();

        final String message = assertThrows(CompletionException.class, () -> failing.run(
            broker.bootstrapServers(), "pinned", topic, storeThatFails(1), cores(2))).getMessage();

        assertTrue(message.contains("worker 0 failed on the record at offset " + FAILING), message);
        assertEquals(LongStream.range(0, FAILING).boxed().toList(), stored.get(0));
        assertTrue(committed("pinned", topic, 0) <= FAILING);

        final PinnedPipeline next = new PinnedPipeline();
        next.run(broker.bootstrapServers(), "pinned", topic, untilAllStored(next.end), cores(2));

        assertAllStored("pinned", topic);
    }

    @Test
    void shouldEndConsumersPerCoreWhoseStoreFails()
    {
        final String topic = topic("consumer-per-core");
        final ConsumerPerCore failing = new ConsumerPerCore();

        final String message = assertThrows(CompletionException.class, () -> failing.run(
            broker.bootstrapServers(), "per-core", topic, storeThatFails(1), cores(2))).getMessage();

        assertTrue(message.contains("at offset " + FAILING), message);
        assertEquals(FAILING, committed("per-core", topic, 0));

        final ConsumerPerCore next = new ConsumerPerCore();
        next.run(broker.bootstrapServers(), "per-core", topic, untilAllStored(next.end), cores(2));

        assertAllStored("per-core", topic);
    }

    /** The first allowed core, so many times. */
    private static int[] cores(final int count)
    {
        final int[] cores = new int[count];
        Arrays.fill(cores, ThreadPinning.allowedCores().nextCore(0));
        return cores;
    }

    /** A store that ends the program when every record was stored. */
    private RecordHandler untilAllStored(final CompletableFuture<Void> end)
    {
        return (record) ->
        {
            synchronized (stored)
            {
                stored.get(record.partition()).add(record.offset());
                if (distinct(0) == COUNT && distinct(1) == COUNT)
                {
                    end.complete(null);
                }
            }
        };
    }

    private long distinct(final int partition)
    {
        return stored.get(partition).stream().distinct().count();
    }

    /** Records may have been stored twice: those that were stored in the first run after the last commit. */
    private void assertAllStored(final String group, final String topic)
    {
        for (int p = 0; p < 2; p++)
        {
            assertEquals(COUNT, distinct(p));
            assertEquals(COUNT, committed(group, topic, p));
        }
    }
}
