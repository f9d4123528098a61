// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.odradek.benchmarks.clients.OdradekClient;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.ConsumerAgent;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Chains on Kafka, with our consumer or the stock one. As the article has it each service is a thread with a consumer
 * and a producer of its own. On one thread each client does it as well as it goes, with one producer: the stock one is
 * one consumer of all partitions of all topics, ours a consumer for each topic and one poller to sleep in. The producer
 * is the stock one, with the same settings, or our publisher: one on the thread of all services, and one on the thread
 * that writes the first messages. A message's key is its chain and how many services it went through,
 * its value when it was due. The chain chooses the partition; chains that share one stay in order in it.
 */
final class KafkaChains extends Chains
{
    static final String ACKS = "1";
    /** Holds a chain's messages of 150 ms. With the default, a request of 900 partitions pins half the memory. */
    static final int BATCH_SIZE_OF_CHAIN = 4 * 1024;
    /** The partitions of each topic, if chains share them. */
    static final int SHARED_PARTITIONS = 4;
    /** Longer than an overloaded step lasts: what is sent again without need arrives twice. */
    private static final int REQUEST_TIMEOUT_MS = 120_000;
    private static final int DELIVERY_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 30_000;
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    /** As the idle strategy of the other arms. */
    private static final long MAX_IDLE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int RECORD_LIMIT = 10_000;
    private static final int HOP_BITS = 3;
    private static final int HOP_MASK = (1 << HOP_BITS) - 1;

    private final ChainArm arm;
    private final Settings settings;
    private final int partitions;
    private final List<String> topics;
    /** For each topic of the first chain, then of the next. */
    private final List<KafkaProducer<Integer, Long>> producers;
    /** Of the thread that writes into the first topic; null without our publisher, as the next one. */
    private final PublishedTopics source;
    /** Of the thread of all services, which sets it. */
    private PublishedTopics services;
    private final Callback onSent = (metadata, cause) ->
    {
        if (cause != null)
        {
            fail(cause);
        }
    };

    KafkaChains(final ChainArm arm, final Settings settings, final Messages messages)
    {
        super(messages);
        this.arm = arm;
        this.settings = settings;
        partitions = arm.partitions(messages.chains);
        topics = IntStream.range(0, TOPICS).mapToObj((step) -> settings.text("topics") + step).toList();
        final int count = messages.chains * TOPICS;
        source = arm.publisherAcks == null ? null :
            closing(new PublishedTopics(arm, settings, topics.subList(0, 1), null, this::fail));
        producers = source != null ? List.of() :
            arm.isThreadPerService ? Stream.generate(this::producer).limit(count).toList() :
            Collections.nCopies(count, producer());
        if (arm.isThreadPerService)
        {
            IntStream.range(0, count).forEach((i) ->
                start("-" + i / TOPICS + "-" + i % TOPICS, i % TOPICS, i % TOPICS, i / TOPICS));
        }
        else
        {
            start("s", 0, SERVICES, IntStream.range(0, partitions).toArray());
        }
    }

    private KafkaProducer<Integer, Long> producer()
    {
        final int chainsOfPartition = (messages.chains + partitions - 1) / partitions;
        return closing(new KafkaProducer<>(Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
            ProducerConfig.ACKS_CONFIG, ACKS,
            ProducerConfig.LINGER_MS_CONFIG, settings.number("lingerMs"),
            ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE_OF_CHAIN * chainsOfPartition,
            ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS),
            new IntegerSerializer(), new LongSerializer()));
    }

    private void start(final String name, final int firstStep, final int lastStep, final int... assigned)
    {
        start(name, () -> arm.stockTimeout == null ? openOurs(firstStep, lastStep, assigned) :
            openStock(firstStep, lastStep, assigned));
    }

    @Override
    void write(final int chain, final int step, final int hops, final long dueNs)
    {
        if (source != null)
        {
            (step == 0 ? source : services).write(
                step == 0 ? 0 : step - 1, chain % partitions, chain << HOP_BITS | hops, dueNs);
            return;
        }
        producers.get(chain * TOPICS + step).send(
            new ProducerRecord<>(topics.get(step), chain % partitions, chain << HOP_BITS | hops, dueNs), onSent);
    }

    @Override
    void work()
    {
        if (source != null)
        {
            source.work();
        }
    }

    private void pass(final int step, final int key, final long dueNs)
    {
        pass(key >>> HOP_BITS, step, key & HOP_MASK, dueNs);
    }

    private Runnable openOurs(final int firstStep, final int lastStep, final int... assigned)
    {
        final Poller poller = arm.isThreadPerService ? null : ConsumerContext.openPoller(TransportType.AUTO);
        final IdleStrategy idleStrategy = poller == null ? new NoOpIdleStrategy() : ConsumerAgent.idleStrategy(poller);
        final long timeoutNs = poller == null ? POLL_TIMEOUT_NS : 0;
        final TopicConsumer[] consumers = new TopicConsumer[lastStep + 1 - firstStep];
        final RecordHandler[] handlers = new RecordHandler[consumers.length];
        for (int i = 0; i < consumers.length; i++)
        {
            final int step = lastStep - i;
            handlers[i] = (message) -> pass(step,
                message.buffer().getInt(message.keyIndex(), BIG_ENDIAN),
                message.buffer().getLong(message.valueIndex(), BIG_ENDIAN));
            consumers[i] = closing(TopicConsumer.connect(new ConsumerContext()
                .bootstrapServers(settings.text("bootstrap"))
                .topic(topics.get(step))
                .partitions(assigned)
                .startPosition(StartPosition.latest())
                .errorHandler(this::fail)
                .poller(poller)));
        }
        services = source == null ? null :
            closing(new PublishedTopics(arm, settings, topics.subList(1, TOPICS), poller, this::fail));
        closing(poller);
        Arrays.stream(consumers).forEach(OdradekClient.Opening::awaitReady);
        return services != null ? () -> readAndPublish(consumers, handlers, poller) : () ->
        {
            int records = 0;
            for (int i = 0; i < consumers.length; i++)
            {
                records += consumers[i].poll(handlers[i], RECORD_LIMIT, timeoutNs);
            }
            idleStrategy.idle(records);
        };
    }

    private void readAndPublish(
        final TopicConsumer[] consumers, final RecordHandler[] handlers, final Poller poller)
    {
        int work = 0;
        for (int i = 0; i < consumers.length; i++)
        {
            work += consumers[i].poll(handlers[i], RECORD_LIMIT);
        }
        work += services.work();
        if (work == 0)
        {
            poller.await(services.waitNs(MAX_IDLE_NS));
        }
    }

    private Runnable openStock(final int firstStep, final int lastStep, final int... assigned)
    {
        final List<TopicPartition> read = IntStream.rangeClosed(firstStep, lastStep).boxed().flatMap((step) ->
            IntStream.of(assigned).mapToObj((partition) -> new TopicPartition(topics.get(step), partition))).toList();
        final KafkaConsumer<Integer, Long> consumer = closing(new KafkaConsumer<>(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
            // As ours, which leaves the socket's buffer to the kernel.
            ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1), new IntegerDeserializer(), new LongDeserializer()));
        consumer.assign(read);
        consumer.seekToEnd(read);
        // The place is looked for when it is asked for, and the first message must not be before it.
        read.forEach(consumer::position);
        return () ->
        {
            for (final ConsumerRecord<Integer, Long> next : consumer.poll(arm.stockTimeout))
            {
                // The name of a topic ends with the digit of its step.
                pass(next.topic().charAt(next.topic().length() - 1) - '0', next.key(), next.value());
            }
        };
    }
}
