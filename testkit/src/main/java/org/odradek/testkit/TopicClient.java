// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A client that creates, describes, fills and deletes topics of any cluster. Several threads may use one object.
 * Methods that wait for the cluster throw an unchecked exception if the cluster does not answer in time, or if the
 * thread is interrupted.
 */
public final class TopicClient implements AutoCloseable
{
    private static final long TIMEOUT_SECONDS = 120;
    private static final int FILL_BATCH_LENGTH = 256 * 1024;
    private static final int FILL_LINGER_MS = 20;

    private final String bootstrapServers;
    private Admin admin;
    private boolean isClosed;

    /** Creates a client, which connects when it is first used. */
    public TopicClient(final String bootstrapServers)
    {
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * Returns the admin client, which {@link #close()} closes.
     *
     * @throws IllegalStateException if this client is closed.
     */
    public synchronized Admin admin()
    {
        if (isClosed)
        {
            throw new IllegalStateException("This client is closed.");
        }
        if (admin == null)
        {
            admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200,
                // A stalled broker must not delay the requests to other brokers.
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000));
        }
        return admin;
    }

    /**
     * Returns a new producer of bytes, which the caller closes.
     *
     * @param lingerMs how long a record may wait for other records of its batch, in milliseconds.
     * @param acks     Kafka's setting acks: "0", "1" or "all".
     */
    public Producer<byte[], byte[]> producer(final int lingerMs, final String acks)
    {
        return producer(Map.of(ProducerConfig.LINGER_MS_CONFIG, lingerMs, ProducerConfig.ACKS_CONFIG, acks));
    }

    /**
     * Returns a new producer of bytes, which the caller closes. The configs are those of Kafka's producer; the
     * bootstrap servers are by default those of this client.
     */
    public Producer<byte[], byte[]> producer(final Map<String, Object> configs)
    {
        final Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        all.putAll(configs);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Creates a topic with the default replication factor of the cluster, and waits until every partition has a leader
     * that knows the partition. While all brokers are fenced, as after a stop of the machine, it tries again. A topic
     * for records with old timestamps needs retention.ms=-1, because otherwise the broker soon deletes these records.
     *
     * @param configs settings of the topic by Kafka's names, such as "retention.ms".
     * @throws org.apache.kafka.common.errors.TopicExistsException if the topic existed before the call.
     */
    public void createTopic(final String topic, final int partitions, final Map<String, String> configs)
    {
        final NewTopic newTopic = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(configs);
        final boolean isNew = describe(topic).isEmpty();
        Await.until("a broker that is not fenced, for " + topic, () -> isCreated(newTopic, isNew));
        Await.until("leaders of all " + partitions + " partitions of " + topic, () -> hasLeaders(topic, partitions));
        Await.until("the end offsets of " + topic, () -> hasOffsets(topic, partitions));
    }

    private boolean isCreated(final NewTopic topic, final boolean isNew)
    {
        try
        {
            answer(admin().createTopics(List.of(topic)).all(), isNew, TopicExistsException.class);
            return true;
        }
        catch (final InvalidReplicationFactorException ex)
        {
            if (!ex.getMessage().contains("fenced"))
            {
                throw ex;
            }
            return false;
        }
    }

    /**
     * Increases the number of partitions of a topic, and waits until every partition has a leader.
     *
     * @param partitions new number of partitions of the topic.
     */
    public void addPartitions(final String topic, final int partitions)
    {
        final boolean areNew = describe(topic).size() < partitions;
        answer(admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all(), areNew,
            InvalidPartitionsException.class);
        Await.until("leaders of all " + partitions + " partitions of " + topic, () -> hasLeaders(topic, partitions));
    }

    private boolean hasOffsets(final String topic, final int partitions)
    {
        try
        {
            answer(admin().listOffsets(IntStream.range(0, partitions).boxed().collect(Collectors.toMap(
                (partition) -> new TopicPartition(topic, partition), (partition) -> OffsetSpec.latest()))).all());
            return true;
        }
        catch (final UnknownTopicOrPartitionException ex)
        {
            return false;
        }
    }

    /** Deletes a topic, and returns when the cluster no longer lists it. */
    public void deleteTopic(final String topic)
    {
        final boolean exists = !describe(topic).isEmpty();
        answer(admin().deleteTopics(List.of(topic)).all(), exists, UnknownTopicOrPartitionException.class);
        Await.until("the end of " + topic, () -> describe(topic).isEmpty());
    }

    /**
     * Returns how the cluster describes a partition now: its leader, replicas and in-sync replicas.
     *
     * @throws IllegalArgumentException if there is no such partition.
     */
    public TopicPartitionInfo partition(final String topic, final int partition)
    {
        final List<TopicPartitionInfo> partitions = describe(topic);
        if (partition < 0 || partitions.size() <= partition)
        {
            throw new IllegalArgumentException("There is no partition " + partition + " in topic " + topic + ".");
        }
        return partitions.get(partition);
    }

    /** Appends values without keys in large batches, and returns when all are acknowledged. */
    public void produce(final String topic, final int partition, final Iterable<byte[]> values)
    {
        final Iterator<byte[]> iterator = values.iterator();
        try (Producer<byte[], byte[]> producer = fillProducer())
        {
            final AtomicReference<Exception> failure = new AtomicReference<>();
            while (iterator.hasNext() && failure.get() == null)
            {
                send(producer, topic, partition, iterator.next(), failure);
            }
            finish(producer, failure);
        }
    }

    /**
     * Appends values without keys in large batches, and returns when all are acknowledged.
     *
     * @param value function that returns the value for each number from 0 to {@code count - 1}. The function may return
     *              the same array each time, but must not change an array that it has returned.
     */
    public void produce(final String topic, final int partition, final long count, final LongFunction<byte[]> value)
    {
        try (Producer<byte[], byte[]> producer = fillProducer())
        {
            final AtomicReference<Exception> failure = new AtomicReference<>();
            for (long i = 0; i < count && failure.get() == null; i++)
            {
                send(producer, topic, partition, value.apply(i), failure);
            }
            finish(producer, failure);
        }
    }

    @Override
    public synchronized void close()
    {
        isClosed = true;
        if (admin != null)
        {
            admin.close();
            admin = null;
        }
    }

    static <T> T answer(final KafkaFuture<T> future)
    {
        try
        {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for the cluster.", ex);
        }
        catch (final ExecutionException ex)
        {
            if (ex.getCause() instanceof RuntimeException cause)
            {
                throw cause;
            }
            throw new IllegalStateException(ex.getCause());
        }
        catch (final TimeoutException ex)
        {
            throw new IllegalStateException("The cluster did not answer within " + TIMEOUT_SECONDS + " s.", ex);
        }
    }

    /** Ignores the exception with which a broker answers if Kafka's client has sent the request twice. */
    private static void answer(
        final KafkaFuture<Void> future, final boolean isPossible, final Class<? extends ApiException> ofRepeated)
    {
        try
        {
            answer(future);
        }
        catch (final ApiException ex)
        {
            if (!isPossible || !ofRepeated.isInstance(ex))
            {
                throw ex;
            }
        }
    }

    private boolean hasLeaders(final String topic, final int partitions)
    {
        final List<TopicPartitionInfo> found = describe(topic);
        return found.size() == partitions &&
            found.stream().allMatch((info) -> info.leader() != null && !info.leader().isEmpty());
    }

    private List<TopicPartitionInfo> describe(final String topic)
    {
        try
        {
            final Map<String, TopicDescription> found =
                answer(admin().describeTopics(List.of(topic)).allTopicNames());
            return found.get(topic).partitions();
        }
        catch (final UnknownTopicOrPartitionException ex)
        {
            return List.of();
        }
    }

    private Producer<byte[], byte[]> fillProducer()
    {
        return producer(Map.of(
            ProducerConfig.LINGER_MS_CONFIG, FILL_LINGER_MS,
            ProducerConfig.ACKS_CONFIG, "all",
            ProducerConfig.BATCH_SIZE_CONFIG, FILL_BATCH_LENGTH,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true));
    }

    private static void send(
        final Producer<byte[], byte[]> producer,
        final String topic,
        final int partition,
        final byte[] value,
        final AtomicReference<Exception> failure)
    {
        producer.send(new ProducerRecord<>(topic, partition, null, value), (metadata, exception) ->
        {
            if (exception != null)
            {
                failure.compareAndSet(null, exception);
            }
        });
    }

    private static void finish(final Producer<byte[], byte[]> producer, final AtomicReference<Exception> failure)
    {
        producer.flush();
        if (failure.get() != null)
        {
            throw new IllegalStateException("Not every record was accepted: " + failure.get(), failure.get());
        }
    }
}
