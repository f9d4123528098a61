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
 * A client that creates, describes, fills and deletes topics of any cluster. It creates its admin client on first use
 * and keeps it until {@link #close()}. It is not thread-safe.
 */
public final class TopicClient implements AutoCloseable
{
    private static final long TIMEOUT_SECONDS = 120;
    private static final int FILL_BATCH_LENGTH = 256 * 1024;
    private static final int FILL_LINGER_MS = 20;

    private final String bootstrapServers;
    private Admin admin;
    private boolean isClosed;

    public TopicClient(final String bootstrapServers)
    {
        this.bootstrapServers = bootstrapServers;
    }

    /** Returns an admin client, which is closed with this client; IllegalStateException after that. */
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
                // A stalled broker must not delay the requests to the others.
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000));
        }
        return admin;
    }

    /**
     * Returns a producer of bytes, which the caller closes.
     *
     * @param lingerMs how long a record may wait for others to fill a batch.
     * @param acks     0, 1 or all.
     */
    public Producer<byte[], byte[]> producer(final int lingerMs, final String acks)
    {
        return producer(Map.of(ProducerConfig.LINGER_MS_CONFIG, lingerMs, ProducerConfig.ACKS_CONFIG, acks));
    }

    /** Returns a producer of bytes, which the caller closes. With acks=all, the default of Kafka, it is idempotent. */
    public Producer<byte[], byte[]> producer(final Map<String, Object> configs)
    {
        final Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        all.putAll(configs);
        return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Creates a topic with a replica of every partition on every broker. Returns when every partition has a leader that
     * knows it: a leader may refuse the first batches of a producer before that and accept later ones, and the first
     * ones would then be out of sequence forever. A topic for records with old timestamps needs retention.ms=-1, or the
     * broker soon deletes them. If two threads create the same topic at the same time, neither call fails because of
     * the other: the topic has the settings of one of them, and with different numbers of partitions the other call
     * fails after the wait for its leaders.
     */
    public void createTopic(final String topic, final int partitions, final Map<String, String> configs)
    {
        final NewTopic newTopic = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(configs);
        final boolean isNew = describe(topic).isEmpty();
        answer(admin().createTopics(List.of(newTopic)).all(), isNew, TopicExistsException.class);
        Await.until("leaders of all " + partitions + " partitions of " + topic, () -> hasLeaders(topic, partitions));
        Await.until("the end offsets of " + topic, () -> hasOffsets(topic, partitions));
    }

    /**
     * Lets a topic have so many partitions. Returns when every partition has a leader. As in {@link #createTopic}, a
     * simultaneous call for the same topic does not make this one fail at once.
     */
    public void addPartitions(final String topic, final int partitions)
    {
        final boolean areNew = describe(topic).size() < partitions;
        answer(admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(partitions))).all(), areNew,
            InvalidPartitionsException.class);
        Await.until("leaders of all " + partitions + " partitions of " + topic, () -> hasLeaders(topic, partitions));
    }

    /** The client retries while a leader does not know its partition, but not while another broker does not. */
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

    /** Deletes a topic, and returns when the cluster does not list it any more. */
    public void deleteTopic(final String topic)
    {
        final boolean exists = !describe(topic).isEmpty();
        answer(admin().deleteTopics(List.of(topic)).all(), exists, UnknownTopicOrPartitionException.class);
        Await.until("the end of " + topic, () -> describe(topic).isEmpty());
    }

    /** Returns the description of a partition by the cluster. */
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
     * @param topic     to append to.
     * @param partition to append to.
     * @param count     how many values.
     * @param value     returns the value for each number from 0. It may return the same array each time, but must not
     *                  change an array that it has returned.
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

    /** Waits for a result of the admin client, and throws its failure as an unchecked exception. */
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

    /**
     * Waits for a change to be made. The admin client sends a request again if its answer is late. If the first one has
     * had its effect, the second one fails, although all is well.
     *
     * @param isPossible whether the change could be made before.
     * @param ofRepeated what a second request fails with.
     */
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
