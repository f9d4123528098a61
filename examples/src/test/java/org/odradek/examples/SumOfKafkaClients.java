// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.BooleanSupplier;

/**
 * Adds up the values of a topic as a member of a group, with kafka-clients.
 */
final class SumOfKafkaClients
{
    private long sum;

    /** The properties name the brokers and the group. */
    long run(final Properties properties, final String topic, final BooleanSupplier isRunning)
    {
        try (KafkaConsumer<String, Long> consumer =
            new KafkaConsumer<>(properties, new StringDeserializer(), new LongDeserializer()))
        {
            consumer.subscribe(List.of(topic));
            while (isRunning.getAsBoolean())
            {
                for (final ConsumerRecord<String, Long> record : consumer.poll(Duration.ofMillis(100)))
                {
                    if (record.value() != null)
                    {
                        sum += record.value();
                    }
                }
            }
        }
        return sum;
    }
}
