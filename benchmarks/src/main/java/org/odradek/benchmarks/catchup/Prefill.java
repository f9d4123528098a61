// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Fills the partitions of a topic by turns, in a JVM of its own, and says on standard output how far it has come: one
 * JSON line a second and a last one with the sum that every arm must come to.
 */
public final class Prefill
{
    /** The producer's default, so that the log looks as most logs do. */
    static final int BATCH_SIZE = 16 * 1024;
    /** Long enough that every batch but the last is full. */
    static final int LINGER_MS = 100;

    private static final int RECORDS_BETWEEN_LOOKS = 4096;

    /**
     * @param written records handed to the producer so far.
     * @param sum     three longs of each of them added up.
     * @param done    all of them are in the log.
     */
    record Progress(long written, long sum, boolean done)
    {
    }

    private final ObjectMapper mapper = new ObjectMapper();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final String topic;
    private final AtomicLongArray lastOffsets;
    private final long records;

    private Prefill(final String topic, final int partitions, final long records)
    {
        this.topic = topic;
        this.records = records;
        lastOffsets = new AtomicLongArray(partitions);
    }

    /**
     * @param args HOST:PORT, topic, partitions, records of all of them together, length of a value, codec.
     * @throws JsonProcessingException never.
     */
    public static void main(final String[] args) throws JsonProcessingException
    {
        new Prefill(args[1], Integer.parseInt(args[2]), Long.parseLong(args[3]))
            .run(args[0], Integer.parseInt(args[4]), args[5]);
    }

    private void run(final String bootstrap, final int valueLength, final String codec) throws JsonProcessingException
    {
        final Properties properties = new Properties();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, codec);
        final long sum;
        try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()))
        {
            sum = send(producer, valueLength);
            producer.flush();
        }
        failOnError();
        final long expected = records / lastOffsets.length() - 1;
        for (int partition = 0; partition < lastOffsets.length(); partition++)
        {
            if (lastOffsets.get(partition) != expected)
            {
                throw new IllegalStateException("prefill: the last offset of partition " + partition + " is " +
                    lastOffsets.get(partition) + ", not " + expected);
            }
        }
        say(new Progress(records, sum, true));
    }

    private long send(final KafkaProducer<byte[], byte[]> producer, final int valueLength)
        throws JsonProcessingException
    {
        final Callback callback = (metadata, exception) ->
        {
            if (exception != null)
            {
                failure.compareAndSet(null, exception);
            }
            else
            {
                lastOffsets.set(metadata.partition(), metadata.offset());
            }
        };
        // The producer copies a value into its batch before send() returns, so one array does for all.
        final byte[] value = new byte[valueLength];
        final List<ProducerRecord<byte[], byte[]>> recordOfPartition = new ArrayList<>();
        for (int partition = 0; partition < lastOffsets.length(); partition++)
        {
            recordOfPartition.add(new ProducerRecord<>(topic, partition, null, value));
        }
        long sum = 0;
        long nextReportNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        for (long number = 0; number < records; number++)
        {
            ThreeLongs.fill(value, number);
            sum += ThreeLongs.sum(value);
            producer.send(recordOfPartition.get((int)(number % lastOffsets.length())), callback);
            if (number % RECORDS_BETWEEN_LOOKS == 0 && System.nanoTime() - nextReportNs >= 0)
            {
                failOnError();
                say(new Progress(number + 1, sum, false));
                nextReportNs += TimeUnit.SECONDS.toNanos(1);
            }
        }
        return sum;
    }

    private void failOnError()
    {
        final Exception cause = failure.get();
        if (cause != null)
        {
            throw new IllegalStateException("prefill: the broker refused a record: " + cause.getMessage(), cause);
        }
    }

    private void say(final Progress progress) throws JsonProcessingException
    {
        System.out.println(mapper.writeValueAsString(progress));
    }
}
