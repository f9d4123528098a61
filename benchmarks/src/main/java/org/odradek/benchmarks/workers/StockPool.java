// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.odradek.benchmarks.clients.StockClient;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.ThreeLongs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The stock consumer with a fixed pool of threads as an expert writes it. Each thread has a queue, to which a poll adds
 * one list with all of its records for this thread, by a hash of the key. The offsets after a poll are committed,
 * asynchronously, when this poll and all before it are handled. While too many polls are not, the partitions are
 * paused, and polled on, so that the member stays in its group.
 */
final class StockPool implements Handling
{
    static final int MOST_POLLS = 32;
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);
    private static final Duration PAUSED_TIMEOUT = Duration.ofMillis(1);
    private static final long COMMIT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(5);
    private static final int HASH_FACTOR = 0x9E3779B9;

    private final List<BlockingQueue<Part>> queues = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Deque<Polled> polls = new ArrayDeque<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private Map<TopicPartition, OffsetAndMetadata> completed = Map.of();
    private long commitNs = System.nanoTime();
    private boolean isPaused;

    /** A poll, and how many of its parts are not handled yet. */
    private record Polled(AtomicInteger partsLeft, Map<TopicPartition, OffsetAndMetadata> nextOffsets)
    {
    }

    /** The records of a poll for one thread, or null to end the thread. */
    private record Part(Polled poll, List<ConsumerRecord<byte[], byte[]>> records)
    {
    }

    StockPool(final Settings settings, final Tally tally)
    {
        for (int i = 0; i < settings.number("workers"); i++)
        {
            final BlockingQueue<Part> queue = new LinkedBlockingQueue<>();
            queues.add(queue);
            threads.add(new Thread(() -> handle(queue, tally.share()), "pool-" + i));
            threads.get(i).start();
        }
        consumer = consumer(settings, new ByteArrayDeserializer());
        consumer.subscribe(List.of(settings.text("topic")));
    }

    /** A member of a new group, which reads from the first record on and commits only offsets that are passed to it. */
    static <K> KafkaConsumer<K, byte[]> consumer(final Settings settings, final Deserializer<K> keys)
    {
        final Properties properties = StockClient.properties(settings);
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.text("group"));
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        return new KafkaConsumer<>(properties, keys, new ByteArrayDeserializer());
    }

    private void handle(final BlockingQueue<Part> queue, final Tally.Share share)
    {
        try
        {
            for (Part part = queue.take(); part.records != null; part = queue.take())
            {
                for (final ConsumerRecord<byte[], byte[]> record : part.records)
                {
                    share.onRecord(ThreeLongs.first(record.value()), ThreeLongs.others(record.value()));
                }
                part.poll.partsLeft.decrementAndGet();
            }
        }
        catch (final Throwable ex)
        {
            failure.set(ex);
        }
    }

    @Override
    public void work(final int recordLimit)
    {
        final ConsumerRecords<byte[], byte[]> records = consumer.poll(isPaused ? PAUSED_TIMEOUT : POLL_TIMEOUT);
        if (!records.isEmpty())
        {
            handOver(records);
        }
        complete();
        if (isPaused != polls.size() >= (isPaused ? MOST_POLLS / 2 : MOST_POLLS))
        {
            isPaused = !isPaused;
            if (isPaused)
            {
                consumer.pause(consumer.assignment());
            }
            else
            {
                consumer.resume(consumer.paused());
            }
        }
        if (System.nanoTime() - commitNs > COMMIT_INTERVAL_NS)
        {
            commitNs = System.nanoTime();
            consumer.commitAsync(completed, null);
        }
    }

    private void handOver(final ConsumerRecords<byte[], byte[]> records)
    {
        final List<List<ConsumerRecord<byte[], byte[]>>> parts = new ArrayList<>();
        queues.forEach((queue) -> parts.add(new ArrayList<>(records.count())));
        for (final ConsumerRecord<byte[], byte[]> record : records)
        {
            final int hash = Arrays.hashCode(record.key()) * HASH_FACTOR;
            parts.get((int)((hash & 0xFFFFFFFFL) * parts.size() >>> Integer.SIZE)).add(record);
        }
        final Polled poll = new Polled(new AtomicInteger(parts.size()), records.nextOffsets());
        polls.add(poll);
        for (int i = 0; i < parts.size(); i++)
        {
            queues.get(i).add(new Part(poll, parts.get(i)));
        }
    }

    private void complete()
    {
        if (failure.get() != null)
        {
            throw new IllegalStateException(failure.get());
        }
        while (!polls.isEmpty() && polls.peek().partsLeft.get() == 0)
        {
            completed = polls.remove().nextOffsets;
        }
    }

    @Override
    public void close()
    {
        while (!polls.isEmpty())
        {
            LockSupport.parkNanos(OdradekHandling.PARK_NS);
            complete();
        }
        consumer.commitSync(completed);
        consumer.close();
        queues.forEach((queue) -> queue.add(new Part(null, null)));
    }
}
