// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.network.Selectable;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The whole stock consumer as its users have it, on recorded answers instead of sockets: its network client, fetcher,
 * deserializers and a {@code ConsumerRecord} for each record. Classic, assigned by hand, values as byte arrays.
 */
final class KafkaClientsPollReader implements FetchBenchmark.Reader
{
    /** What the stock client has in our other scenarios: faster than its default of 500. */
    private static final int MAX_POLL_RECORDS = 1_000;
    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final int recordCount;
    private long sum;

    KafkaClientsPollReader(final RecordedBatches batches, final boolean isCheckingCrcs)
    {
        recordCount = batches.recordCount();
        consumer = new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, RecordedBroker.HOST + ":" + RecordedBroker.PORT,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS,
                ConsumerConfig.CHECK_CRCS_CONFIG, isCheckingCrcs,
                // The recorded broker takes none.
                ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false),
            new ByteArrayDeserializer(), new ByteArrayDeserializer());
        replaceSelector(new RecordedSelector(batches));
        final TopicPartition partition = new TopicPartition(RecordedBroker.TOPIC, 0);
        consumer.assign(List.of(partition));
        consumer.seek(partition, 0);
    }

    /** Before anything is connected. kafka-clients takes no selector from outside, so its fields are written. */
    private void replaceSelector(final Selectable selector)
    {
        try
        {
            Object owner = consumer;
            for (final String name : List.of("delegate", "client", "client"))
            {
                owner = field(owner, name).get(owner);
            }
            final Field own = field(owner, "selector");
            ((Selectable)own.get(owner)).close();
            own.set(owner, selector);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("The network client of this kafka-clients has another place.", ex);
        }
    }

    private static Field field(final Object owner, final String name) throws NoSuchFieldException
    {
        final Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    @Override
    public long readFetch()
    {
        int left = recordCount;
        while (left > 0)
        {
            for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT))
            {
                final byte[] value = record.value();
                sum += RecordedBatches.touch(record.offset(), record.timestamp(), record.serializedKeySize(),
                    value[0], value[value.length - 1]);
                left--;
            }
        }
        if (left < 0)
        {
            throw new IllegalStateException(-left + " records more than a fetch holds.");
        }
        return sum;
    }
}
