// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests a peer that sends wrong sizes, ids and contents: the defect is reported, the consumer reconnects, and every
 * record is read once.
 */
class HostileFramesTest
{
    private OneTopicBroker broker;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2).append(0, "a", "b").append(1, "x", "y");
    }

    @AfterEach
    void close()
    {
        broker.close();
    }

    /** Scripts the first response to a request; all others are valid. */
    private void scriptFirst(final ApiMessageType type, final Function<ModelPeer.Call, Answer> script)
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(type, (call) -> calls.getAndIncrement() == 0 ? script.apply(call) : null);
    }

    private void readAll(final Reading reading)
    {
        reading.untilCount(0, 2);
        reading.untilCount(1, 2);
        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(List.of("x", "y"), reading.values(1));
    }

    static Stream<Arguments> invalidFrames()
    {
        return Stream.of(
            Arguments.of(new byte[]{-1, -1, -1, -1, 0, 0, 0, 0}, "frame size -1"),
            Arguments.of(new byte[]{0, 0, 0, 3, 0, 0, 0}, "frame size 3"),
            Arguments.of("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(), "HTTP"),
            Arguments.of("SSH-2.0-OpenSSH_9.2\r\n".getBytes(), "the letters SSH-"),
            Arguments.of(new byte[]{0x15, 3, 3, 0, 2, 2, 40}, "TLS"),
            Arguments.of(new byte[]{0x16, 3, 3, 0, 42}, "TLS"),
            Arguments.of(new byte[]{0, 0, 0, 4, 0, 0, 0, 0}, "correlation id 0"));
    }

    // Behaviour A11.
    @ParameterizedTest
    @MethodSource("invalidFrames")
    void shouldReportWhichProtocolAnswersInsteadOfKafka(final byte[] bytes, final String sentence)
    {
        scriptFirst(ApiMessageType.API_VERSIONS, (call) -> Answer.raw(bytes));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);

            assertTrue(reading.errors().get(0).contains(sentence), () -> reading.errors().toString());
            assertTrue(reading.errors().get(0).contains(broker.address()), () -> reading.errors().toString());
        }
    }

    static Stream<Arguments> requestsAndFrames()
    {
        return Stream.of(ApiMessageType.METADATA, ApiMessageType.LIST_OFFSETS, ApiMessageType.FETCH)
            .flatMap((type) -> invalidFrames().map((frame) -> Arguments.of(type, frame.get()[0], frame.get()[1])));
    }

    // Behaviour A15, tried 2026-11-29: A response with an unexpected correlation id closes the connection.
    // Behaviour K134, tried 2026-11-29: After a disconnect, the lookup of an offset is retried; a missing authorization
    // is reported once.
    // Behaviour A13.
    @ParameterizedTest
    @MethodSource("requestsAndFrames")
    void shouldReconnectAfterAMalformedResponse(final ApiMessageType type, final byte[] bytes, final String sentence)
    {
        scriptFirst(type, (call) -> Answer.raw(bytes));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);

            assertTrue(reading.events().stream().anyMatch((event) -> event.contains(sentence)),
                () -> reading.events().toString());
            assertTrue(reading.hasEvent("restored"), () -> reading.events().toString());
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldNotReadSurplusBytesAsAResponse(final TransportType transport)
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            if (calls.getAndIncrement() > 0)
            {
                return null;
            }
            final byte[] body = call.body(new FetchResponseData());
            return Answer.raw(ByteBuffer.allocate(body.length + 13).putInt(body.length + 4)
                .putInt(call.frame().correlationId()).put(body).put(new byte[5]).array());
        });
        try (Reading reading = Reading.start(Reading.context(broker).transport(transport)))
        {
            readAll(reading);

            assertTrue(reading.hasEvent("lost 7"), () -> reading.events().toString());
        }
    }

    static Stream<ApiMessageType> requests()
    {
        return Stream.of(ApiMessageType.API_VERSIONS, ApiMessageType.METADATA, ApiMessageType.LIST_OFFSETS,
            ApiMessageType.FETCH);
    }

    /** Sends every prefix of a valid body, each in a frame of its own, and then the whole body. */
    // Behaviour N163.
    @ParameterizedTest
    @MethodSource("requests")
    void shouldSurviveEveryPrefixOfAResponse(final ApiMessageType type)
    {
        final AtomicInteger length = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        broker.script(type, (call) ->
        {
            final byte[] whole = validBody(call);
            final int prefix = length.getAndAdd(3);
            if (prefix >= whole.length)
            {
                return null;
            }
            refused.incrementAndGet();
            return Answer.reply(Arrays.copyOf(whole, prefix));
        });
        try (Reading reading = Reading.start(Reading.context(broker).reconnectBackoffMs(1, 1).retryBackoffMs(1, 1)))
        {
            readAll(reading);

            assertTrue(refused.get() > 5);
            assertTrue(!reading.errors().isEmpty());
        }
    }

    private byte[] validBody(final ModelPeer.Call call)
    {
        switch (call.type())
        {
            case API_VERSIONS:
                return call.body(broker.versions(call));
            case METADATA:
                return call.body(broker.metadata(call));
            case FETCH:
                return call.body(broker.model().usual(call));
            default:
                return call.body(new ListOffsetsResponseData().setTopics(List.of(
                    new ListOffsetsTopicResponse().setName(OneTopicBroker.TOPIC).setPartitions(List.of(
                        new ListOffsetsPartitionResponse().setPartitionIndex(0).setOffset(0),
                        new ListOffsetsPartitionResponse().setPartitionIndex(1).setOffset(0))))));
        }
    }

    // Behaviour G97, tried 2026-11-29: Partitions that were not requested are ignored, and so is the second entry of a
    // partition in a response.
    // Behaviour F66.
    @Test
    void shouldIgnorePartitionsThatWereNotRequestedOrAreRepeated()
    {
        final MemoryPartitions lies = new MemoryPartitions();
        broker.script(ApiMessageType.FETCH, (call) -> lies.next() ? lies.answer(call) : null);
        try (Reading reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0))))
        {
            readAll(reading);

            assertEquals(List.of(), reading.errors());
            assertEquals(2, reading.count(0));
            assertTrue(reading.consumer().counters().get(ConsumerCounters.BYTES_DISCARDED) > 0);
        }
    }

    /** One response holds partition 0 twice, partitions that were not requested, and other topics. */
    private static final class MemoryPartitions
    {
        private final AtomicInteger calls = new AtomicInteger();

        boolean next()
        {
            return calls.getAndIncrement() == 0;
        }

        Answer answer(final ModelPeer.Call call)
        {
            final FetchableTopicResponse topic = OneTopicBroker.topic();
            topic.partitions().addAll(List.of(partition(0, "a", "b"), partition(0, "lie", "lie", "lie"),
                partition(5, "lie"), partition(-1, "lie"), partition(Integer.MAX_VALUE, "lie")));
            final FetchableTopicResponse other = new FetchableTopicResponse()
                .setTopic("other").setTopicId(new Uuid(1, 2)).setPartitions(List.of(partition(1, "lie", "lie")));
            return call.answer(new FetchResponseData().setResponses(List.of(other, topic)));
        }

        private static PartitionData partition(final int partition, final String... values)
        {
            return OneTopicBroker.data(partition, values.length, OneTopicBroker.batch(0, values));
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldStopThePartitionWhoseRecordSetIsBeyondTheCap(final TransportType transport)
    {
        final int cap = 1_200_000;
        broker.append(0, "c".repeat(cap));
        try (Reading reading = Reading.start(Reading.context(broker).transport(transport)
            .fetchMaxBytes(1000).receiveBufferMaxLength(cap)))
        {
            reading.until("the stop", () -> reading.hasEvent("stopped 0"));
            reading.untilCount(1, 2);

            assertTrue(reading.hasError("receiveBufferMaxLength"), () -> reading.errors().toString());
            assertEquals(List.of("x", "y"), reading.values(1));
        }
    }

    @Test
    void shouldNotStopAPartitionThatWasSoughtAwayFromARecordSetBeyondTheCap()
    {
        final int cap = 1_200_000;
        broker.append(0, "c".repeat(cap)).append(0, "d");
        broker.script(0, (requested) ->
            requested.fetchOffset() < 2 ? OneTopicBroker.data(0, 4, OneTopicBroker.batch(0, "a", "b")) : null);
        try (Reading reading = Reading.start(Reading.context(broker).fetchMaxBytes(1000).receiveBufferMaxLength(cap)))
        {
            reading.until("the first record", 1, () -> reading.count(0) == 1);
            reading.until("the request for the large batch", 0, () -> broker.fetchCount(0) > 1);
            reading.consumer().seek(0, 3);
            reading.until("the record after the large batch", () -> reading.values(0).contains("d"));

            assertFalse(reading.hasEvent("stopped 0"));
            assertEquals(List.of("a", "d"), reading.values(0));
        }
    }
}
