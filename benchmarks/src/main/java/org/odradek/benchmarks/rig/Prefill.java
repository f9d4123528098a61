// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.odradek.benchmarks.report.Usage;

/**
 * Fills the partitions of a topic by turns, in its own JVM. Each line lets it write for a second; it answers how far it
 * is, and in the end the sum that every client must read.
 */
public final class Prefill implements RigMain.Task
{
    /** The producer's default, so that the log looks as most logs do. */
    public static final int BATCH_SIZE = 16 * 1024;
    /** Long enough that every batch but the last is full. */
    public static final int LINGER_MS = 100;
    private static final int RECORDS_BETWEEN_LOOKS = 4096;
    private static final long ANSWER_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final List<ProducerRecord<byte[], byte[]>> recordOfPartition = new ArrayList<>();
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicLongArray lastOffsets;
    private final long records;
    // The producer copies a value into its batch before send() returns, so one array is enough.
    private final byte[] value;
    private final Callback callback = this::onCompletion;
    private long number;
    private long sum;

    /**
     * @param settings bootstrap, topic, partitionCount, records of all of them together, valueLength and codec.
     */
    public Prefill(final Settings settings)
    {
        records = Long.parseLong(settings.text("records"));
        value = new byte[settings.number("valueLength")];
        lastOffsets = new AtomicLongArray(settings.number("partitionCount"));
        for (int partition = 0; partition < lastOffsets.length(); partition++)
        {
            recordOfPartition.add(new ProducerRecord<>(settings.text("topic"), partition, null, value));
        }
        producer = new KafkaProducer<>(Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
            ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE,
            ProducerConfig.LINGER_MS_CONFIG, LINGER_MS,
            ProducerConfig.COMPRESSION_TYPE_CONFIG, settings.text("codec")),
            new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * The parent's side: fills a topic in a process of its own.
     *
     * @param progress gets a line a second.
     * @return what every client must read.
     */
    public static Usage fill(final String caseName, final Settings settings, final Consumer<String> progress)
    {
        final long startNs = System.nanoTime();
        try (Child child = Child.start("prefill", Prefill.class, settings, Child.Jvm.STANDARD))
        {
            child.awaitStart();
            final long records = Long.parseLong(settings.text("records"));
            Usage written = new Usage();
            while (written.records < records)
            {
                written = child.parse(child.ask("fill"), Usage.class);
                if (written.records < records)
                {
                    progress.accept(String.format(
                        Locale.ROOT, "%s: filling the topic, %d %%", caseName, 100 * written.records / records));
                }
            }
            progress.accept(String.format(Locale.ROOT, "%s: %,d records written in %.1f s",
                caseName, records, (System.nanoTime() - startNs) / 1e9));
            return written;
        }
    }

    @Override
    public Object obey(final String word, final String argument)
    {
        final long untilNs = System.nanoTime() + ANSWER_INTERVAL_NS;
        do
        {
            send(Math.min(records, number + RECORDS_BETWEEN_LOOKS));
        }
        while (number < records && System.nanoTime() - untilNs < 0);
        if (number == records)
        {
            producer.flush();
            for (int partition = 0; failure.get() == null && partition < lastOffsets.length(); partition++)
            {
                final long lastOffset = lastOffsets.get(partition);
                if (lastOffset != records / lastOffsets.length() - 1)
                {
                    failure.set(new IllegalStateException(
                        "the last offset of partition " + partition + " is " + lastOffset));
                }
            }
        }
        final Exception cause = failure.get();
        if (cause != null)
        {
            throw new IllegalStateException("prefill: the topic was not filled: " + cause.getMessage(), cause);
        }
        final Usage written = new Usage();
        written.records = number;
        written.bytes = number * value.length;
        written.sum = sum;
        return written;
    }

    private void send(final long end)
    {
        for (; number < end; number++)
        {
            ThreeLongs.fill(value, number, number);
            sum += ThreeLongs.sum(value);
            producer.send(recordOfPartition.get((int)(number % lastOffsets.length())), callback);
        }
    }

    private void onCompletion(
        final RecordMetadata metadata, final Exception exception)
    {
        if (exception != null)
        {
            failure.compareAndSet(null, exception);
        }
        else
        {
            lastOffsets.set(metadata.partition(), metadata.offset());
        }
    }
}
