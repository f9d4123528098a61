// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.LongDeserializer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A stock consumer and what is done with its records: to the next topic, or to the end of the chain. It stands behind
 * what its partitions hold when it is made.
 */
final class StockReader implements AutoCloseable
{
    private final Map<String, Integer> steps = new HashMap<>();
    private final KafkaConsumer<Integer, Long> consumer;
    private final Duration pollTimeout;
    private final String[] nextTopics = new String[Chains.TOPICS];
    private final StockProducer producer;
    private final ChainEnd end;

    /**
     * @param producer for the services among the steps.
     * @param end      for the last step, or null if that is not among them.
     */
    StockReader(
        final ChainSettings settings,
        final List<TopicPartition> partitions,
        final Duration pollTimeout,
        final StockProducer producer,
        final ChainEnd end)
    {
        this.pollTimeout = pollTimeout;
        this.producer = producer;
        this.end = end;
        for (int step = 0; step < Chains.TOPICS; step++)
        {
            steps.put(settings.topic(step), step);
            nextTopics[step] = settings.topic(step + 1);
        }
        consumer = new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap(),
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false),
            new IntegerDeserializer(), new LongDeserializer());
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        // The place is looked for when it is asked for, and the first message must not be before it.
        new ArrayList<>(partitions).forEach(consumer::position);
    }

    void poll()
    {
        for (final ConsumerRecord<Integer, Long> next : consumer.poll(pollTimeout))
        {
            final int step = steps.get(next.topic());
            if (step == Chains.SERVICES)
            {
                end.onMessage(next.partition(), next.key(), next.value());
            }
            else
            {
                producer.send(nextTopics[step], next.partition(), next.key() + 1, next.value());
            }
        }
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
