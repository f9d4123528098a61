// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.Test;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelBroker;
import org.odradek.harness.model.ModelCluster;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Partitions that have stopped and hold more than the batch that was given up: what waits, and how memory is freed. */
class StoppedPartitionsTest
{
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int BATCH_LENGTH = 1_024;
    private static final int SLABS = 4;
    private static final String VALUE = "v".repeat(900);

    private static PublisherContext small(final PublisherContext context)
    {
        return context.batchLength(BATCH_LENGTH).bufferMemory(SLABS * BATCH_LENGTH);
    }

    /** Partition 0 has stopped and holds all memory but one slab. */
    private static Publishing stopped(final ProducingBroker broker)
    {
        final Publishing client =
            Publishing.start(small(Publishing.context(broker.address())), ProducingBroker.TOPIC);
        broker.answer(0, ErrorCode.MESSAGE_TOO_LARGE);
        for (int i = 0; i < SLABS; i++)
        {
            client.offer(0, VALUE + i);
        }
        client.workUntil(() -> client.topic().isStopped(0));
        assertEquals(1, client.counter(PublisherCounters.STOPPED_PARTITIONS));
        return client;
    }

    /** It would work all the time instead, and wait for nothing. */
    // Behaviour Q220.
    @Test
    void shouldWaitAlthoughAPartitionHasStopped()
    {
        final ModelCluster cluster = new ModelCluster(() -> 0);
        final ModelBroker broker = cluster.addBroker(1, "127.0.0.1", 9092, BrokerRelease.NEWEST);
        broker.versions().range(ApiMessageType.PRODUCE, 3, 13).range(ApiMessageType.INIT_PRODUCER_ID, 0, 5);
        cluster.createTopic(ProducingBroker.TOPIC, 2, 1);
        final ManualPoller poller = new ManualPoller(broker, StoppedPartitionsTest::refuseFirstPartition, SECOND);
        try (Publishing client = Publishing.start(small(Publishing.context("127.0.0.1:9092"))
            .poller(poller).nanoClock(poller), ProducingBroker.TOPIC))
        {
            client.offer(0, VALUE, VALUE);
            assertFalse(client.publisher.awaitAcknowledged(60 * SECOND));
            assertTrue(client.topic().isStopped(0));
            assertEquals(List.of("failed 0: 1+1 REFUSED 10"), client.events);
            assertTrue(poller.nanoTime() < 3 * SECOND);

            // Partition 1 is not answered.
            client.offer(1, "a");
            waitForASecond(client, poller);
            client.topic().skipAll(0);
            waitForASecond(client, poller);
        }
        // Only the one that has stopped holds anything.
        try (Publishing client = Publishing.start(small(Publishing.context("127.0.0.1:9092"))
            .poller(poller).nanoClock(poller), ProducingBroker.TOPIC))
        {
            client.offer(0, VALUE, VALUE);
            assertFalse(client.publisher.awaitAcknowledged(60 * SECOND));
            waitForASecond(client, poller);
            client.topic().skipAll(0);
            assertTrue(client.publisher.awaitAcknowledged(SECOND));
        }
    }

    private static ApiMessage refuseFirstPartition(final ApiMessageType type, final ApiMessage request)
    {
        if (type == ApiMessageType.INIT_PRODUCER_ID)
        {
            return new InitProducerIdResponseData().setProducerId(7);
        }
        final TopicProduceResponse answer = new TopicProduceResponse();
        for (final ProduceRequestData.TopicProduceData topic : ((ProduceRequestData)request).topicData())
        {
            answer.setName(topic.name()).setTopicId(topic.topicId());
            topic.partitionData().stream().filter((partition) -> partition.index() == 0).forEach((partition) ->
                answer.partitionResponses().add(new PartitionProduceResponse().setIndex(0)
                    .setErrorCode(ErrorCode.MESSAGE_TOO_LARGE).setBaseOffset(-1)));
        }
        final ProduceResponseData response = new ProduceResponseData();
        response.responses().add(answer);
        return answer.partitionResponses().isEmpty() ? null : response;
    }

    private static void waitForASecond(final Publishing client, final ManualPoller poller)
    {
        final long beganNs = poller.nanoTime();
        final int waits = poller.deadlineCount;
        assertFalse(client.publisher.awaitAcknowledged(SECOND));
        assertEquals(SECOND, poller.nanoTime() - beganNs);
        assertTrue(poller.deadlineCount - waits < 30, () -> poller.deadlineCount - waits + " waits");
    }

    // Behaviour Q220.
    @Test
    void shouldGiveUpAllOfAPartitionWithOneCall()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = stopped(broker))
        {
            client.offer(1, VALUE);
            assertEquals(OfferResult.BACK_PRESSURED, client.tryOffer(1, VALUE));
            client.topic().skipAll(0);

            assertEquals(List.of("failed 0: 1+1 REFUSED 10", "failed 0: 2+1 SKIPPED 0", "failed 0: 3+1 SKIPPED 0",
                "failed 0: 4+1 SKIPPED 0"), client.events.subList(0, SLABS));
            assertFalse(client.topic().isStopped(0));
            assertEquals(0, client.counter(PublisherCounters.STOPPED_PARTITIONS));
            assertEquals(SLABS, client.topic().acknowledgedPosition(0));
            client.offer(1, VALUE, VALUE, VALUE);
            client.acknowledge();
            client.offer(0, "a");
            client.acknowledge();
            // The broker knows nothing of the batches that were given up, nor was the first one written.
            assertEquals("0: 4711, epoch 0, sequence 0, count 1",
                broker.sent.get(broker.sent.size() - 1).numbers());
            client.topic().skipAll(0);
            assertEquals(5, client.topic().acknowledgedPosition(0));
        }
    }

    /** A listener may go on with the partition, and offer again what was given up: that is not given up. */
    @Test
    void shouldKeepWhatAListenerOffersMeanwhile()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = stopped(broker))
        {
            final TopicPublisher topic = client.topic();
            final List<Long> results = new ArrayList<>();
            client.onEvent = () ->
            {
                client.onEvent = () -> {};
                topic.skipFailed(0);
                final UnsafeBuffer value = new UnsafeBuffer(VALUE.getBytes());
                results.add(topic.offer(0, null, value, null));
            };
            topic.skipAll(0);
            client.onEvent = () -> {};
            assertEquals(List.of((long)SLABS + 1), results);
            assertEquals(SLABS, topic.acknowledgedPosition(0));
            client.acknowledge();

            assertEquals(2, broker.sent.size());
            assertEquals(SLABS + 1, topic.acknowledgedPosition(0));
        }
    }

    /** Else a program would commit the input of output that is lost. */
    @Test
    void shouldReportAWaitInWhichABatchWasGivenUpAndSkipped()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(Publishing.context(broker.address()), ProducingBroker.TOPIC))
        {
            client.onEvent = () -> client.topic().skipAll(0);
            broker.answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, VALUE);

            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));
            assertFalse(client.topic().isStopped(0));
            assertTrue(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            broker.answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, VALUE);
            assertFalse(client.publisher.close(Publishing.TIMEOUT_NS));
        }
    }

    /** However many batches the partition has. */
    @Test
    void shouldGiveUpAllOfAPartitionIfTheListenerGivesUpEachBatch()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = stopped(broker))
        {
            final int[] depth = new int[2];
            client.onEvent = () ->
            {
                depth[0]++;
                depth[1] = Math.max(depth[0], depth[1]);
                client.topic().skipAll(0);
                depth[0]--;
            };
            client.topic().skipAll(0);

            assertEquals(1, depth[1]);
            assertEquals(SLABS, client.events.size());
            assertFalse(client.topic().isStopped(0));
            assertEquals(SLABS, client.topic().acknowledgedPosition(0));
        }
    }

    @Test
    void shouldRefuseAListenerThatClaimsWorksOrClosesMeanwhile()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = stopped(broker))
        {
            final TopicPublisher topic = client.topic();
            final int[] calls = {0};
            client.onEvent = () ->
            {
                calls[0]++;
                assertThrows(IllegalStateException.class, () -> topic.tryClaim(0, TopicPublisher.NULL_LENGTH, 1));
                assertThrows(IllegalStateException.class, client.publisher::doWork);
                assertThrows(IllegalStateException.class, client.publisher::close);
            };
            topic.skipAll(0);
            client.onEvent = () -> {};
            assertTrue(calls[0] > 0);
            client.offer(0, "a");
            client.acknowledge();
        }
    }

    /** An Error leaves the call; the partition has still stopped, and the next call does the rest. */
    @Test
    void shouldGiveUpTheRestAfterAnError()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = stopped(broker))
        {
            client.failNextEvent();
            assertThrows(LinkageError.class, () -> client.topic().skipAll(0));
            assertTrue(client.topic().isStopped(0));
            client.topic().skipAll(0);
            client.acknowledge();

            assertEquals(SLABS, client.topic().acknowledgedPosition(0));
            assertEquals(SLABS, client.counter(PublisherCounters.BATCHES_FAILED));
        }
    }
}
