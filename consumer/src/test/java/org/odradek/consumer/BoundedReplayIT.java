// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.Deliveries;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.protocol.ErrorCode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SharedBroker.SECOND_NS;

/**
 * Tests reading from one offset to another, continuing from a file, and sharing a topic.
 */
@ExtendWith(SharedBroker.class)
class BoundedReplayIT
{
    private static final int RECORDS = 90;
    private static final int MAX_POLLS = 3_000;

    @TempDir
    Path folder;
    private final Deliveries deliveries = new Deliveries();

    private static ConsumerContext context(final String topic)
    {
        return SharedBroker.context(TransportType.AUTO, topic);
    }

    private static TopicConsumer connect(final String topic)
    {
        return TopicConsumer.connect(context(topic).noPartitions());
    }

    private void finish(final BoundedReplay replay, final TopicConsumer consumer, final int recordLimit)
    {
        for (int i = 0; !replay.isDone(); i++)
        {
            assertTrue(i < MAX_POLLS, () -> "timed out: " + consumer.describe());
            replay.poll(deliveries, recordLimit, SECOND_NS / 50);
        }
    }

    /** @return the messages of what polls have thrown. */
    private static List<String> finishInSpiteOfErrors(
        final BoundedReplay replay, final TopicConsumer consumer, final RecordHandler handler)
    {
        final List<String> thrown = new ArrayList<>();
        for (int i = 0; !replay.isDone(); i++)
        {
            assertTrue(i < MAX_POLLS, () -> "timed out: " + consumer.describe());
            try
            {
                replay.poll(handler, 1_000, SECOND_NS / 50);
            }
            catch (final IllegalStateException | ClientException ex)
            {
                thrown.add(ex.getMessage());
            }
        }
        return thrown;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1_000})
    void shouldStopExactlyAtEachEnd(final int recordLimit)
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(5, RECORDS)))
        {
            final BoundedReplay replay = new BoundedReplay(consumer)
                .range(0, StartPosition.earliest(), 31)
                .range(1, StartPosition.offset(10), 11)
                .range(2, StartPosition.offset(50), 50)
                .rangeToEnd(3, StartPosition.offset(60))
                .range(4, StartPosition.earliest(), RECORDS / 3);
            deliveries.expect(1, 10).expect(3, 60);

            finish(replay, consumer, recordLimit);

            assertEquals(31, deliveries.expected(0));
            assertEquals(11, deliveries.expected(1));
            assertEquals(0, deliveries.count(2));
            assertEquals(RECORDS, deliveries.expected(3));
            assertEquals(RECORDS / 3, deliveries.expected(4));
            for (int p = 0; p < 5; p++)
            {
                assertTrue(replay.isDone(p));
                assertFalse(consumer.isAssigned(p));
            }
            assertEquals(0, replay.poll(deliveries, 10, 0));
            assertFalse(replay.isDone(5));
        }
    }

    @ParameterizedTest
    @EnumSource(value = HandlerErrorPolicy.class, names = {"STOP", "THROW"})
    void shouldGiveUpTheRangeOfEachPartitionThatStops(final HandlerErrorPolicy policy)
    {
        final List<String> thrown;
        try (TopicConsumer consumer = TopicConsumer.connect(context(SharedBroker.topic(3, RECORDS)).noPartitions()
            .handlerErrorPolicy(policy).errorHandler((error) -> { })))
        {
            final BoundedReplay replay = new BoundedReplay(consumer)
                .range(0, StartPosition.earliest(), 50).range(1, StartPosition.earliest(), 60)
                .range(2, StartPosition.earliest(), 70);
            thrown = finishInSpiteOfErrors(replay, consumer, (record) ->
            {
                if (record.partition() != 1 && record.offset() == 20)
                {
                    throw new IllegalStateException("planted");
                }
                deliveries.onRecord(record);
            });
            assertEquals(20, deliveries.expected(0));
            assertEquals(60, deliveries.expected(1));
            assertEquals(20, deliveries.expected(2));
            assertFalse(replay.isDone(0));
            assertTrue(replay.isDone(1));
            assertFalse(replay.isDone(2));
        }
        assertEquals(List.of("partition 0 has stopped at offset 20: its range to 50 is given up",
            "partition 2 has stopped at offset 20: its range to 70 is given up"),
            thrown.stream().filter((text) -> text.startsWith("partition")).sorted().toList());
        assertEquals(policy == HandlerErrorPolicy.STOP ? 2 : 4, thrown.size(), thrown::toString);
    }

    @Test
    void shouldReportEachOfSeveralRangesThatStopAtOnce()
    {
        final List<String> thrown;
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(SharedBroker.topic(2, RECORDS)).noPartitions().errorHandler((error) -> { })))
        {
            final BoundedReplay replay = new BoundedReplay(consumer)
                .range(0, StartPosition.offset(500), 600).range(1, StartPosition.offset(500), 600);
            thrown = finishInSpiteOfErrors(replay, consumer, deliveries);
        }
        assertEquals(List.of("partition 0 has stopped at offset 500: its range to 600 is given up",
            "partition 1 has stopped at offset 500: its range to 600 is given up"), thrown);
    }

    /** The first poll waits for the end of the log, the last one finds that nothing is left. */
    @Test
    void shouldNotWaitLongWhenARangeBeginsOrEnds()
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(1, RECORDS)))
        {
            final BoundedReplay replay = new BoundedReplay(consumer).rangeToEnd(0, StartPosition.earliest());
            while (!replay.isDone())
            {
                replay.poll(deliveries, 1_000, Long.MAX_VALUE);
            }
            assertEquals(RECORDS, deliveries.expected(0));
        }
    }

    @Test
    void shouldEndWhenNoRecordIsLeft()
    {
        final String topic = SharedBroker.topic(1, 0);
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, SharedBroker.bootstrapServers(),
            ProducerConfig.TRANSACTIONAL_ID_CONFIG, topic), new ByteArraySerializer(), new ByteArraySerializer()))
        {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, null, SharedBroker.value(0, 0)));
            producer.commitTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, 0, null, SharedBroker.value(0, 2)));
            producer.flush();
            producer.abortTransaction();
        }
        // The log holds a record, a marker, an aborted record and a marker.
        try (TopicConsumer consumer = TopicConsumer.connect(
            context(topic).noPartitions().isolationLevel(IsolationLevel.READ_COMMITTED)))
        {
            final BoundedReplay replay = new BoundedReplay(consumer).rangeToEnd(0, StartPosition.earliest());
            finish(replay, consumer, 10);
            assertEquals(1, deliveries.count());
        }
    }

    @Test
    void shouldWaitForRecordsThatAreNotWrittenYetAndObeyTheHandler()
    {
        final String topic = SharedBroker.topic(1, 10);
        try (TopicConsumer consumer = connect(topic))
        {
            final BoundedReplay replay = new BoundedReplay(consumer)
                .range(0, StartPosition.earliest(), consumer.queryOffsetForTime(0, Long.MAX_VALUE));
            final boolean[] refused = new boolean[1];
            for (int i = 0; !replay.isDone(); i++)
            {
                assertTrue(i < MAX_POLLS, () -> "timed out: " + consumer.describe());
                replay.controlledPoll((record) ->
                {
                    refused[0] = !refused[0];
                    if (refused[0])
                    {
                        deliveries.check(record);
                        return Action.ABORT;
                    }
                    deliveries.onRecord(record);
                    return Action.CONTINUE;
                }, 100, SECOND_NS / 50);
            }
            assertEquals(10, deliveries.count());

            replay.range(0, StartPosition.offset(10), 15);
            replay.poll(deliveries, 100, SECOND_NS / 50);
            assertFalse(replay.isDone());
            SharedBroker.append(topic, 0, 10, 20);
            finish(replay, consumer, 100);
            assertEquals(15, deliveries.count());
        }
    }

    @Test
    void shouldRefuseWrongRanges()
    {
        try (TopicConsumer consumer = connect(SharedBroker.topic(1, 0)))
        {
            final BoundedReplay replay = new BoundedReplay(consumer);
            assertTrue(replay.isDone());
            assertThrows(IllegalArgumentException.class, () -> replay.range(0, StartPosition.earliest(), -1));
            assertThrows(IllegalArgumentException.class, () -> replay.rangeToEnd(-1, StartPosition.earliest()));
            assertThrows(IllegalArgumentException.class, () ->
                replay.range(0, StartPosition.earliest(), consumer.queryEndOffset(1)));
            assertThrows(NullPointerException.class, () -> replay.range(0, null, 5));
        }
    }

    @Test
    void shouldReadTheOtherRangesIfAnEndIsNotFound()
    {
        final String topic = SharedBroker.topic(2, RECORDS);
        try (TopicConsumer consumer = connect(topic))
        {
            final BoundedReplay replay = new BoundedReplay(consumer);
            replay.range(0, StartPosition.earliest(), 10).range(1, StartPosition.earliest(), new FailedQuery(1));

            final String message = assertThrows(IllegalStateException.class,
                () -> replay.poll(deliveries, 100, SECOND_NS)).getMessage();

            assertEquals("the end of partition 1 cannot be found: failed", message);
            finish(replay, consumer, 100);
            assertEquals(10, deliveries.count());
            assertTrue(replay.isDone(0));
            assertFalse(replay.isDone(1));
        }
    }

    /** A query that a broker has refused. */
    private record FailedQuery(int partition) implements OffsetQuery
    {
        @Override
        public long timestamp()
        {
            return -1;
        }

        @Override
        public boolean isDone()
        {
            return true;
        }

        @Override
        public boolean isFailed()
        {
            return true;
        }

        @Override
        public long offset()
        {
            return NULL_OFFSET;
        }

        @Override
        public long offsetTimestamp()
        {
            return -1;
        }

        @Override
        public int leaderEpoch()
        {
            return -1;
        }

        @Override
        public short errorCode()
        {
            return ErrorCode.TOPIC_AUTHORIZATION_FAILED;
        }

        @Override
        public String toString()
        {
            return "failed";
        }
    }

    @Test
    void shouldContinueFromAFile()
    {
        final String topic = SharedBroker.topic(2, RECORDS);
        try (OffsetFile file = OffsetFile.map(folder.resolve("offsets"), topic, 1))
        {
            for (int run = 1; run <= 3; run++)
            {
                final int enough = 40 * run;
                try (TopicConsumer consumer = TopicConsumer.connect(
                    context(topic).startPosition(StartPosition.stored(file, StartPosition.earliest()))))
                {
                    Deliveries.pollUntil(consumer, deliveries, 3, () -> deliveries.count() >= enough);
                    consumer.storeOffsets(file);
                    assertEquals(deliveries.expected(0), Math.max(0, file.offset(0)));
                    assertEquals(0, file.leaderEpoch(deliveries.lastPartition()));
                }
            }
        }
    }

    @Test
    void shouldRefuseTheFileOfAnotherTopic()
    {
        try (OffsetFile file = OffsetFile.map(folder.resolve("offsets"), "other", 1))
        {
            final ConsumerContext context = context("this").partitions(0)
                .startPosition(StartPosition.stored(file, StartPosition.earliest()));
            final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> TopicConsumer.connect(context));
            assertTrue(refusal.getMessage().contains("is of topic other, not of this"), refusal::getMessage);
        }
    }

    @Test
    void shouldShareATopicThatGrows() throws Exception
    {
        final String topic = SharedBroker.topic(3, RECORDS);
        final Deliveries others = new Deliveries();
        try (TopicConsumer first = TopicConsumer.connect(
            context(topic).metadataMaxAgeMs(50).shard(PartitionShard.modulo(0, 2)));
            TopicConsumer second = TopicConsumer.connect(
                context(topic).metadataMaxAgeMs(50).shard(PartitionShard.range(1, 2, 3))))
        {
            deliveries.pollUntilCount(first, 2 * RECORDS);
            others.pollUntilCount(second, RECORDS);
            assertEquals(0, deliveries.count(1));
            assertEquals(RECORDS, others.count(2));

            SharedBroker.client().addPartitions(topic, 5);
            for (int p = 3; p < 5; p++)
            {
                SharedBroker.append(topic, p, 0, RECORDS);
            }
            deliveries.pollUntilCount(first, 3 * RECORDS);
            others.pollUntilCount(second, 2 * RECORDS);
            assertEquals(RECORDS, deliveries.count(4));
            assertEquals(RECORDS, others.count(3));
        }
    }
}
