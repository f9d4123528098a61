// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
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
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.PollerIdleStrategy;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.Poller;
import org.odradek.protocol.record.Record;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.TransportType;

/**
 * Chains on Kafka, with our consumer or the stock one: a thread for each service, or one thread for all. The producer
 * is the stock one for all, with the same settings. A message's key is its chain and how many services it went through,
 * its value when it was due. The chain chooses the partition; chains that share one stay in order in it.
 */
final class KafkaChains extends Chains
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
    private final int partitions;
    private final int batchSize;
    private final List<KafkaProducer<Integer, Long>> firstProducers = new ArrayList<>();
    private final Callback callback;
    private final String[] topics = new String[TOPICS];

    /**
     * Reads some steps and passes their messages on. It is polled by the thread that made it or that first polls it.
     */
    private interface Reader extends AutoCloseable
    {
        /** Returns when it stands behind what its partitions held. */
        default void awaitReady()
        {
        }

        int poll();

        @Override
        void close();
    }

    private KafkaChains(final Settings settings, final int chains, final int partitions, final Arrivals arrivals)
    {
        super(arrivals);
        this.settings = settings;
        this.partitions = partitions;
        batchSize = BATCH_SIZE_OF_CHAIN * ((chains + partitions - 1) / partitions);
        for (int step = 0; step < TOPICS; step++)
        {
            topics[step] = settings.text("topics") + step;
        }
        callback = (metadata, exception) ->
        {
            if (exception != null)
            {
                arrivals.onFailure(exception);
            }
        };
    }

    /**
     * As the article has it: each service is a thread with a consumer and a producer of its own.
     *
     * @param stockTimeout of the polls of the stock consumer, or null for ours.
     */
    static Chains threadPerService(
        final Settings settings, final int chains, final Arrivals arrivals, final Duration stockTimeout)
    {
        final KafkaChains all = new KafkaChains(settings, chains, chains, arrivals);
        final CountDownLatch ready = new CountDownLatch(chains * TOPICS);
        for (int chain = 0; chain < chains; chain++)
        {
            all.firstProducers.add(all.producer());
            for (int step = 0; step < TOPICS; step++)
            {
                final KafkaProducer<Integer, Long> producer = step == SERVICES ? null : all.producer();
                final Arrivals.End end = step == SERVICES ? arrivals.end() : null;
                final Reader reader = all.closing(stockTimeout == null ?
                    all.new OdradekReader(step, new int[]{chain}, POLL_TIMEOUT_NS, null, producer, end) :
                    all.new StockReader(
                        List.of(new TopicPartition(all.topics[step], chain)), stockTimeout, producer, end));
                all.start("-" + chain + "-" + step, new Service(ready, null, reader));
            }
        }
        all.await(ready);
        return all;
    }

    /**
     * The stock client as well as it goes: one consumer of all partitions of all topics, one thread, one producer.
     *
     * @param partitions of each topic.
     */
    static Chains stockOnOneThread(
        final Settings settings, final int chains, final int partitions, final Arrivals arrivals)
    {
        final KafkaChains all = new KafkaChains(settings, chains, partitions, arrivals);
        final List<TopicPartition> assigned = new ArrayList<>();
        for (int step = 0; step < TOPICS; step++)
        {
            for (int partition = 0; partition < partitions; partition++)
            {
                assigned.add(new TopicPartition(all.topics[step], partition));
            }
        }
        final KafkaProducer<Integer, Long> producer = all.producerOfAll(chains);
        all.startOneThread(null,
            all.closing(all.new StockReader(assigned, Chains.STOCK_TIMEOUT, producer, arrivals.end())));
        return all;
    }

    /**
     * Ours, all chains and services on one thread: a consumer for each topic, one poller to sleep in, one producer.
     *
     * @param partitions of each topic.
     */
    static Chains multiplexed(
        final Settings settings, final int chains, final int partitions, final Arrivals arrivals)
    {
        final KafkaChains all = new KafkaChains(settings, chains, partitions, arrivals);
        final KafkaProducer<Integer, Long> producer = all.producerOfAll(chains);
        final int[] assigned = IntStream.range(0, partitions).toArray();
        final Poller poller = TopicConsumer.openPoller(TransportType.AUTO);
        final Reader[] readers = new Reader[TOPICS];
        for (int step = SERVICES; step >= 0; step--)
        {
            readers[SERVICES - step] = all.closing(all.new OdradekReader(
                step, assigned, 0, poller, producer, step == SERVICES ? arrivals.end() : null));
        }
        all.closing(poller::close);
        all.startOneThread(new PollerIdleStrategy(poller), readers);
        return all;
    }

    private void startOneThread(final PollerIdleStrategy idleStrategy, final Reader... readers)
    {
        final CountDownLatch ready = new CountDownLatch(1);
        start("s", new Service(ready, idleStrategy, readers));
        await(ready);
    }

    private KafkaProducer<Integer, Long> producer()
    {
        return closing(new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
                ProducerConfig.ACKS_CONFIG, ACKS,
                ProducerConfig.LINGER_MS_CONFIG, settings.number("lingerMs"),
                ProducerConfig.BATCH_SIZE_CONFIG, batchSize,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MS,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUT_MS),
            new IntegerSerializer(), new LongSerializer()));
    }

    private KafkaProducer<Integer, Long> producerOfAll(final int chains)
    {
        final KafkaProducer<Integer, Long> producer = producer();
        IntStream.range(0, chains).forEach(chain -> firstProducers.add(producer));
        return producer;
    }

    @Override
    void send(final int chain, final long intendedNs)
    {
        send(firstProducers.get(chain), 0, chain << HOP_BITS, intendedNs);
    }

    private void send(
        final KafkaProducer<Integer, Long> producer, final int step, final int key, final long intendedNs)
    {
        producer.send(new ProducerRecord<>(topics[step], (key >>> HOP_BITS) % partitions, key, intendedNs), callback);
    }

    private static void arrive(final Arrivals.End end, final int key, final long intendedNs)
    {
        end.onMessage(key >>> HOP_BITS, key & HOP_MASK, intendedNs);
    }

    /** The thread that polls first owns the consumers, so it is also the one that waits for them. */
    private static final class Service implements Runnable
    {
        private final CountDownLatch ready;
        private final PollerIdleStrategy idleStrategy;
        private final Reader[] readers;
        private boolean isReady;

        private Service(final CountDownLatch ready, final PollerIdleStrategy idleStrategy, final Reader... readers)
        {
            this.ready = ready;
            this.idleStrategy = idleStrategy;
            this.readers = readers;
        }

        @Override
        public void run()
        {
            if (!isReady)
            {
                for (final Reader reader : readers)
                {
                    reader.awaitReady();
                }
                isReady = true;
                ready.countDown();
            }
            int records = 0;
            for (final Reader reader : readers)
            {
                records += reader.poll();
            }
            if (idleStrategy != null)
            {
                idleStrategy.idle(records);
            }
        }
    }

    private final class OdradekReader implements Reader
    {
        private final RecordHandler handler;
        private final TopicConsumer consumer;
        private final int step;
        private final long timeoutNs;
        private final KafkaProducer<Integer, Long> producer;
        private final Arrivals.End end;
        private Throwable error;

        /**
         * @param poller   shared with others of the thread, or null.
         * @param producer for a service.
         * @param end      for what is behind the last topic, else null.
         */
        private OdradekReader(
            final int step,
            final int[] partitions,
            final long timeoutNs,
            final Poller poller,
            final KafkaProducer<Integer, Long> producer,
            final Arrivals.End end)
        {
            this.step = step;
            this.timeoutNs = timeoutNs;
            this.producer = producer;
            this.end = end;
            handler = step == SERVICES ? this::arrive : this::forward;
            final ConsumerContext context = new ConsumerContext()
                .bootstrapServers(settings.text("bootstrap"))
                .topic(topics[step])
                .partitions(partitions)
                .startPosition(StartPosition.latest())
                .errorHandler(cause -> error = cause);
            consumer = TopicConsumer.connect(poller == null ? context : context.poller(poller));
        }

        @Override
        public void awaitReady()
        {
            OdradekClient.Opening.awaitReady(consumer);
        }

        @Override
        public int poll()
        {
            final int records = consumer.poll(handler, RECORD_LIMIT, timeoutNs);
            if (error != null)
            {
                throw new IllegalStateException("odradek: " + error.getMessage(), error);
            }
            return records;
        }

        @Override
        public void close()
        {
            consumer.close();
        }

        private void forward(final Record message)
        {
            final DirectBuffer buffer = message.buffer();
            send(producer, step + 1, buffer.getInt(message.keyIndex(), ByteOrder.BIG_ENDIAN) + 1,
                buffer.getLong(message.valueIndex(), ByteOrder.BIG_ENDIAN));
        }

        private void arrive(final Record message)
        {
            final DirectBuffer buffer = message.buffer();
            KafkaChains.arrive(end, buffer.getInt(message.keyIndex(), ByteOrder.BIG_ENDIAN),
                buffer.getLong(message.valueIndex(), ByteOrder.BIG_ENDIAN));
        }
    }

    private final class StockReader implements Reader
    {
        private final Map<String, Integer> steps = new HashMap<>();
        private final KafkaConsumer<Integer, Long> consumer;
        private final Duration timeout;
        private final KafkaProducer<Integer, Long> producer;
        private final Arrivals.End end;

        /**
         * @param producer for the services among the steps.
         * @param end      for the last step, or null if that is not among them.
         */
        private StockReader(
            final List<TopicPartition> partitions,
            final Duration timeout,
            final KafkaProducer<Integer, Long> producer,
            final Arrivals.End end)
        {
            this.timeout = timeout;
            this.producer = producer;
            this.end = end;
            for (int step = 0; step < TOPICS; step++)
            {
                steps.put(topics[step], step);
            }
            consumer = new KafkaConsumer<>(
                Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.text("bootstrap"),
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false),
                new IntegerDeserializer(), new LongDeserializer());
            consumer.assign(partitions);
            consumer.seekToEnd(partitions);
            // The place is looked for when it is asked for, and the first message must not be before it.
            partitions.forEach(consumer::position);
        }

        @Override
        public int poll()
        {
            int records = 0;
            for (final ConsumerRecord<Integer, Long> next : consumer.poll(timeout))
            {
                final int step = steps.get(next.topic());
                if (step == SERVICES)
                {
                    arrive(end, next.key(), next.value());
                }
                else
                {
                    send(producer, step + 1, next.key() + 1, next.value());
                }
                records++;
            }
            return records;
        }

        @Override
        public void close()
        {
            consumer.close();
        }
    }
}
