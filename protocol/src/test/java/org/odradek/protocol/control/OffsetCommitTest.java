// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;

import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OffsetCommitTest
{
    private static final int BEFORE = 5;

    private final OffsetCommitResponseFlyweight flyweight = new OffsetCommitResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.OFFSET_COMMIT);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String name = Cases.text(random);
            final Uuid id = Cases.uuid(random);
            final OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic()
                .setName(version <= 9 ? name : "").setTopicId(version <= 9 ? Uuid.ZERO_UUID : id);
            for (int i = Cases.count(random); i >= 0; i--)
            {
                topic.partitions().add(new OffsetCommitRequestPartition()
                    .setPartitionIndex(random.nextInt()).setCommittedOffset(random.nextLong())
                    .setCommittedLeaderEpoch(version >= 6 ? random.nextInt() : -1).setCommittedMetadata(""));
            }
            final OffsetCommitRequestData expected = new OffsetCommitRequestData().setGroupId(Cases.text(random))
                .setGenerationIdOrMemberEpoch(-1).setMemberId("").setGroupInstanceId(null).setRetentionTimeMs(-1);
            final boolean isMember = version >= 9 && random.nextBoolean();
            final int count = topic.partitions().size();
            expected.topics().add(topic);
            final OffsetCommitRequestEncoder encoder =
                new OffsetCommitRequestEncoder(clientId, expected.groupId(), name)
                    .topicId(id.getMostSignificantBits(), id.getLeastSignificantBits());
            if (isMember)
            {
                expected.setGenerationIdOrMemberEpoch(random.nextInt()).setMemberId('m' + Cases.text(random))
                    .setGroupInstanceId(Cases.textOrNull(random));
                encoder.member(expected.memberId(), expected.groupInstanceId())
                    .memberEpoch(expected.generationIdOrMemberEpoch());
            }
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(count)]);

            encoder.begin(buffer, version, count);
            for (final OffsetCommitRequestPartition entry : topic.partitions())
            {
                encoder.entry(entry.partitionIndex(), entry.committedOffset(), entry.committedLeaderEpoch());
            }

            assertEquals(expected, KafkaFrames.request(
                ApiKey.OFFSET_COMMIT, version, buffer, encoder.end(), clientId));
        });
    }

    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final OffsetCommitResponseData expected = response(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.OFFSET_COMMIT, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            for (final OffsetCommitResponseTopic topic : expected.topics())
            {
                for (final OffsetCommitResponsePartition partition : topic.partitions())
                {
                    assertTrue(flyweight.nextPartition());
                    Topics.assertIs(topic.name(), topic.topicId(), version >= 10, flyweight.topic());
                    assertEquals(partition.partitionIndex(), flyweight.partition());
                    assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
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
        {
            flyweight.wrap(buffer, index, limit, version);
            values.append(flyweight.throttleTimeMs()).append('\n');
            while (flyweight.nextPartition())
            {
                Topics.append(flyweight.topic(), values);
                values.append(' ').append(flyweight.partition())
                    .append(' ').append(flyweight.partitionErrorCode()).append('\n');
            }
        }).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBuildAndReadWithoutAllocating(final int version)
    {
        final byte[] frame = golden(version);
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);
        final OffsetCommitRequestEncoder encoder = new OffsetCommitRequestEncoder("client", "group", "topic");
        final UnsafeBuffer request = new UnsafeBuffer(new byte[encoder.maxFrameLength(2)]);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            encoder.topicId(1, 2).begin(request, version, 2);
            encoder.entry(1, 200, -1);
            encoder.entry(2, 300, 5);
            sink += encoder.end();
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition() + flyweight.partitionErrorCode();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final OffsetCommitRequestEncoder encoder = new OffsetCommitRequestEncoder("client", "group", "topic");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(1)]);

        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 11, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 10, -1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 10, 0));
        assertThrows(IllegalArgumentException.class, () -> encoder.member("", null));
        assertThrows(IllegalArgumentException.class, () -> encoder.member(null, "instance"));
        assertThrows(IllegalArgumentException.class, () -> new OffsetCommitRequestEncoder("client", null, "topic"));
        assertThrows(IllegalArgumentException.class, () -> new OffsetCommitRequestEncoder("client", "group", null));
    }

    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final OffsetCommitResponseData data = response(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.OFFSET_COMMIT, version, data, Cases.unknownTags(random));
            if (frame.length < 600 && data.topics().size() >= 2 &&
                data.topics().stream().anyMatch((topic) -> topic.partitions().size() >= 2))
            {
                return frame;
            }
        }
    }

    static OffsetCommitResponseData response(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.OFFSET_COMMIT.isFlexible(version);
        final OffsetCommitResponseData data =
            new OffsetCommitResponseData().setThrottleTimeMs(version >= 3 ? random.nextInt() : 0);
        for (int i = random.nextInt(4); i > 0; i--)
        {
            final OffsetCommitResponseTopic topic = new OffsetCommitResponseTopic()
                .setName(version <= 9 ? Cases.text(random) : "")
                .setTopicId(version <= 9 ? Uuid.ZERO_UUID : Cases.uuid(random));
            for (int j = Cases.count(random); j > 0; j--)
            {
                final OffsetCommitResponsePartition partition = new OffsetCommitResponsePartition()
                    .setPartitionIndex(random.nextInt()).setErrorCode((short) random.nextInt());
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
