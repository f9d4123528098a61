// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ListOffsetsTest
{
    private static final int BEFORE = 5;

    private final ListOffsetsResponseFlyweight flyweight = new ListOffsetsResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.LIST_OFFSETS);
    }

    // Behaviour H109.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final ListOffsetsRequestData expected = request(version, random);
            final List<ListOffsetsPartition> entries = expected.topics().get(0).partitions();
            final ListOffsetsRequestEncoder encoder =
                new ListOffsetsRequestEncoder(clientId, expected.topics().get(0).name());
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(entries.size())]);

            encoder.isolationLevel(expected.isolationLevel());
            encoder.begin(buffer, version, entries.size());
            for (final ListOffsetsPartition entry : entries)
            {
                encoder.entry(entry.partitionIndex(), entry.currentLeaderEpoch(), entry.timestamp());
            }

            assertEquals(expected, KafkaFrames.request(
                ApiKey.LIST_OFFSETS, version, buffer, encoder.end(), clientId));
        });
    }

    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final ListOffsetsResponseData expected = response(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.LIST_OFFSETS, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            for (final ListOffsetsTopicResponse topic : expected.topics())
            {
                for (final ListOffsetsPartitionResponse partition : topic.partitions())
                {
                    assertTrue(flyweight.nextPartition());
                    assertEquals(topic.name(),
                        buffer.getStringWithoutLengthUtf8(flyweight.topic().index(), flyweight.topic().length()));
                    assertEquals(partition.partitionIndex(), flyweight.partition());
                    assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
                    assertEquals(partition.timestamp(), flyweight.timestamp());
                    assertEquals(partition.offset(), flyweight.offset());
                    assertEquals(partition.leaderEpoch(), flyweight.leaderEpoch());
                }
            }
            assertFalse(flyweight.nextPartition());
            assertFalse(flyweight.nextPartition());
            assertEquals(BEFORE + frame.length, flyweight.index());
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldSurviveEveryPrefixAndEveryChangedByte(final int version)
    {
        final byte[] frame = golden(version);

        final int refusals = new HostileFrames(frame, (buffer, index, limit, values) ->
            walk(buffer, index, limit, version, values)).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBuildAndReadWithoutAllocating(final int version)
    {
        final byte[] frame = golden(version);
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);
        final ListOffsetsRequestEncoder encoder = new ListOffsetsRequestEncoder("client", "topic");
        final UnsafeBuffer request = new UnsafeBuffer(new byte[encoder.maxFrameLength(2)]);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            encoder.begin(request, version, 2);
            encoder.entry(1, 2, ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP);
            encoder.entry(2, 2, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
            sink += encoder.end();
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition() + flyweight.offset();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final ListOffsetsRequestEncoder encoder = new ListOffsetsRequestEncoder("client", "topic");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(1)]);

        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 12, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 11, -1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 11, 0));
        assertThrows(IllegalArgumentException.class, () -> new ListOffsetsRequestEncoder("client", null));
    }

    private void walk(
        final DirectBuffer buffer, final int index, final int limit, final int version, final StringBuilder values)
    {
        flyweight.wrap(buffer, index, limit, version);
        values.append(flyweight.throttleTimeMs()).append('\n');
        while (flyweight.nextPartition())
        {
            values.append(buffer.getStringWithoutLengthUtf8(flyweight.topic().index(), flyweight.topic().length()))
                .append(' ').append(flyweight.partition())
                .append(' ').append(flyweight.partitionErrorCode())
                .append(' ').append(flyweight.timestamp())
                .append(' ').append(flyweight.offset())
                .append(' ').append(flyweight.leaderEpoch()).append('\n');
        }
    }

    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final ListOffsetsResponseData data = response(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.LIST_OFFSETS, version, data, Cases.unknownTags(random));
            if (frame.length < 600 && data.topics().size() >= 2 &&
                data.topics().stream().anyMatch((topic) -> topic.partitions().size() >= 2))
            {
                return frame;
            }
        }
    }

    private static ListOffsetsRequestData request(final int version, final Random random)
    {
        final ListOffsetsRequestData data = new ListOffsetsRequestData()
            .setReplicaId(-1)
            .setIsolationLevel((byte) (version >= 2 ? random.nextInt(2) : 0))
            .setTimeoutMs(version >= 10 ? 30_000 : 0);
        final ListOffsetsTopic topic = new ListOffsetsTopic().setName(Cases.text(random));
        for (int i = Cases.count(random); i >= 0; i--)
        {
            topic.partitions().add(new ListOffsetsPartition()
                .setPartitionIndex(random.nextInt())
                .setCurrentLeaderEpoch(version >= 4 ? random.nextInt() : -1)
                .setTimestamp(random.nextLong()));
        }
        data.topics().add(topic);
        return data;
    }

    static ListOffsetsResponseData response(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.LIST_OFFSETS.isFlexible(version);
        final ListOffsetsResponseData data =
            new ListOffsetsResponseData().setThrottleTimeMs(version >= 2 ? random.nextInt() : 0);
        for (int i = random.nextInt(4); i > 0; i--)
        {
            final ListOffsetsTopicResponse topic = new ListOffsetsTopicResponse().setName(Cases.text(random));
            for (int j = Cases.count(random); j > 0; j--)
            {
                final ListOffsetsPartitionResponse partition = new ListOffsetsPartitionResponse()
                    .setPartitionIndex(random.nextInt())
                    .setErrorCode((short) random.nextInt())
                    .setTimestamp(random.nextLong())
                    .setOffset(random.nextLong())
                    .setLeaderEpoch(version >= 4 ? random.nextInt() : -1);
                Cases.addUnknownTags(random, isFlexible, partition.unknownTaggedFields());
                topic.partitions().add(partition);
            }
            Cases.addUnknownTags(random, isFlexible, topic.unknownTaggedFields());
            data.topics().add(topic);
        }
        Cases.addUnknownTags(random, isFlexible, data.unknownTaggedFields());
        return data;
    }
}
