// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.KafkaFrames;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class FetchRequestEncoderTest
{
    private static final int FILLER = 0xA5;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.FETCH);
    }

    // Behaviour L152, tried 2026-11-29: Fetch requests contain no last fetched epoch.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldBeReadByKafka(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final FetchRequestData expected = expected(version, random);
            final FetchRequestEncoder encoder = encoder(clientId, expected, random);
            final int forgottenCount =
                expected.forgottenTopicsData().isEmpty() ? 0 : count(expected.forgottenTopicsData().get(0));
            final int entryCount = expected.topics().isEmpty() ? 0 : expected.topics().get(0).partitions().size();
            final UnsafeBuffer buffer =
                new UnsafeBuffer(new byte[encoder.maxFrameLength(entryCount, forgottenCount)]);
            buffer.setMemory(0, buffer.capacity(), (byte) FILLER);

            final int length = encoder.build(buffer, version, entryCount, forgottenCount);
            for (int round = 0; round < 2; round++)
            {
                scramble(expected, version, random);
                patch(encoder, expected);
                assertEquals(expected, KafkaFrames.request(
                    ApiKey.FETCH, version, buffer, length, clientId));
            }
            for (int i = length; i < buffer.capacity(); i++)
            {
                assertEquals((byte) FILLER, buffer.getByte(i));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldUseTheDeclaredLengthForEveryEntry(final int version)
    {
        final FetchRequestEncoder encoder = new FetchRequestEncoder(null, "t", null);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(101, 0)]);
        final int entryLength = 16 + (version >= 5 ? 8 : 0) + (version >= 9 ? 4 : 0) + (version >= 12 ? 5 : 0);

        final int lengthOfOne = encoder.build(buffer, version, 1, 0);
        final int lengthOfHundred = encoder.build(buffer, version, 100, 0);

        assertEquals(99 * entryLength, lengthOfHundred - lengthOfOne);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final FetchRequestEncoder encoder = new FetchRequestEncoder("client", "topic", "");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[512]);
        final UnsafeBuffer tooSmall = new UnsafeBuffer(new byte[encoder.build(buffer, 18, 3, 1) - 1]);

        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 3, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 19, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 6, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 18, -1, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> encoder.build(tooSmall, 18, 3, 1));
        assertThrows(IllegalArgumentException.class, () -> new FetchRequestEncoder("client", null, ""));
    }

    private static int count(final ForgottenTopic topic)
    {
        return topic.partitions().size();
    }

    private static FetchRequestEncoder encoder(
        final String clientId, final FetchRequestData data, final Random random)
    {
        final boolean isWithTopics = !data.topics().isEmpty();
        final boolean isForgetting = !data.forgottenTopicsData().isEmpty();
        final String topic = isWithTopics ? data.topics().get(0).topic() :
            isForgetting ? data.forgottenTopicsData().get(0).topic() : "unused";
        final Uuid topicId = isWithTopics ? data.topics().get(0).topicId() :
            isForgetting ? data.forgottenTopicsData().get(0).topicId() : Uuid.ZERO_UUID;
        return new FetchRequestEncoder(clientId, topic, data.rackId().isEmpty() ? null : data.rackId())
            .isolationLevel(data.isolationLevel())
            .topicId(topicId.getMostSignificantBits(), topicId.getLeastSignificantBits());
    }

    /** Returns a request with random values in the fields that are written when the frame is built. */
    private static FetchRequestData expected(final int version, final Random random)
    {
        final String topic = version <= 12 ? Cases.text(random) : "";
        final Uuid topicId = version >= 13 ? Cases.uuid(random) : Uuid.ZERO_UUID;
        final FetchRequestData data = new FetchRequestData()
            .setMaxWaitMs(random.nextInt())
            .setMinBytes(random.nextInt())
            .setMaxBytes(random.nextInt())
            .setIsolationLevel((byte) random.nextInt(2))
            .setRackId(version >= 11 ? Cases.text(random) : "");
        final int entryCount = Cases.count(random);
        if (entryCount > 0)
        {
            final FetchTopic entries = new FetchTopic().setTopic(topic).setTopicId(topicId);
            for (int i = 0; i < entryCount; i++)
            {
                entries.partitions().add(new FetchPartition());
            }
            data.topics().add(entries);
        }
        final int forgottenCount = version >= 7 ? Cases.count(random) : 0;
        if (forgottenCount > 0)
        {
            data.forgottenTopicsData().add(new ForgottenTopic().setTopic(topic).setTopicId(topicId)
                .setPartitions(random.ints(forgottenCount).boxed().toList()));
        }
        return data;
    }

    /** Sets the fields that are patched for each fetch to random values. */
    private static void scramble(final FetchRequestData data, final int version, final Random random)
    {
        data.setSessionId(version >= 7 ? random.nextInt() : 0).setSessionEpoch(version >= 7 ? random.nextInt() : -1);
        for (final FetchTopic topic : data.topics())
        {
            for (final FetchPartition partition : topic.partitions())
            {
                partition.setPartition(random.nextInt())
                    .setCurrentLeaderEpoch(version >= 9 ? random.nextInt() : -1)
                    .setFetchOffset(random.nextLong())
                    .setPartitionMaxBytes(random.nextInt());
            }
        }
        for (final ForgottenTopic topic : data.forgottenTopicsData())
        {
            topic.setPartitions(random.ints(topic.partitions().size()).boxed().toList());
        }
    }

    private static void patch(final FetchRequestEncoder encoder, final FetchRequestData data)
    {
        encoder.limits(data.maxWaitMs(), data.minBytes(), data.maxBytes());
        encoder.session(data.sessionId(), data.sessionEpoch());
        for (final FetchTopic topic : data.topics())
        {
            for (int slot = topic.partitions().size() - 1; slot >= 0; slot--)
            {
                final FetchPartition partition = topic.partitions().get(slot);
                encoder.entry(slot, partition.partition(), partition.currentLeaderEpoch(),
                    partition.fetchOffset(), partition.partitionMaxBytes());
            }
        }
        for (final ForgottenTopic topic : data.forgottenTopicsData())
        {
            final List<Integer> partitions = topic.partitions();
            for (int slot = 0; slot < partitions.size(); slot++)
            {
                encoder.forgotten(slot, partitions.get(slot));
            }
        }
    }
}
