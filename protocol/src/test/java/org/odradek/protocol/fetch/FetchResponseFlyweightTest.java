// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FetchResponseFlyweightTest
{
    private static final int BEFORE = 11;
    private static final int AFTER = 16;

    private final FetchResponseFlyweight flyweight = new FetchResponseFlyweight();

    static IntStream versions()
    {
        return Cases.versions(ApiKey.FETCH);
    }

    // Behaviour A12, tried 2026-11-29: Tagged fields are read or skipped, in any combination.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadWhatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final FetchResponseData expected = FetchResponses.random(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.FETCH, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, AFTER, 0xFF);

            assertEquals(KafkaFrames.CORRELATION_ID, ResponseHeader.correlationId(buffer, BEFORE));
            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(expected.errorCode(), flyweight.errorCode());
            assertEquals(expected.sessionId(), flyweight.sessionId());
            for (final FetchableTopicResponse topic : expected.responses())
            {
                for (final PartitionData partition : topic.partitions())
                {
                    assertTrue(flyweight.nextPartition());
                    checkTopic(topic, buffer);
                    checkPartition(partition, buffer);
                    checkAbortedTransactions(partition, buffer, version);
                }
            }
            assertFalse(flyweight.nodeEndpoints().next());
            assertFalse(flyweight.nextPartition());
            checkNodeEndpoints(expected, buffer);
            assertFalse(flyweight.nextPartition());
            assertEquals(BEFORE + frame.length, flyweight.index());
        });
    }

    // Behaviour N163.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldSurviveEveryPrefixAndEveryChangedByte(final int version)
    {
        final byte[] frame = golden(version);

        final int refusals = new HostileFrames(frame, (buffer, index, limit, values) ->
            FetchResponses.walk(flyweight, version, buffer, index, limit, values)).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldNamePartitionAndSizeOfARecordSetThatIsCutOff(final int version)
    {
        final FetchResponseData data = twoPartitions();
        final byte[] frame = KafkaFrames.response(ApiKey.FETCH, version, data, List.of());
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);

        flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length - 500, version);
        assertTrue(flyweight.nextPartition());
        assertEquals(70, flyweight.partition());
        assertFalse(flyweight.isRecordSetCutOff());

        assertThrows(WireFormatException.class, flyweight::nextPartition);
        assertEquals(71, flyweight.partition());
        assertEquals(1000, flyweight.recordsLength());
        assertTrue(flyweight.isRecordSetCutOff());

        flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
        assertEquals(FetchResponseFlyweight.NULL_PARTITION, flyweight.partition());
        assertFalse(flyweight.isRecordSetCutOff());
    }

    @Test
    void shouldNotNameAPartitionThatIsCutOffItself()
    {
        final byte[] frame = KafkaFrames.response(ApiKey.FETCH, 11, twoPartitions(), List.of());
        final int secondPartitionIndex = frame.length - 1000 - 42;

        flyweight.wrap(new UnsafeBuffer(frame), ResponseHeader.LENGTH, secondPartitionIndex + 3, 11);
        assertTrue(flyweight.nextPartition());

        assertThrows(WireFormatException.class, flyweight::nextPartition);
        assertEquals(FetchResponseFlyweight.NULL_PARTITION, flyweight.partition());
        assertEquals(0, flyweight.recordsLength());
        assertFalse(flyweight.isRecordSetCutOff());
    }

    /** Only tags follow the size: content, topic's tags, response's tags. */
    @Test
    void shouldRefuseALeaderTagWhoseSizeIsNotThatOfItsContent()
    {
        final int contentLength = 9;
        final FetchResponseData data = twoPartitions();
        data.responses().get(0).partitions().get(1).currentLeader().setLeaderId(5);
        final UnsafeBuffer buffer = new UnsafeBuffer(KafkaFrames.response(ApiKey.FETCH, 12, data, List.of()));
        final int sizeIndex = buffer.capacity() - 2 - contentLength - 1;
        assertEquals(contentLength, buffer.getByte(sizeIndex));

        for (int lie = contentLength - 1; lie <= contentLength + 1; lie++)
        {
            buffer.putByte(sizeIndex, (byte) lie);
            flyweight.wrap(buffer, ResponseHeader.LENGTH, buffer.capacity(), 12);
            assertTrue(flyweight.nextPartition());
            if (lie == contentLength)
            {
                assertTrue(flyweight.nextPartition());
            }
            else
            {
                assertThrows(WireFormatException.class, flyweight::nextPartition);
            }
        }
    }

    @Test
    void shouldRefuseUnsupportedVersions()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);

        assertThrows(IllegalArgumentException.class, () -> flyweight.wrap(buffer, 0, 64, 3));
        assertThrows(IllegalArgumentException.class, () -> flyweight.wrap(buffer, 0, 64, 19));
    }

    /** Returns the first random frame that has all kinds of fields and is small enough to change each of its bytes. */
    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final FetchResponseData data = FetchResponses.random(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.FETCH, version, data, Cases.unknownTags(random));
            final boolean isRich = data.responses().size() >= 2 &&
                data.responses().stream().allMatch((topic) -> !topic.partitions().isEmpty()) &&
                data.responses().stream().flatMap((topic) -> topic.partitions().stream())
                    .anyMatch((partition) ->
                        null != partition.abortedTransactions() && partition.abortedTransactions().size() > 1) &&
                (version < 16 || !data.nodeEndpoints().isEmpty());
            if (isRich && frame.length < 1000)
            {
                return frame;
            }
        }
    }

    private static FetchResponseData twoPartitions()
    {
        final FetchableTopicResponse topic = new FetchableTopicResponse();
        for (int i = 0; i < 2; i++)
        {
            topic.partitions().add(new PartitionData()
                .setPartitionIndex(70 + i)
                .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(new byte[1000]))));
        }
        final FetchResponseData data = new FetchResponseData();
        data.responses().add(topic);
        return data;
    }

    private void checkTopic(final FetchableTopicResponse topic, final UnsafeBuffer buffer)
    {
        assertEquals(topic.topic(),
            buffer.getStringWithoutLengthUtf8(flyweight.topicIndex(), flyweight.topicLength()));
        assertEquals(topic.topicId().getMostSignificantBits(), flyweight.topicIdMostSignificantBits());
        assertEquals(topic.topicId().getLeastSignificantBits(), flyweight.topicIdLeastSignificantBits());
    }

    private void checkPartition(final PartitionData partition, final UnsafeBuffer buffer)
    {
        assertEquals(partition.partitionIndex(), flyweight.partition());
        assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
        assertEquals(partition.highWatermark(), flyweight.highWatermark());
        assertEquals(partition.lastStableOffset(), flyweight.lastStableOffset());
        assertEquals(partition.logStartOffset(), flyweight.logStartOffset());
        assertEquals(partition.preferredReadReplica(), flyweight.preferredReadReplica());
        assertEquals(partition.currentLeader().leaderId(), flyweight.currentLeaderId());
        assertEquals(partition.currentLeader().leaderEpoch(), flyweight.currentLeaderEpoch());

        final ByteBuffer records = null == partition.records() ?
            ByteBuffer.allocate(0) : ((MemoryRecords) partition.records()).buffer();
        assertEquals(records.remaining(), flyweight.recordsLength());
        final byte[] bytes = new byte[flyweight.recordsLength()];
        buffer.getBytes(flyweight.recordsIndex(), bytes);
        assertEquals(records, ByteBuffer.wrap(bytes));
        assertFalse(flyweight.isRecordSetCutOff());
    }

    private void checkAbortedTransactions(
        final PartitionData partition, final UnsafeBuffer buffer, final int version)
    {
        final List<AbortedTransaction> expected =
            null == partition.abortedTransactions() ? List.of() : partition.abortedTransactions();
        assertEquals(expected.size(), flyweight.abortedTransactionCount());

        final AbortedTransactionsFlyweight aborted = new AbortedTransactionsFlyweight().wrap(
            buffer, flyweight.abortedTransactionsIndex(), buffer.capacity(), flyweight.abortedTransactionCount(),
            version >= 12);
        for (final AbortedTransaction transaction : expected)
        {
            assertTrue(aborted.next());
            assertEquals(transaction.producerId(), aborted.producerId());
            assertEquals(transaction.firstOffset(), aborted.firstOffset());
        }
        assertFalse(aborted.next());
    }

    private void checkNodeEndpoints(final FetchResponseData expected, final UnsafeBuffer buffer)
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
}
