// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongSerializer;

import java.util.Map;

/**
 * The producer of every arm that speaks to a broker, with the same settings for all.
 */
final class StockProducer implements AutoCloseable
{
    static final String ACKS = "1";

    /** Holds a partition's messages of 150 ms. With the default, a request of 900 partitions pins half the memory. */
    static final int BATCH_SIZE = 4 * 1024;

    /** Longer than an overloaded step lasts: what is sent again without need arrives twice. */
    private static final int REQUEST_TIMEOUT_MS = 120_000;
    private static final int DELIVERY_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 30_000;

    private final KafkaProducer<Integer, Long> producer;
    private final Callback callback;

    StockProducer(final ChainSettings settings, final Arrivals arrivals)
    {
        producer = new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap(),
                ProducerConfig.ACKS_CONFIG, ACKS,
                ProducerConfig.LINGER_MS_CONFIG, settings.lingerMs(),
                ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS),
            new IntegerSerializer(), new LongSerializer());
        callback = (metadata, exception) ->
        {
            if (exception != null)
            {
                arrivals.onFailure(exception);
            }
        };
    }

    void send(final String topic, final int chain, final int hops, final long intendedNs)
    {
        producer.send(new ProducerRecord<>(topic, chain, hops, intendedNs), callback);
    }

    @Override
    public void close()
    {
        producer.close();
    }
}
