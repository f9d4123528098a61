// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OffsetFetchTest
{
    private static final int BEFORE = 5;

    private final OffsetFetchResponseFlyweight flyweight = new OffsetFetchResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.OFFSET_FETCH);
    }

    // Behaviour M159.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String group = Cases.text(random);
            final String name = Cases.text(random);
            final Uuid id = Cases.uuid(random);
            final int[] partitions = random.ints(1 + Cases.count(random)).toArray();
            final OffsetFetchRequestEncoder encoder = new OffsetFetchRequestEncoder(clientId, group, name)
                .topicId(id.getMostSignificantBits(), id.getLeastSignificantBits());
            final OffsetFetchRequestData expected = request(version, group, name, id, partitions);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(partitions.length)]);

            encoder.begin(buffer, version, partitions.length);
            for (final int partition : partitions)
            {
                encoder.entry(partition);
            }

            assertEquals(expected, KafkaFrames.request(
                ApiKey.OFFSET_FETCH, version, buffer, encoder.end(), clientId));
        });
    }

    private static OffsetFetchRequestData request(
        final int version, final String group, final String name, final Uuid id, final int[] partitions)
    {
        final List<Integer> indexes = IntStream.of(partitions).boxed().toList();
        final OffsetFetchRequestData data = new OffsetFetchRequestData().setRequireStable(version >= 7);
        if (version < 8)
        {
            return data.setGroupId(group).setTopics(
                List.of(new OffsetFetchRequestTopic().setName(name).setPartitionIndexes(indexes)));
        }
        final OffsetFetchRequestTopics topics = new OffsetFetchRequestTopics().setPartitionIndexes(indexes)
            .setName(version <= 9 ? name : "").setTopicId(version <= 9 ? Uuid.ZERO_UUID : id);
        return data.setGroups(List.of(new OffsetFetchRequestGroup().setGroupId(group)
            .setMemberId(null).setMemberEpoch(-1).setTopics(List.of(topics))));
    }

    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final OffsetFetchResponseData expected = response(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.OFFSET_FETCH, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            for (final OffsetFetchResponseTopics topic : topics(version, expected))
            {
                for (final OffsetFetchResponsePartitions partition : topic.partitions())
                {
                    assertTrue(flyweight.nextPartition());
                    Topics.assertIs(topic.name(), topic.topicId(), version >= 10, flyweight.topic());
                    assertEquals(partition.partitionIndex(), flyweight.partition());
                    assertEquals(partition.committedOffset(), flyweight.committedOffset());
                    assertEquals(partition.committedLeaderEpoch(), flyweight.committedLeaderEpoch());
                    assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
                }
            }
            assertFalse(flyweight.nextPartition());
            assertFalse(flyweight.nextPartition());
            assertEquals(BEFORE + frame.length, flyweight.index());
            assertEquals(version < 8 ? expected.errorCode() : firstError(expected), flyweight.errorCode());
        });
    }

    private static short firstError(final OffsetFetchResponseData data)
    {
        return data.groups().stream().map(OffsetFetchResponseGroup::errorCode)
            .filter((code) -> code != 0).findFirst().orElse((short) 0);
    }

    /** Returns all topics in the form of the newer versions. */
    private static List<OffsetFetchResponseTopics> topics(final int version, final OffsetFetchResponseData data)
    {
        final List<OffsetFetchResponseTopics> topics = new ArrayList<>();
        if (version >= 8)
        {
            data.groups().forEach((group) -> topics.addAll(group.topics()));
            return topics;
        }
        for (final OffsetFetchResponseTopic old : data.topics())
        {
            final OffsetFetchResponseTopics topic = new OffsetFetchResponseTopics().setName(old.name());
            old.partitions().forEach((partition) -> topic.partitions().add(new OffsetFetchResponsePartitions()
                .setPartitionIndex(partition.partitionIndex()).setCommittedOffset(partition.committedOffset())
                .setCommittedLeaderEpoch(partition.committedLeaderEpoch()).setErrorCode(partition.errorCode())));
            topics.add(topic);
        }
        return topics;
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
                    .append(' ').append(flyweight.committedOffset())
                    .append(' ').append(flyweight.committedLeaderEpoch())
                    .append(' ').append(flyweight.partitionErrorCode()).append('\n');
            }
            values.append(flyweight.errorCode());
        }).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBuildAndReadWithoutAllocating(final int version)
    {
        final byte[] frame = golden(version);
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);
        final OffsetFetchRequestEncoder encoder = new OffsetFetchRequestEncoder("client", "group", "topic");
        final UnsafeBuffer request = new UnsafeBuffer(new byte[encoder.maxFrameLength(2)]);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            encoder.topicId(1, 2).begin(request, version, 2);
            encoder.entry(1);
            encoder.entry(2);
            sink += encoder.end();
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition() + flyweight.committedOffset();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final OffsetFetchRequestEncoder encoder = new OffsetFetchRequestEncoder("client", "group", "topic");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(1)]);

        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 11, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 10, -1));
        assertThrows(IllegalArgumentException.class, () -> encoder.begin(buffer, 10, 0));
        assertThrows(IllegalArgumentException.class, () -> new OffsetFetchRequestEncoder("client", null, "topic"));
        assertThrows(IllegalArgumentException.class, () -> new OffsetFetchRequestEncoder("client", "group", null));
    }

    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final OffsetFetchResponseData data = response(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.OFFSET_FETCH, version, data, Cases.unknownTags(random));
            final List<OffsetFetchResponseTopics> topics = topics(version, data);
            if (frame.length < 700 && topics.size() >= 2 &&
                topics.stream().anyMatch((topic) -> topic.partitions().size() >= 2))
            {
                return frame;
            }
        }
    }

    static OffsetFetchResponseData response(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.OFFSET_FETCH.isFlexible(version);
        final OffsetFetchResponseData data =
            new OffsetFetchResponseData().setThrottleTimeMs(version >= 3 ? random.nextInt() : 0);
        if (version < 8)
        {
            for (int i = random.nextInt(4); i > 0; i--)
            {
                data.topics().add(oldTopic(version, isFlexible, random));
            }
            data.setErrorCode(version >= 2 ? (short) random.nextInt() : 0);
        }
        else
        {
            for (int i = random.nextInt(10) == 0 ? random.nextInt(3) : 1; i > 0; i--)
            {
                final OffsetFetchResponseGroup group = new OffsetFetchResponseGroup()
                    .setGroupId(Cases.text(random)).setErrorCode((short) (random.nextInt(2) * random.nextInt()));
                for (int j = random.nextInt(4); j > 0; j--)
                {
                    group.topics().add(topic(version, random));
                }
                Cases.addUnknownTags(random, true, group.unknownTaggedFields());
                data.groups().add(group);
            }
        }
        Cases.addUnknownTags(random, isFlexible, data.unknownTaggedFields());
        return data;
    }

    private static OffsetFetchResponseTopic oldTopic(
        final int version, final boolean isFlexible, final Random random)
    {
        final OffsetFetchResponseTopic topic = new OffsetFetchResponseTopic().setName(Cases.text(random));
        for (int j = Cases.count(random); j > 0; j--)
        {
            final OffsetFetchResponsePartition partition = new OffsetFetchResponsePartition()
                .setPartitionIndex(random.nextInt()).setCommittedOffset(random.nextLong())
                .setCommittedLeaderEpoch(version >= 5 ? random.nextInt() : -1)
                .setMetadata(Cases.textOrNull(random)).setErrorCode((short) random.nextInt());
            Cases.addUnknownTags(random, isFlexible, partition.unknownTaggedFields());
            topic.partitions().add(partition);
        }
        Cases.addUnknownTags(random, isFlexible, topic.unknownTaggedFields());
        return topic;
    }

    private static OffsetFetchResponseTopics topic(final int version, final Random random)
    {
        final OffsetFetchResponseTopics topic = new OffsetFetchResponseTopics()
            .setName(version <= 9 ? Cases.text(random) : "")
            .setTopicId(version <= 9 ? Uuid.ZERO_UUID : Cases.uuid(random));
        for (int j = Cases.count(random); j > 0; j--)
        {
            final OffsetFetchResponsePartitions partition = new OffsetFetchResponsePartitions()
                .setPartitionIndex(random.nextInt()).setCommittedOffset(random.nextLong())
                .setCommittedLeaderEpoch(random.nextInt())
                .setMetadata(Cases.textOrNull(random)).setErrorCode((short) random.nextInt());
            Cases.addUnknownTags(random, true, partition.unknownTaggedFields());
            topic.partitions().add(partition);
        }
        Cases.addUnknownTags(random, true, topic.unknownTaggedFields());
        return topic;
    }
}
