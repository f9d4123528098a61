// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.lang.reflect.Constructor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.BootstrapConfiguration;
import org.apache.kafka.clients.KafkaClient;
import org.apache.kafka.clients.MetadataRecoveryStrategy;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.clients.consumer.internals.ConsumerMetadata;
import org.apache.kafka.clients.consumer.internals.SubscriptionState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;
import org.odradek.benchmarks.jmh.FetchBenchmark.FetchParameters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The whole stock consumer as its users have it, on recorded answers instead of sockets: its network client, fetcher,
 * deserializers and a {@code ConsumerRecord} for each record. Classic, assigned by hand, values as byte arrays.
 */
@State(Scope.Benchmark)
public class KafkaClientsPollReader
{
    /** What the stock client has in our other scenarios: faster than its default of 500. */
    private static final int MAX_POLL_RECORDS = 1_000;
    private static final int MAX_IN_FLIGHT = 100;
    private static final int TIMEOUT_MS = 30_000;
    private static final int BACKOFF_MS = 50;
    private static final int SYSTEM_BUFFER = -1;
    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    private long sum;
    private int recordCount;
    private KafkaConsumer<byte[], byte[]> consumer;

    @Setup
    public void setUp(final FetchParameters parameters)
    {
        final TopicPartition partition = new TopicPartition(RecordedAnswers.TOPIC, 0);
        recordCount = parameters.batches().recordCount();
        consumer = open(new RecordedAnswers(parameters.batches()), parameters.isCheckingCrcs);
        consumer.assign(List.of(partition));
        consumer.seek(partition, 0);
        parameters.check(readFetch());
    }

    @TearDown
    public void tearDown()
    {
        consumer.close();
    }

    private void onRecord(final ConsumerRecord<byte[], byte[]> record)
    {
        final byte[] value = record.value();
        sum += RecordedBatches.touch(
            record.offset(), record.timestamp(), record.serializedKeySize(), value[0], value[value.length - 1]);
    }

    /**
     * @return the sum over the records of all fetches so far.
     */
    long readFetch()
    {
        int left = recordCount;
        while (left > 0)
        {
            for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT))
            {
                onRecord(record);
                left--;
            }
        }
        if (left < 0)
        {
            throw new IllegalStateException(-left + " records more than a fetch holds.");
        }
        return sum;
    }

    /**
     * Makes a {@link KafkaConsumer} whose network client, its own in every other respect, has a {@link
     * RecordedSelector}. The constructor that takes a network client is the one kafka-clients tests itself by; it is
     * not public.
     */
    private static KafkaConsumer<byte[], byte[]> open(final RecordedAnswers answers, final boolean isCheckingCrcs)
    {
        final LogContext log = new LogContext();
        final ConsumerConfig config = new ConsumerConfig(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, RecordedAnswers.HOST + ":" + RecordedAnswers.PORT,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS,
            ConsumerConfig.CHECK_CRCS_CONFIG, isCheckingCrcs));
        final SubscriptionState subscriptions = new SubscriptionState(log, AutoOffsetResetStrategy.NONE);
        final ConsumerMetadata metadata =
            new ConsumerMetadata(config, subscriptions, log, new ClusterResourceListeners());
        metadata.bootstrap(List.of(new InetSocketAddress(RecordedAnswers.HOST, RecordedAnswers.PORT)));
        final KafkaClient client = new NetworkClient(new RecordedSelector(answers), metadata, "recorded", MAX_IN_FLIGHT,
            BACKOFF_MS, BACKOFF_MS, SYSTEM_BUFFER, SYSTEM_BUFFER, TIMEOUT_MS, TIMEOUT_MS, TIMEOUT_MS, Time.SYSTEM, true,
            new ApiVersions(), log, MetadataRecoveryStrategy.NONE, BootstrapConfiguration.DISABLED, false);
        return construct(log, config, client, subscriptions, metadata);
    }

    @SuppressWarnings("unchecked")
    private static KafkaConsumer<byte[], byte[]> construct(final LogContext log, final ConsumerConfig config,
        final KafkaClient client, final SubscriptionState subscriptions, final ConsumerMetadata metadata)
    {
        try
        {
            final Constructor<?> constructor = KafkaConsumer.class.getDeclaredConstructor(
                LogContext.class, Time.class, ConsumerConfig.class, Deserializer.class, Deserializer.class,
                KafkaClient.class, SubscriptionState.class, ConsumerMetadata.class, List.class);
            constructor.setAccessible(true);
            return (KafkaConsumer<byte[], byte[]>)constructor.newInstance(log, Time.SYSTEM, config,
                new ByteArrayDeserializer(), new ByteArrayDeserializer(), client, subscriptions, metadata, List.of());
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("This kafka-clients has no constructor that takes a network client.", ex);
        }
    }
}
