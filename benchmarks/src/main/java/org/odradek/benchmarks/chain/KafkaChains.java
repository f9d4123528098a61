// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import static java.nio.ByteOrder.BIG_ENDIAN;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.odradek.benchmarks.clients.OdradekClient;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.PollerIdleStrategy;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.TransportType;

/**
 * Chains on Kafka, with our consumer or the stock one: a thread for each service, or one thread for all. The producer
 * is the stock one for all, with the same settings. A message's key is its chain and how many services it went through,
 * its value when it was due. The chain chooses the partition; chains that share one stay in order in it.
 */
final class KafkaChains extends Chains implements Callback
{
    static final String ACKS = "1";
    /** Holds a chain's messages of 150 ms. With the default, a request of 900 partitions pins half the memory. */
    static final int BATCH_SIZE_OF_CHAIN = 4 * 1024;
    /** Of each topic, if chains share them. */
    static final int SHARED_PARTITIONS = 4;
    /** Longer than an overloaded step lasts: what is sent again without need arrives twice. */
    private static final int REQUEST_TIMEOUT_MS = 120_000;
    private static final int DELIVERY_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 30_000;
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RECORD_LIMIT = 10_000;
    private static final int HOP_BITS = 3;
    private static final int HOP_MASK = (1 << HOP_BITS) - 1;

    private final Settings settings;
    private final Messages messages;
    private final int partitions;
    private final String[] topics = new String[TOPICS];
    private final Map<String, Integer> steps = new HashMap<>();
    private final List<KafkaProducer<Integer, Long>> firstProducers = new ArrayList<>();

    /**
     * @param partitions of each topic.
     */
    private KafkaChains(final Settings settings, final Messages messages, final int partitions)
    {
        this.settings = settings;
        this.messages = messages;
        this.partitions = partitions;
        for (int step = 0; step < TOPICS; step++)
        {
            topics[step] = settings.text("topics") + step;
            steps.put(topics[step], step);
        }
    }

    /**
     * As the article has it: each service is a thread with a consumer and a producer of its own.
     *
     * @param stockTimeout of the polls of the stock consumer, or null for ours.
     */
    static Chains threadPerService(final Settings settings, final Messages messages, final Duration stockTimeout)
    {
        final KafkaChains all = new KafkaChains(settings, messages, messages.chains);
        for (int chain = 0; chain < messages.chains; chain++)
        {
            all.firstProducers.add(all.producer());
            for (int step = 0; step < TOPICS; step++)
            {
                final Output output = all.output(step == SERVICES ? null : all.producer(), step);
                all.start("-" + chain + "-" + step, stockTimeout == null ?
                    all.new OdradekService(output, step, step, null, chain) :
                    all.new StockService(
                        output, List.of(new TopicPartition(all.topics[step], chain)), stockTimeout));
            }
        }
        return all;
    }

    /** The stock client as well as it goes: one consumer of all partitions of all topics, one thread, one producer. */
    static Chains stockOnOneThread(final Settings settings, final Messages messages, final int partitions)
    {
        final KafkaChains all = new KafkaChains(settings, messages, partitions);
        final List<TopicPartition> assigned = Arrays.stream(all.topics).flatMap(topic ->
            IntStream.range(0, partitions).mapToObj(partition -> new TopicPartition(topic, partition))).toList();
        all.start("s", all.new StockService(all.outputOfAll(), assigned, STOCK_TIMEOUT));
        return all;
    }

    /** Ours, all chains and services on one thread: a consumer for each topic, one poller to sleep in, one producer. */
    static Chains multiplexed(final Settings settings, final Messages messages, final int partitions)
    {
        final KafkaChains all = new KafkaChains(settings, messages, partitions);
        final Poller poller = TopicConsumer.openPoller(TransportType.AUTO);
        final Service service = all.new OdradekService(
            all.outputOfAll(), 0, SERVICES, poller, IntStream.range(0, partitions).toArray());
        all.closing(poller::close);
        all.start("s", service);
        return all;
    }

    private Output outputOfAll()
    {
        final KafkaProducer<Integer, Long> producer = producer();
        firstProducers.addAll(Collections.nCopies(messages.chains, producer));
        return output(producer, SERVICES);
    }

    private KafkaProducer<Integer, Long> producer()
    {
        final int chainsOfPartition = (messages.chains + partitions - 1) / partitions;
        return closing(new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
                ProducerConfig.ACKS_CONFIG, ACKS,
                ProducerConfig.LINGER_MS_CONFIG, settings.number("lingerMs"),
                ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE_OF_CHAIN * chainsOfPartition,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS),
            new IntegerSerializer(), new LongSerializer()));
    }

    @Override
    void send(final int chain, final long dueNs)
    {
        send(firstProducers.get(chain), 0, chain << HOP_BITS, dueNs);
    }

    private void send(
        final KafkaProducer<Integer, Long> producer, final int step, final int key, final long dueNs)
    {
        producer.send(new ProducerRecord<>(topics[step], (key >>> HOP_BITS) % partitions, key, dueNs), this);
    }

    @Override
    public void onCompletion(final RecordMetadata metadata, final Exception exception)
    {
        if (exception != null)
        {
            fail(exception);
        }
    }

    /** Where the messages go that one thread reads: into the next topic, or to the end of the chain. */
    private interface Output
    {
        void onMessage(int step, int key, long dueNs);
    }

    /**
     * @param producer for a service, else null.
     * @param lastStep that the thread reads.
     */
    private Output output(final KafkaProducer<Integer, Long> producer, final int lastStep)
    {
        final Messages.End end = lastStep == SERVICES ? messages.end() : null;
        return (step, key, dueNs) ->
        {
            if (step == SERVICES)
            {
                end.onMessage(key >>> HOP_BITS, key & HOP_MASK, dueNs);
            }
            else
            {
                send(producer, step + 1, key + 1, dueNs);
            }
        };
    }

    /** Its thread owns the consumers, so it is also the one that waits for them. */
    private final class OdradekService implements Service
    {
        private final TopicConsumer[] consumers;
        private final RecordHandler[] handlers;
        private final PollerIdleStrategy idleStrategy;
        private final long timeoutNs;
        private Throwable error;

        /**
         * @param poller shared by the consumers of several steps, to sleep in; null for one, which waits itself.
         */
        private OdradekService(
            final Output output, final int firstStep, final int lastStep, final Poller poller, final int... assigned)
        {
            consumers = new TopicConsumer[lastStep + 1 - firstStep];
            handlers = new RecordHandler[consumers.length];
            idleStrategy = poller == null ? null : new PollerIdleStrategy(poller);
            timeoutNs = poller == null ? POLL_TIMEOUT_NS : 0;
            for (int i = 0; i < consumers.length; i++)
            {
                final int step = lastStep - i;
                handlers[i] = message -> output.onMessage(step,
                    message.buffer().getInt(message.keyIndex(), BIG_ENDIAN),
                    message.buffer().getLong(message.valueIndex(), BIG_ENDIAN));
                consumers[i] = closing(TopicConsumer.connect(new ConsumerContext()
                    .bootstrapServers(settings.text("bootstrap"))
                    .topic(topics[step])
                    .partitions(assigned)
                    .startPosition(StartPosition.latest())
                    .errorHandler(cause -> error = cause)
                    .poller(poller)));
            }
        }

        @Override
        public void open()
        {
            for (final TopicConsumer consumer : consumers)
            {
                OdradekClient.Opening.awaitReady(consumer);
            }
        }

        @Override
        public void turn()
        {
            int records = 0;
            for (int i = 0; i < consumers.length; i++)
            {
                records += consumers[i].poll(handlers[i], RECORD_LIMIT, timeoutNs);
                if (error != null)
                {
                    throw new IllegalStateException("odradek: " + error.getMessage(), error);
                }
            }
            if (idleStrategy != null)
            {
                idleStrategy.idle(records);
            }
        }
    }

    private final class StockService implements Service
    {
        private final Output output;
        private final Duration timeout;
        private final KafkaConsumer<Integer, Long> consumer;

        private StockService(final Output output, final List<TopicPartition> assigned, final Duration timeout)
        {
            this.output = output;
            this.timeout = timeout;
            consumer = closing(new KafkaConsumer<>(
                Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false),
                new IntegerDeserializer(), new LongDeserializer()));
            consumer.assign(assigned);
            consumer.seekToEnd(assigned);
            // The place is looked for when it is asked for, and the first message must not be before it.
            assigned.forEach(consumer::position);
        }

        @Override
        public void turn()
        {
            for (final ConsumerRecord<Integer, Long> next : consumer.poll(timeout))
            {
                output.onMessage(steps.get(next.topic()), next.key(), next.value());
            }
        }
    }
}
