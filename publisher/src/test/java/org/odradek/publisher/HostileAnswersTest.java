// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireLimits;
import org.odradek.testkit.AllocationMeter;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Cut and flipped answers that bring a producer id or a leader, and answers to Produce that list so much that reading
 * them would take a thread's time or the JVM's memory. The publisher refuses them or reads them, and goes on.
 */
class HostileAnswersTest
{
    /** The low bytes of the throttle time of InitProducerId, with which the client would send nothing for long. */
    private static final int THROTTLE_INDEX = 2;
    private static final int THROTTLE_END = 5;
    /** Less than an object for each of the entries below would take. */
    private static final long MAX_ALLOCATED = 1 << 20;
    private static final int TOPICS = 200_000;

    private int bodyLength = 1;

    private Answer id(final ModelPeer.Call call, final UnaryOperator<byte[]> change)
    {
        final byte[] body = call.body(new InitProducerIdResponseData().setProducerId(ProducingBroker.PRODUCER_ID));
        bodyLength = body.length;
        return Answer.reply(change.apply(body));
    }

    // Behaviour Q229.
    @Test
    void shouldAskForAnIdAgainAfterEveryCutAnswer()
    {
        for (int i = 0; i < bodyLength; i++)
        {
            final int length = i;
            try (ProducingBroker broker = ProducingBroker.start(1)
                .scriptId((call) -> id(call, (body) -> Arrays.copyOf(body, length)));
                Publishing client = Publishing.start(broker))
            {
                client.offer(0, "a");
                client.acknowledge();

                assertEquals(1, client.errors.size(), client.errors::toString);
                assertTrue(client.errors.get(0).startsWith("InitProducerId response from broker ") &&
                    client.errors.get(0).contains(" is malformed: "), client.errors::toString);
                assertEquals("0: 4711, epoch 0, sequence 0, count 1", broker.sent.get(0).numbers());
            }
        }
        assertTrue(bodyLength > 16);
    }

    /** A flipped id cannot be told from another one, but none is negative. */
    // Behaviour Q229.
    @Test
    void shouldSurviveEveryFlippedByteOfAnAnswerWithAnId()
    {
        for (int i = 0; i < bodyLength; i++)
        {
            final int index = i >= THROTTLE_INDEX && i < THROTTLE_END ? 0 : i;
            try (ProducingBroker broker = ProducingBroker.start(1)
                .scriptId((call) -> id(call, (body) -> flip(body, index)));
                Publishing client = new Publishing(Publishing.context(broker.address())))
            {
                client.workUntil(() -> client.topic().partitionCount() == 1);
                client.offer(0, "a");
                if (!client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS))
                {
                    // An error code was made of it.
                    assertTrue(client.events.get(0).startsWith("failed 0: 1+1 NO_PRODUCER_ID "),
                        client.events::toString);
                    client.topic().skipFailed(0);
                    client.offer(0, "b");
                    client.acknowledge();
                }
                final ProducingBroker.Sent sent = broker.sent.get(0);
                assertTrue(sent.producerId() >= 0 && sent.epoch() >= 0 && sent.sequence() == 0, sent::numbers);
            }
        }
        assertTrue(bodyLength > 16);
    }

    private static byte[] flip(final byte[] body, final int index)
    {
        body[index] ^= (byte)0xFF;
        return body;
    }

    /** An answer with a leader tag and an endpoint, as brokers send them from Produce 10 on. */
    // Behaviour Q229.
    @ParameterizedTest
    @ValueSource(ints = {10, 13})
    void shouldSurviveEveryFlippedByteOfAnAnswerThatNamesALeader(final int version)
    {
        for (int i = 0; i < bodyLength; i++)
        {
            final int index = i;
            final long[] skippedNs = {0};
            try (ProducingBroker broker = ProducingBroker.start(1, version);
                Publishing client = Publishing.start(Publishing.context(broker.address()).requestTimeoutMs(2_000)
                    .deliveryTimeoutMs(Integer.MAX_VALUE).nanoClock(() -> System.nanoTime() + skippedNs[0]),
                    ProducingBroker.TOPIC))
            {
                broker.script((call, response) -> Answer.reply(nameLeader(broker, call, response, index)));
                client.offer(0, "a");
                client.workUntil(() -> client.events.size() == 1 || client.throttleTimeMs > 0);
                // The client takes other bytes for a throttle time where a length was changed before it.
                skippedNs[0] = TimeUnit.MILLISECONDS.toNanos(client.throttleTimeMs);
                client.topic().skipFailed(0);
                client.offer(0, "last");
                client.acknowledge();
                assertTrue(client.throttleTimeMs <= WireLimits.MAX_THROTTLE_MS);
            }
        }
        assertTrue(bodyLength > 60);
    }

    /** The same leader under its next epoch. A byte of the throttle time is left as it is. */
    private byte[] nameLeader(
        final ProducingBroker broker, final ModelPeer.Call call, final ProduceResponseData response, final int index)
    {
        final ModelPartition partition = broker.cluster().topic(ProducingBroker.TOPIC).partitions().get(0);
        broker.change(() -> partition.elect(ProducingBroker.NODE_ID));
        final ProduceResponseData.LeaderIdAndEpoch leader = new ProduceResponseData.LeaderIdAndEpoch()
            .setLeaderId(ProducingBroker.NODE_ID).setLeaderEpoch(partition.leaderEpoch());
        response.responses().forEach((topic) -> topic.partitionResponses().get(0)
            .setErrorCode(ErrorCode.NOT_LEADER_OR_FOLLOWER).setBaseOffset(-1).setCurrentLeader(leader));
        response.nodeEndpoints().add(new ProduceResponseData.NodeEndpoint()
            .setNodeId(ProducingBroker.NODE_ID).setHost("127.0.0.1").setPort(broker.port()));
        final byte[] body = call.body(response);
        bodyLength = body.length;
        final byte[] throttled = call.body(response.setThrottleTimeMs(-1));
        return body[index] == throttled[index] ? flip(body, index) : body;
    }

    /** Publishes one record whose first answer is changed, and returns the bytes that the thread has allocated. */
    private static long publish(
        final Publishing client, final ProducingBroker broker, final Consumer<TopicProduceResponse> change)
    {
        broker.script((call, response) ->
        {
            response.responses().forEach(change);
            return call.answer(response);
        });
        return publish(client);
    }

    private static long publish(final Publishing client)
    {
        final AllocationMeter meter = new AllocationMeter();
        meter.start();
        client.offer(0, "a");
        client.acknowledge();
        meter.stop();
        assertEquals(List.of("acknowledged 0: 1+1"), client.events);
        return meter.allocatedBytes();
    }

    // Behaviour Q229.
    @ParameterizedTest
    @ValueSource(ints = {3, 12, 13})
    void shouldReadAnAnswerWithManyTopics(final int version)
    {
        try (ProducingBroker broker = ProducingBroker.start(1, version); Publishing client = Publishing.start(broker))
        {
            broker.script((call, response) ->
            {
                for (int i = 0; i < TOPICS; i++)
                {
                    response.responses().add(new TopicProduceResponse().setName("topic-" + i)
                        .setTopicId(new Uuid(7, i)).setPartitionResponses(List.of(new PartitionProduceResponse())));
                }
                return call.answer(response);
            });
            final long allocated = publish(client);

            assertTrue(allocated < MAX_ALLOCATED, () -> allocated + " bytes");
            assertEquals(List.of(), client.errors);
            assertEquals(1, client.counter(PublisherCounters.REQUESTS));
        }
    }

    /** Unknown ones, negative ones, and the right one again and again. */
    // Behaviour Q229.
    @Test
    void shouldReadAnAnswerWithManyPartitions()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final long allocated = publish(client, broker, (topic) -> addPartitions(topic, WireLimits.MAX_PARTITIONS));

            assertTrue(allocated < MAX_ALLOCATED, () -> allocated + " bytes");
            assertEquals(List.of(), client.errors);
            assertEquals(1, client.counter(PublisherCounters.REQUESTS));
        }
    }

    /** Until there are so many; the first one is the answer. */
    private static void addPartitions(final TopicProduceResponse topic, final int count)
    {
        for (int i = topic.partitionResponses().size(); i < count; i++)
        {
            topic.partitionResponses().add(new PartitionProduceResponse()
                .setIndex(i % 3 == 0 ? 0 : i % 3 == 1 ? i : -i).setErrorCode((short)(i % 100)));
        }
    }

    // Behaviour Q229.
    @Test
    void shouldRefuseMorePartitionsThanATopicHas()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final long allocated =
                publish(client, broker, (topic) -> addPartitions(topic, WireLimits.MAX_PARTITIONS + 1));

            assertTrue(allocated < MAX_ALLOCATED, () -> allocated + " bytes");
            assertTrue(client.errors.get(0).contains(": found a count of 100001, expected at most 100000"),
                client.errors::toString);
            assertEquals(2, client.counter(PublisherCounters.REQUESTS));
        }
    }

    /** The count of the topics, or that of the partitions of the first one, is the largest, and a few bytes follow. */
    // Behaviour Q229.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseCountsThatNoBytesFollow(final boolean isOfPartitions)
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.script((call, response) ->
            {
                final ByteBuffer body = ByteBuffer.allocate(100).put((byte)0);
                if (isOfPartitions)
                {
                    body.put((byte)2).put(new byte[2 * Long.BYTES]);
                }
                return Answer.reply(body.put(new byte[] {-1, -1, -1, -1, 7}).array());
            });
            final long allocated = publish(client);

            assertTrue(allocated < MAX_ALLOCATED, () -> allocated + " bytes");
            assertTrue(client.errors.get(0).contains(" is malformed: "), client.errors::toString);
            assertEquals(2, client.counter(PublisherCounters.REQUESTS));
        }
    }
}
