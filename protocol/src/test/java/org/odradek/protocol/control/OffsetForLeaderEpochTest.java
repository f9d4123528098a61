// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
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

class OffsetForLeaderEpochTest
{
    private static final int BEFORE = 5;

    private final OffsetForLeaderEpochResponseFlyweight flyweight = new OffsetForLeaderEpochResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.OFFSET_FOR_LEADER_EPOCH);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final OffsetForLeaderEpochRequestData expected = request(random);
            final List<OffsetForLeaderPartition> entries = expected.topics().iterator().next().partitions();
            final OffsetForLeaderEpochRequestEncoder encoder =
                new OffsetForLeaderEpochRequestEncoder(clientId, expected.topics().iterator().next().topic());
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(entries.size())]);

            encoder.begin(buffer, version, entries.size());
            for (final OffsetForLeaderPartition entry : entries)
            {
                encoder.entry(entry.partition(), entry.currentLeaderEpoch(), entry.leaderEpoch());
            }

            assertEquals(expected, KafkaFrames.request(
                ApiKey.OFFSET_FOR_LEADER_EPOCH, version, buffer, encoder.end(), clientId));
        });
    }

    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final OffsetForLeaderEpochResponseData expected = response(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            for (final OffsetForLeaderTopicResult topic : expected.topics())
            {
                for (final EpochEndOffset partition : topic.partitions())
                {
                    assertTrue(flyweight.nextPartition());
                    assertEquals(topic.topic(),
                        buffer.getStringWithoutLengthUtf8(flyweight.topic().index(), flyweight.topic().length()));
                    assertEquals(partition.partition(), flyweight.partition());
                    assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
                    assertEquals(partition.leaderEpoch(), flyweight.leaderEpoch());
                    assertEquals(partition.endOffset(), flyweight.endOffset());
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
        final OffsetForLeaderEpochRequestEncoder encoder = new OffsetForLeaderEpochRequestEncoder("client", "topic");
        final UnsafeBuffer request = new UnsafeBuffer(new byte[encoder.maxFrameLength(2)]);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            encoder.begin(request, version, 2);
            encoder.entry(1, 2, 7);
            encoder.entry(2, 2, 8);
            sink += encoder.end();
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition() + flyweight.endOffset();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final OffsetForLeaderEpochRequestEncoder encoder = new OffsetForLeaderEpochRequestEncoder("client", "topic");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(1)]);

        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 5, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 4, -1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 4, 0));
        assertThrows(IllegalArgumentException.class, () -> new OffsetForLeaderEpochRequestEncoder("client", null));
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
                .append(' ').append(flyweight.leaderEpoch())
                .append(' ').append(flyweight.endOffset()).append('\n');
        }
    }

    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final OffsetForLeaderEpochResponseData data = response(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, data, Cases.unknownTags(random));
            if (frame.length < 600 && data.topics().size() >= 2 &&
                data.topics().stream().anyMatch((topic) -> topic.partitions().size() >= 2))
            {
                return frame;
            }
        }
    }

    private static OffsetForLeaderEpochRequestData request(final Random random)
    {
        final OffsetForLeaderEpochRequestData data = new OffsetForLeaderEpochRequestData().setReplicaId(-1);
        final OffsetForLeaderTopic topic = new OffsetForLeaderTopic().setTopic(Cases.text(random));
        for (int i = Cases.count(random); i >= 0; i--)
        {
            topic.partitions().add(new OffsetForLeaderPartition()
                .setPartition(random.nextInt())
                .setCurrentLeaderEpoch(random.nextInt())
                .setLeaderEpoch(random.nextInt()));
        }
        data.topics().add(topic);
        return data;
    }

    static OffsetForLeaderEpochResponseData response(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.OFFSET_FOR_LEADER_EPOCH.isFlexible(version);
        final OffsetForLeaderEpochResponseData data =
            new OffsetForLeaderEpochResponseData().setThrottleTimeMs(random.nextInt());
        for (int i = random.nextInt(4); i > 0; i--)
        {
            // This message finds a topic by its name, so all names differ.
            final OffsetForLeaderTopicResult topic =
                new OffsetForLeaderTopicResult().setTopic(Cases.text(random) + i);
            for (int j = Cases.count(random); j > 0; j--)
            {
                final EpochEndOffset partition = new EpochEndOffset()
                    .setErrorCode((short) random.nextInt())
                    .setPartition(random.nextInt())
                    .setLeaderEpoch(random.nextInt())
                    .setEndOffset(random.nextLong());
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
