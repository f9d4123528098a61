/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Fills a topic of one partition, in a JVM of its own, and says on standard output how far it has come: one JSON line a
 * second and a last one with the sum that every arm must come to.
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
    private final AtomicLong lastOffset = new AtomicLong(-1);

    private Prefill()
    {
    }

    /**
     * @param args HOST:PORT, topic, number of records, length of a value.
     * @throws JsonProcessingException never.
     */
    public static void main(final String[] args) throws JsonProcessingException
    {
        new Prefill().run(args[0], args[1], Long.parseLong(args[2]), Integer.parseInt(args[3]));
    }

    private void run(final String bootstrap, final String topic, final long records, final int valueLength)
        throws JsonProcessingException
    {
        final Properties properties = new Properties();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        final long sum;
        try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()))
        {
            sum = send(producer, topic, records, valueLength);
            producer.flush();
        }
        failOnError();
        if (lastOffset.get() != records - 1)
        {
            throw new IllegalStateException("prefill: the last offset is " + lastOffset + ", not " + (records - 1));
        }
        say(new Progress(records, sum, true));
    }

    private long send(
        final KafkaProducer<byte[], byte[]> producer, final String topic, final long records, final int valueLength)
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
                lastOffset.set(metadata.offset());
            }
        };
        // The producer copies a value into its batch before send() returns, so one array and one record do for all.
        final byte[] value = new byte[valueLength];
        final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, null, value);
        long sum = 0;
        long nextReportNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        for (long number = 0; number < records; number++)
        {
            ThreeLongs.fill(value, number);
            sum += ThreeLongs.sum(value);
            producer.send(record, callback);
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
