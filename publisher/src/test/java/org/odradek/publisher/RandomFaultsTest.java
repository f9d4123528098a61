// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Publishes to logs that check sequences as Kafka's brokers do, while requests and answers are lost, errors of all
 * kinds are answered, and the ends of logs that nobody was told of are truncated. Every record that is acknowledged
 * must be in its log once, in order, at the offset that was reported; none that was not written may be there.
 */
class RandomFaultsTest
{
    private static final int PARTITIONS = 3;
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int RECORDS = 1_500;
    private static final int DUPLICATES_KNOWN = 5;
    private static final short[] BEFORE_APPEND = {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.CORRUPT_MESSAGE};
    private static final short[] AFTER_APPEND =
        {ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_SERVER_ERROR};
    private static final short[] FATAL = {ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.INVALID_RECORD};

    /** A batch in a log. */
    private record Appended(long producerId, short epoch, int sequence, int count, long baseOffset)
    {
        int nextSequence()
        {
            return sequence + count & Integer.MAX_VALUE;
        }
    }

    /** The log of one partition, with what a leader knows of producers. */
    private static final class Log
    {
        private final List<Appended> batches = new ArrayList<>();
        private final List<Long> positions = new ArrayList<>();
        /** Beyond it nobody was told that a record is in the log. */
        private int acknowledgedBatches;

        /** Returns the error; a duplicate is acknowledged with its offset. */
        short append(final MutableRecordBatch batch, final PartitionProduceResponse answer)
        {
            Appended last = null;
            int looked = 0;
            for (int i = batches.size() - 1; i >= 0; i--)
            {
                final Appended known = batches.get(i);
                if (known.producerId == batch.producerId())
                {
                    last = last == null ? known : last;
                    if (looked++ < DUPLICATES_KNOWN && known.epoch == batch.producerEpoch() &&
                        known.sequence == batch.baseSequence() && known.count == batch.countOrNull())
                    {
                        answer.setBaseOffset(known.baseOffset);
                        return ErrorCode.NONE;
                    }
                }
            }
            if (last != null && batch.producerEpoch() < last.epoch)
            {
                return ErrorCode.INVALID_PRODUCER_EPOCH;
            }
            if (last != null && batch.baseSequence() !=
                (batch.producerEpoch() == last.epoch ? last.nextSequence() : 0))
            {
                return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER;
            }
            answer.setBaseOffset(positions.size());
            batches.add(new Appended(batch.producerId(), batch.producerEpoch(), batch.baseSequence(),
                batch.countOrNull(), positions.size()));
            for (final Record record : batch)
            {
                positions.add(record.value().getLong());
            }
            return ErrorCode.NONE;
        }

        /** Another leader never had the last batch. */
        void truncate()
        {
            if (batches.size() > acknowledgedBatches)
            {
                final Appended removed = batches.remove(batches.size() - 1);
                positions.subList((int)removed.baseOffset, positions.size()).clear();
            }
        }
    }

    /** Draws no fault. */
    private static final class NoFaults extends Random
    {
        private static final long serialVersionUID = 1;

        @Override
        public int nextInt(final int bound)
        {
            return bound - 1;
        }
    }

    private final List<Log> logs = new ArrayList<>();

    /** What each record came to, by partition and position. */
    private final Map<String, String> ends = new HashMap<>();

    // Behaviour Q219, tried 2026-11-29: With acks all each acknowledged record is in the log once and in order, while
    // leaders move and brokers fail.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldHaveEachAcknowledgedRecordInTheLogOnce(final long seed)
    {
        final Random random = new Random(seed);
        for (int p = 0; p < PARTITIONS; p++)
        {
            logs.add(new Log());
        }
        try (ProducingBroker broker = ProducingBroker.start(PARTITIONS))
        {
            final Random ofBroker = new Random(~seed);
            broker.always((call, response) -> serve(call, response, ofBroker));
            try (Publishing client = Publishing.start(Publishing.context(broker.address())
                .batchLength(1024).bufferMemory(32 * 1024).retryBackoffMs(1, 2).reconnectBackoffMs(1, 2),
                ProducingBroker.TOPIC))
            {
                publish(client, random);
                broker.always((call, response) -> serve(call, response, new NoFaults()));
                settle(client);
                check(client);
                System.out.println("seed " + seed + ": " + client.publisher.counters());
            }
        }
    }

    /** A broker that stalls executes the requests of connections that were closed, too, in any order. */
    // Behaviour Q221.
    @Test
    void shouldHaveABatchInTheLogOnceWhenRequestsAreExecutedLate()
    {
        final Log log = new Log();
        logs.add(log);
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final List<PartitionProduceData> parked = new ArrayList<>();
            broker.always((call, response) -> serve(call, response, new NoFaults()));
            publish(client);
            client.acknowledge();

            // It is given up, and may have been written.
            broker.script((call, response) -> park(call, parked)).answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            publish(client);
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
            client.topic().skipFailed(0);

            broker.script((call, response) -> park(call, parked)).script((call, response) ->
            {
                final Answer answer = serve(call, response, new NoFaults());
                parked.forEach((partition) -> log.append(batch(partition), new PartitionProduceResponse()));
                return answer;
            });
            publish(client);
            client.acknowledge();

            assertEquals(2, parked.size());
            assertEquals(List.of(1L, 3L), log.positions);
        }
    }

    private static void publish(final Publishing client)
    {
        final UnsafeBuffer value = new UnsafeBuffer(new byte[Long.BYTES]);
        value.putLong(0, client.topic().acceptedPosition(0) + 1, BIG_ENDIAN);
        assertTrue(client.topic().offer(0, null, 0, TopicPublisher.NULL_LENGTH, value, 0, Long.BYTES) > 0);
    }

    /** Takes the request, which is executed later, and closes the connection. */
    private static Answer park(final ModelPeer.Call call, final List<PartitionProduceData> parked)
    {
        parked.add(((ProduceRequestData)call.request()).topicData().iterator().next().partitionData().get(0));
        return Answer.close();
    }

    private static MutableRecordBatch batch(final PartitionProduceData partition)
    {
        return ((MemoryRecords)partition.records()).batches().iterator().next();
    }

    private void publish(final Publishing client, final Random random)
    {
        final TopicPublisher topic = client.topic();
        final UnsafeBuffer value = new UnsafeBuffer(new byte[Long.BYTES + 40]);
        for (int i = 0; i < RECORDS;)
        {
            final int partition = random.nextInt(PARTITIONS);
            value.putLong(0, topic.acceptedPosition(partition) + 1, BIG_ENDIAN);
            final long result = topic.offer(partition, null, 0, TopicPublisher.NULL_LENGTH, value, 0,
                Long.BYTES + random.nextInt(40));
            i += result > 0 ? 1 : 0;
            if (result == OfferResult.STOPPED)
            {
                topic.skipFailed(partition);
            }
            if (result < 0 || random.nextInt(6) == 0)
            {
                // A partition that has stopped before is waited for as long as this.
                client.publisher.awaitAcknowledged(random.nextInt(4) == 0 ? WAIT_NS : 0);
            }
        }
    }

    private static void settle(final Publishing client)
    {
        // A partition that has stopped before would be waited for.
        do
        {
            for (int p = 0; p < PARTITIONS; p++)
            {
                client.topic().skipFailed(p);
            }
        }
        while (!client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
    }

    private synchronized Answer serve(
        final ModelPeer.Call call, final ProduceResponseData response, final Random random)
    {
        final int lost = random.nextInt(12);
        if (lost == 0)
        {
            return Answer.close();
        }
        int i = 0;
        for (final TopicProduceData topic : ((ProduceRequestData)call.request()).topicData())
        {
            final List<PartitionProduceResponse> answers =
                response.responses().iterator().next().partitionResponses();
            for (final PartitionProduceData partition : topic.partitionData())
            {
                serve(partition, answers.get(i++), lost == 1, random);
            }
        }
        return lost == 1 ? Answer.close() : call.answer(response);
    }

    private void serve(
        final PartitionProduceData partition,
        final PartitionProduceResponse answer,
        final boolean isLost,
        final Random random)
    {
        final Log log = logs.get(partition.index());
        final MutableRecordBatch batch = batch(partition);
        final int fault = random.nextInt(12);
        if (fault == 0)
        {
            log.truncate();
        }
        if (fault == 1 || fault == 2)
        {
            final short[] codes = fault == 1 ? BEFORE_APPEND : FATAL;
            answer.setErrorCode(codes[random.nextInt(codes.length)]).setBaseOffset(-1);
            return;
        }
        answer.setErrorCode(log.append(batch, answer));
        if (answer.errorCode() == ErrorCode.NONE && fault == 3)
        {
            answer.setErrorCode(AFTER_APPEND[random.nextInt(AFTER_APPEND.length)]).setBaseOffset(-1);
        }
        else if (answer.errorCode() == ErrorCode.NONE && !isLost)
        {
            log.acknowledgedBatches = log.batches.size();
        }
    }

    private synchronized void check(final Publishing client)
    {
        client.ends.forEach((end) -> ends.put(end.partition() + "-" + end.position(), end.outcome()));
        for (int p = 0; p < PARTITIONS; p++)
        {
            final List<Long> positions = logs.get(p).positions;
            final Set<Long> distinct = new TreeSet<>(positions);
            assertEquals(new ArrayList<>(distinct), positions, "each record once, in order");
            for (long position = 1; position <= client.topic().acceptedPosition(p); position++)
            {
                final String end = ends.get(p + "-" + position);
                final int offset = positions.indexOf(position);
                assertTrue(end.equals("maybe") || end.equals("not written") == offset < 0,
                    p + "-" + position + " " + end + " is at " + offset);
                assertTrue(!end.startsWith("at ") || end.equals("at " + offset), end + " is at " + offset);
            }
            assertEquals(client.topic().acceptedPosition(p), client.topic().acknowledgedPosition(p));
        }
        assertTrue(client.counter(PublisherCounters.BATCHES_RESENT) > 0);
    }
}
