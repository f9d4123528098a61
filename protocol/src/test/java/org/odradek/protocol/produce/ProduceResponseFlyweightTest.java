// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ProduceResponseFlyweightTest
{
    private static final int BEFORE = 5;

    private final ProduceResponseFlyweight flyweight = new ProduceResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.PRODUCE);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final ProduceResponseData expected = ProduceSeeds.produce(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.PRODUCE, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(0, flyweight.throttleTimeMs());
            for (final TopicProduceResponse topic : expected.responses())
            {
                for (final PartitionProduceResponse partition : topic.partitionResponses())
                {
                    assertTrue(flyweight.nextPartition());
                    check(topic, buffer);
                    check(partition);
                    checkErrors(partition, buffer);
                }
            }
            assertFalse(flyweight.nodeEndpoints().next());
            assertFalse(flyweight.nextPartition());
            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            checkNodeEndpoints(expected, buffer);
            assertFalse(flyweight.nextPartition());
            assertEquals(BEFORE + frame.length, flyweight.index());
        });
    }

    private void check(final TopicProduceResponse topic, final DirectBuffer buffer)
    {
        assertEquals(topic.name(),
            buffer.getStringWithoutLengthUtf8(flyweight.topicIndex(), flyweight.topicLength()));
        assertEquals(topic.topicId().getMostSignificantBits(), flyweight.topicIdMostSignificantBits());
        assertEquals(topic.topicId().getLeastSignificantBits(), flyweight.topicIdLeastSignificantBits());
    }

    private void check(final PartitionProduceResponse partition)
    {
        assertEquals(partition.index(), flyweight.partition());
        assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
        assertEquals(partition.baseOffset(), flyweight.baseOffset());
        assertEquals(partition.logAppendTimeMs(), flyweight.logAppendTimeMs());
        assertEquals(partition.logStartOffset(), flyweight.logStartOffset());
        assertEquals(partition.currentLeader().leaderId(), flyweight.currentLeaderId());
        assertEquals(partition.currentLeader().leaderEpoch(), flyweight.currentLeaderEpoch());
    }

    private void checkErrors(final PartitionProduceResponse partition, final DirectBuffer buffer)
    {
        final ProduceResponseData.BatchIndexAndErrorMessage first =
            partition.recordErrors().isEmpty() ? null : partition.recordErrors().get(0);
        assertEquals(first == null ? ProduceResponseFlyweight.NULL_RECORD : first.batchIndex(),
            flyweight.refusedRecord());
        final String ofRecord = first == null ? null : first.batchIndexErrorMessage();
        final String message = ofRecord == null || ofRecord.isEmpty() ? partition.errorMessage() : ofRecord;
        assertEquals(message == null ? "" : message,
            text(buffer, flyweight.messageIndex(), Math.max(0, flyweight.messageLength())));
    }

    private void checkNodeEndpoints(final ProduceResponseData expected, final DirectBuffer buffer)
    {
        final NodeEndpointsFlyweight endpoints = flyweight.nodeEndpoints();
        for (final NodeEndpoint endpoint : expected.nodeEndpoints())
        {
            assertTrue(endpoints.next());
            assertEquals(endpoint.nodeId(), endpoints.nodeId());
            assertEquals(endpoint.host(),
                buffer.getStringWithoutLengthUtf8(endpoints.hostIndex(), endpoints.hostLength()));
            assertEquals(endpoint.port(), endpoints.port());
        }
        assertFalse(endpoints.next());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldSurviveEveryPrefixAndEveryChangedByte(final int version)
    {
        final byte[] frame = golden(version);

        final int refusals = new HostileFrames(frame, (buffer, index, limit, values) ->
            walk(version, buffer, index, limit, values)).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    private void walk(
        final int version, final DirectBuffer buffer, final int index, final int limit, final StringBuilder values)
    {
        flyweight.wrap(buffer, index, limit, version);
        while (flyweight.nextPartition())
        {
            values.append(text(buffer, flyweight.topicIndex(), flyweight.topicLength())).append(' ')
                .append(flyweight.topicIdMostSignificantBits()).append(' ')
                .append(flyweight.topicIdLeastSignificantBits()).append(' ')
                .append(flyweight.partition()).append(' ')
                .append(flyweight.partitionErrorCode()).append(' ')
                .append(flyweight.baseOffset()).append(' ')
                .append(flyweight.logAppendTimeMs()).append(' ')
                .append(flyweight.logStartOffset()).append(' ')
                .append(flyweight.currentLeaderId()).append(' ')
                .append(flyweight.currentLeaderEpoch()).append(' ')
                .append(flyweight.refusedRecord()).append(' ')
                .append(text(buffer, flyweight.messageIndex(), Math.max(0, flyweight.messageLength()))).append('\n');
        }
        values.append(flyweight.throttleTimeMs()).append('\n');
        final NodeEndpointsFlyweight endpoints = flyweight.nodeEndpoints();
        while (endpoints.next())
        {
            values.append(endpoints.nodeId()).append(' ')
                .append(text(buffer, endpoints.hostIndex(), endpoints.hostLength())).append(' ')
                .append(endpoints.port()).append('\n');
        }
    }

    private static String text(final DirectBuffer buffer, final int index, final int length)
    {
        return 0 == length ? "" : buffer.getStringWithoutLengthUtf8(index, length);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadWithoutAllocating(final int version)
    {
        final byte[] frame = golden(version);
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition() + flyweight.partitionErrorCode() + flyweight.baseOffset();
            }
            final NodeEndpointsFlyweight endpoints = flyweight.nodeEndpoints();
            while (endpoints.next())
            {
                sink += endpoints.nodeId() + endpoints.port();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    /** Only tags follow the size: content, topic's tags, throttle time, response's tags. */
    @Test
    void shouldRefuseALeaderTagWhoseSizeIsNotThatOfItsContent()
    {
        final int contentLength = 9;
        final ProduceResponseData data = onePartition();
        data.responses().iterator().next().partitionResponses().get(0).currentLeader().setLeaderId(5);
        final UnsafeBuffer buffer = new UnsafeBuffer(KafkaFrames.response(ApiKey.PRODUCE, 10, data, List.of()));
        final int sizeIndex = buffer.capacity() - 1 - Integer.BYTES - 1 - contentLength - 1;
        assertEquals(contentLength, buffer.getByte(sizeIndex));

        for (int lie = contentLength - 1; lie <= contentLength + 1; lie++)
        {
            buffer.putByte(sizeIndex, (byte) lie);
            flyweight.wrap(buffer, ResponseHeader.LENGTH, buffer.capacity(), 10);
            if (lie == contentLength)
            {
                assertTrue(flyweight.nextPartition());
                assertEquals(5, flyweight.currentLeaderId());
            }
            else
            {
                final WireFormatException refusal =
                    assertThrows(WireFormatException.class, flyweight::nextPartition);
                assertTrue(refusal.getMessage().startsWith("currentLeader at index "), refusal.getMessage());
            }
        }
    }

    /** Version 9 has tags, but not these: what has their number there is something else. */
    @Test
    void shouldNotTakeTheTagsOfVersion9ForLeaders()
    {
        final ProduceResponseData data = onePartition();
        data.responses().iterator().next().partitionResponses().get(0).currentLeader().setLeaderId(5);
        data.nodeEndpoints().add(new NodeEndpoint().setNodeId(5).setHost("host").setPort(9092));
        final byte[] frame = KafkaFrames.response(ApiKey.PRODUCE, 10, data, List.of());

        flyweight.wrap(new UnsafeBuffer(frame), ResponseHeader.LENGTH, frame.length, 9);

        assertTrue(flyweight.nextPartition());
        assertEquals(ProduceResponseFlyweight.NULL_NODE_ID, flyweight.currentLeaderId());
        assertFalse(flyweight.nextPartition());
        assertFalse(flyweight.nodeEndpoints().next());
    }

    @Test
    void shouldRefuseUnsupportedVersions()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);

        assertThrows(IllegalArgumentException.class, () -> flyweight.wrap(buffer, 0, 64, 2));
        assertThrows(IllegalArgumentException.class, () -> flyweight.wrap(buffer, 0, 64, 14));
    }

    private static ProduceResponseData onePartition()
    {
        final TopicProduceResponse topic = new TopicProduceResponse().setName("topic");
        topic.partitionResponses().add(new PartitionProduceResponse().setIndex(7));
        final ProduceResponseData data = new ProduceResponseData();
        data.responses().add(topic);
        return data;
    }

    /** Returns the first random frame that has all kinds of fields and is small enough to change each of its bytes. */
    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final ProduceResponseData data = ProduceSeeds.produce(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.PRODUCE, version, data, Cases.unknownTags(random));
            final boolean isRich = data.responses().size() >= 2 &&
                data.responses().stream().allMatch((topic) -> !topic.partitionResponses().isEmpty()) &&
                (version < 8 || data.responses().stream().flatMap((topic) -> topic.partitionResponses().stream())
                    .anyMatch((partition) -> partition.recordErrors().size() > 1)) &&
                (version < 10 || !data.nodeEndpoints().isEmpty());
            if (isRich && frame.length < 1000)
            {
                return frame;
            }
        }
    }
}
