// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.produce;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.rig.Settings;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** The stock producer as an expert sets it: large batches for many records, no linger for a trickle. */
final class StockProducing implements Producing
{
    /** For many records. */
    static final Map<String, Object> TUNED = Environment.ordered(
        ProducerConfig.LINGER_MS_CONFIG, 5,
        ProducerConfig.BUFFER_MEMORY_CONFIG, OdradekProducing.BUFFER_MEMORY,
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG, OdradekProducing.REQUEST_LENGTH,
        ProducerConfig.SEND_BUFFER_CONFIG, -1);

    private final boolean hasKeys;
    private final String topic;
    private final Acknowledgements acknowledgements;
    /** The producer copies both while it takes a record. */
    private final byte[] keyBytes = new byte[Long.BYTES];
    private final byte[] valueBytes;
    private final UnsafeBuffer key = new UnsafeBuffer(keyBytes);
    private final UnsafeBuffer value;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Callback onSent = (metadata, cause) -> failed(cause);
    private final KafkaProducer<byte[], byte[]> producer;

    StockProducing(final Settings settings, final Acknowledgements acknowledgements)
    {
        this.acknowledgements = acknowledgements;
        hasKeys = settings.is("hasKeys");
        topic = settings.text("topic");
        valueBytes = new byte[settings.number("valueLength")];
        value = new UnsafeBuffer(valueBytes);
        final Map<String, Object> configs = Environment.ordered(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
            ProducerConfig.ACKS_CONFIG, settings.text("acks"));
        if (acknowledgements == null)
        {
            configs.putAll(TUNED);
            configs.put(ProducerConfig.BATCH_SIZE_CONFIG,
                OdradekProducing.batchLength(settings.number("partitionCount")));
            configs.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, settings.text("compression"));
        }
        else
        {
            configs.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        }
        producer = new KafkaProducer<>(configs, new ByteArraySerializer(), new ByteArraySerializer());
        producer.partitionsFor(topic);
    }

    private void failed(final Exception cause)
    {
        if (cause != null)
        {
            failure.compareAndSet(null, cause);
        }
    }

    @Override
    public void offer(final long number)
    {
        value.putLong(0, number);
        key.putLong(0, number);
        producer.send(new ProducerRecord<>(topic, hasKeys ? keyBytes : null, valueBytes),
            acknowledgements == null ? onSent : (metadata, cause) ->
            {
                failed(cause);
                acknowledgements.onAcknowledged(number);
            });
    }

    @Override
    public void work(final long waitNs)
    {
        LockSupport.parkNanos(waitNs);
    }

    @Override
    public void flush()
    {
        producer.flush();
        if (failure.get() != null)
        {
            throw new IllegalStateException(failure.get());
        }
    }

    @Override
    public void close()
    {
        producer.close();
    }
}
