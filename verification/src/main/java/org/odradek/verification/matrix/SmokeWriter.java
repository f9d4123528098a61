// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * The main class of the writing process, which has the clients of the broker's version on its class path. It calls only
 * methods that clients have had since 0.11.
 */
public final class SmokeWriter
{
    private static final String FILL = "fill";

    private final String bootstrap;

    private SmokeWriter(final String bootstrap)
    {
        this.bootstrap = bootstrap;
    }

    /**
     * @param args bootstrap server; "fill" to create and fill all topics, or "more" to append to them; their names.
     * @throws Exception if a record was not accepted.
     */
    public static void main(final String[] args) throws Exception
    {
        final SmokeWriter writer = new SmokeWriter(args[0]);
        final boolean isFill = FILL.equals(args[1]);
        final List<SmokeTopic> topics = new ArrayList<>();
        for (int i = 2; i < args.length; i++)
        {
            topics.add(SmokeTopic.of(args[i]));
        }
        if (isFill)
        {
            writer.create(topics);
            writer.writeTransactions();
        }
        for (final SmokeTopic topic : topics)
        {
            writer.write(topic, isFill ? 0 : SmokeTopic.COUNT, isFill ? SmokeTopic.COUNT : SmokeTopic.MORE);
        }
        System.exit(0);
    }

    private void create(final List<SmokeTopic> topics) throws ExecutionException, InterruptedException
    {
        final List<NewTopic> all = new ArrayList<>();
        for (final SmokeTopic topic : topics)
        {
            final Map<String, String> configs = new HashMap<>();
            if (topic.magic() < 2)
            {
                configs.put("message.format.version", topic.magic() == 0 ? "0.9.0" : "0.10.0");
            }
            else
            {
                all.add(new NewTopic(topic.published(SmokeTopic.ACKS_ALL), 1, (short) 1));
                all.add(new NewTopic(topic.published(SmokeTopic.ACKS_LEADER), 1, (short) 1));
            }
            all.add(new NewTopic(topic.name(), 1, (short) 1).configs(configs));
        }
        all.add(new NewTopic(SmokeTopic.TRANSACTIONS, 1, (short) 1));
        final Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        try (AdminClient admin = AdminClient.create(properties))
        {
            admin.createTopics(all).all().get();
        }
    }

    private void write(final SmokeTopic topic, final int from, final int count)
        throws ExecutionException, InterruptedException
    {
        final Properties properties = properties();
        properties.put("compression.type", topic.codec());
        // Several batches of several records each.
        properties.put("batch.size", 8_000);
        properties.put("linger.ms", 50);
        try (Producer<byte[], byte[]> producer =
            new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()))
        {
            final List<Future<?>> sent = new ArrayList<>();
            for (int i = from; i < from + count; i++)
            {
                sent.add(producer.send(record(topic.name(), i, topic.hasHeaders())));
            }
            for (final Future<?> each : sent)
            {
                each.get();
            }
        }
    }

    private void writeTransactions() throws ExecutionException, InterruptedException
    {
        final Properties properties = properties();
        properties.put("transactional.id", "smoke");
        try (Producer<byte[], byte[]> producer =
            new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()))
        {
            producer.initTransactions();
            for (int t = 0; t < 3; t++)
            {
                producer.beginTransaction();
                for (int i = 0; i < SmokeTopic.TRANSACTION_LENGTH; i++)
                {
                    producer.send(
                        record(SmokeTopic.TRANSACTIONS, t * SmokeTopic.TRANSACTION_LENGTH + i, true)).get();
                }
                if (t == 1)
                {
                    producer.abortTransaction();
                }
                else
                {
                    producer.commitTransaction();
                }
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> record(
        final String topic, final int number, final boolean hasHeaders)
    {
        final ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
            topic, 0, SmokeTopic.timestamp(number), SmokeTopic.key(number), SmokeTopic.value(number));
        if (hasHeaders)
        {
            record.headers().add(SmokeTopic.HEADER, SmokeTopic.key(number));
        }
        return record;
    }

    private Properties properties()
    {
        final Properties properties = new Properties();
        properties.put("bootstrap.servers", bootstrap);
        properties.put("acks", "all");
        properties.put("max.in.flight.requests.per.connection", 1);
        return properties;
    }
}
