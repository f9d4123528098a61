// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.TopicClient;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Fills the partitions of a topic by turns, in its own JVM. It writes a remark a second, and answers with the sum that
 * every client must read. The producer is idempotent, so what is acknowledged is in the log once and in order.
 */
public final class Prefill implements RigMain.Task
{
    /** The producer's default, so that the log looks as most logs do. */
    public static final int BATCH_SIZE = 16 * 1024;
    /** Long enough that every batch but the last is full. */
    public static final int LINGER_MS = 100;
    private static final int RECORDS_BETWEEN_LOOKS = 4096;
    private static final long REMARK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final List<ProducerRecord<byte[], byte[]>> recordOfPartition;
    private final Keys keys;
    private final Producer<byte[], byte[]> producer;
    private final long records;
    /** The producer copies a value into its batch before send() returns, so one array is enough. */
    private final byte[] value;
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    /**
     * @param settings bootstrap, topic, partitionCount, records of all of them together, valueLength and codec; keys,
     *                 with which there is one partition, if records have some.
     */
    public Prefill(final Settings settings)
    {
        records = settings.number("records", 0);
        value = new byte[settings.number("valueLength")];
        keys = settings.has("keys") ? new Keys(settings.text("keys")) : null;
        recordOfPartition = IntStream.range(0, settings.number("partitionCount")).mapToObj(
            (partition) -> new ProducerRecord<byte[], byte[]>(settings.text("topic"), partition, null, value)).toList();
        producer = new TopicClient(settings.text("bootstrap")).producer(Map.of(
            ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE,
            ProducerConfig.LINGER_MS_CONFIG, LINGER_MS,
            ProducerConfig.COMPRESSION_TYPE_CONFIG, settings.text("codec")));
    }

    /** Fills a topic in a process of its own, and returns what every client must read. Progress is a line a second. */
    public static Usage fill(final String caseName, final Settings settings, final Consumer<String> progress)
    {
        final long startNs = System.nanoTime();
        try (Child child = Child.start("prefill", Prefill.class, settings, Child.Jvm.STANDARD)
            .onRemark((line) -> progress.accept(caseName + ": " + line)))
        {
            child.awaitStart();
            final Usage written = child.ask("fill", Usage.class);
            progress.accept(String.format(Locale.ROOT, "%s: %,d records written in %.1f s",
                caseName, written.records, (System.nanoTime() - startNs) / 1e9));
            return written;
        }
    }

    @Override
    public Object obey(final String word, final String argument)
    {
        final Usage written = new Usage();
        long remarkNs = System.nanoTime();
        for (; written.records < records && failure.get() == null; written.records++)
        {
            ThreeLongs.fill(value, written.records, written.records);
            written.sum += ThreeLongs.sum(value);
            final ProducerRecord<byte[], byte[]> next =
                recordOfPartition.get((int)(written.records % recordOfPartition.size()));
            producer.send(keys == null ? next : new ProducerRecord<>(next.topic(), keys.bytes(written.records), value),
                (metadata, exception) -> failure.compareAndSet(null, exception));
            if (written.records % RECORDS_BETWEEN_LOOKS == 0 && System.nanoTime() - remarkNs > REMARK_INTERVAL_NS)
            {
                System.out.println("filling the topic, " + 100 * written.records / records + " %");
                remarkNs += REMARK_INTERVAL_NS;
            }
        }
        producer.flush();
        if (failure.get() != null)
        {
            throw new IllegalStateException("prefill: the topic was not filled: " + failure, failure.get());
        }
        written.bytes = written.records * value.length;
        return written;
    }
}
