// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
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
import static org.junit.jupiter.api.Assertions.assertTrue;

class MetadataResponseFlyweightTest
{
    private static final int BEFORE = 7;

    private final MetadataResponseFlyweight flyweight = new MetadataResponseFlyweight();
    private long sink;

    static IntStream versions()
    {
        return Cases.versions(ApiKey.METADATA);
    }

    // Behaviour A12, D50.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadWhatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final MetadataResponseData expected = random(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.METADATA, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(expected.errorCode(), flyweight.errorCode());
            assertEquals(expected.controllerId(), flyweight.controllerId());
            assertEquals(expected.clusterId(), text(flyweight.clusterIdIndex(), flyweight.clusterIdLength()));
            assertEquals(expected.brokers().size(), flyweight.brokerCount());
            assertEquals(expected.topics().size(), flyweight.topicCount());
            for (int round = 0; round < 2; round++)
            {
                checkTopics(expected);
                checkBrokers(expected);
                flyweight.resetTopics();
                flyweight.resetBrokers();
            }
            checkTopicsAlone(expected);
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
    void shouldBuildPatchAndReadWithoutAllocating(final int version)
    {
        final byte[] frame = golden(version);
        final UnsafeBuffer buffer = new UnsafeBuffer(frame);
        final MetadataRequestEncoder encoder = new MetadataRequestEncoder("client");
        final byte[][] names = {{'a'}};
        final UnsafeBuffer request = new UnsafeBuffer(new byte[encoder.maxFrameLength(names, 1)]);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            sink += encoder.build(request, version, names, 1);
            flyweight.wrap(buffer, ResponseHeader.LENGTH, frame.length, version);
            while (flyweight.nextBroker())
            {
                sink += flyweight.nodeId() + flyweight.port();
            }
            while (flyweight.nextTopic())
            {
                while (flyweight.nextPartition())
                {
                    sink += flyweight.partition() + flyweight.leaderId();
                }
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    private void checkBrokers(final MetadataResponseData expected)
    {
        for (final MetadataResponseBroker broker : expected.brokers())
        {
            assertTrue(flyweight.nextBroker());
            assertEquals(broker.nodeId(), flyweight.nodeId());
            assertEquals(broker.host(), text(flyweight.hostIndex(), flyweight.hostLength()));
            assertEquals(broker.port(), flyweight.port());
        }
        assertFalse(flyweight.nextBroker());
    }

    private void checkTopics(final MetadataResponseData expected)
    {
        for (final MetadataResponseTopic topic : expected.topics())
        {
            assertTrue(flyweight.nextTopic());
            checkTopic(topic);
            for (final MetadataResponsePartition partition : topic.partitions())
            {
                assertTrue(flyweight.nextPartition());
                assertEquals(partition.errorCode(), flyweight.partitionErrorCode());
                assertEquals(partition.partitionIndex(), flyweight.partition());
                assertEquals(partition.leaderId(), flyweight.leaderId());
                assertEquals(partition.leaderEpoch(), flyweight.leaderEpoch());
            }
            assertFalse(flyweight.nextPartition());
        }
        assertFalse(flyweight.nextTopic());
    }

    /** Skips the partitions without reading them. */
    private void checkTopicsAlone(final MetadataResponseData expected)
    {
        for (final MetadataResponseTopic topic : expected.topics())
        {
            assertTrue(flyweight.nextTopic());
            checkTopic(topic);
        }
        assertFalse(flyweight.nextTopic());
        assertFalse(flyweight.nextPartition());
    }

    private void checkTopic(final MetadataResponseTopic topic)
    {
        assertEquals(topic.errorCode(), flyweight.topicErrorCode());
        assertEquals(topic.name(), text(flyweight.topicIndex(), flyweight.topicLength()));
        assertEquals(topic.topicId().getMostSignificantBits(), flyweight.topicIdMostSignificantBits());
        assertEquals(topic.topicId().getLeastSignificantBits(), flyweight.topicIdLeastSignificantBits());
        assertEquals(topic.partitions().size(), flyweight.partitionCount());
    }

    private String text(final int index, final int length)
    {
        return length < 0 ? null : flyweight.buffer().getStringWithoutLengthUtf8(index, length);
    }

    private void walk(
        final DirectBuffer buffer, final int index, final int limit, final int version, final StringBuilder values)
    {
        flyweight.wrap(buffer, index, limit, version);
        values.append(flyweight.throttleTimeMs()).append(' ').append(flyweight.errorCode()).append(' ')
            .append(flyweight.controllerId()).append(' ')
            .append(text(flyweight.clusterIdIndex(), flyweight.clusterIdLength())).append('\n');
        while (flyweight.nextBroker())
        {
            values.append(flyweight.nodeId()).append(' ').append(flyweight.port()).append(' ')
                .append(text(flyweight.hostIndex(), flyweight.hostLength())).append('\n');
        }
        while (flyweight.nextTopic())
        {
            values.append(flyweight.topicErrorCode()).append(' ')
                .append(text(flyweight.topicIndex(), flyweight.topicLength())).append(' ')
                .append(flyweight.topicIdMostSignificantBits()).append(' ')
                .append(flyweight.topicIdLeastSignificantBits()).append('\n');
            while (flyweight.nextPartition())
            {
                values.append(flyweight.partitionErrorCode()).append(' ').append(flyweight.partition()).append(' ')
                    .append(flyweight.leaderId()).append(' ').append(flyweight.leaderEpoch()).append('\n');
            }
        }
    }

    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final MetadataResponseData data = random(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.METADATA, version, data, Cases.unknownTags(random));
            if (frame.length < 800 && data.brokers().size() >= 2 && data.topics().size() >= 2 &&
                data.topics().stream().anyMatch((topic) -> topic.partitions().size() >= 2))
            {
                return frame;
            }
        }
    }

    static MetadataResponseData random(final int version, final Random random)
    {
        final boolean isFlexible = ApiKey.METADATA.isFlexible(version);
        final MetadataResponseData data = new MetadataResponseData()
            .setThrottleTimeMs(random.nextInt())
            .setClusterId(Cases.textOrNull(random))
            .setControllerId(random.nextInt())
            .setErrorCode((short) (version >= 13 ? random.nextInt() : 0));
        if (version >= 8 && version <= 10)
        {
            data.setClusterAuthorizedOperations(random.nextInt());
        }
        for (int i = Cases.count(random); i > 0; i--)
        {
            final MetadataResponseBroker broker = new MetadataResponseBroker()
                .setNodeId(random.nextInt())
                .setHost(Cases.text(random))
                .setPort(random.nextInt())
                .setRack(Cases.textOrNull(random));
            Cases.addUnknownTags(random, isFlexible, broker.unknownTaggedFields());
            data.brokers().add(broker);
        }
        for (int i = random.nextInt(4); i > 0; i--)
        {
            data.topics().add(topic(version, isFlexible, random));
        }
        Cases.addUnknownTags(random, isFlexible, data.unknownTaggedFields());
        return data;
    }

    private static MetadataResponseTopic topic(final int version, final boolean isFlexible, final Random random)
    {
        final MetadataResponseTopic topic = new MetadataResponseTopic()
            .setErrorCode((short) random.nextInt())
            .setName(version >= 12 ? Cases.textOrNull(random) : Cases.text(random))
            .setIsInternal(random.nextBoolean());
        if (version >= 10)
        {
            topic.setTopicId(Cases.uuid(random));
        }
        if (version >= 8)
        {
            topic.setTopicAuthorizedOperations(random.nextInt());
        }
        for (int i = Cases.count(random); i > 0; i--)
        {
            final MetadataResponsePartition partition = new MetadataResponsePartition()
                .setErrorCode((short) random.nextInt())
                .setPartitionIndex(random.nextInt())
                .setLeaderId(random.nextInt())
                .setLeaderEpoch(version >= 7 ? random.nextInt() : -1)
                .setReplicaNodes(nodes(random))
                .setIsrNodes(nodes(random))
                .setOfflineReplicas(version >= 5 ? nodes(random) : List.of());
            Cases.addUnknownTags(random, isFlexible, partition.unknownTaggedFields());
            topic.partitions().add(partition);
        }
        Cases.addUnknownTags(random, isFlexible, topic.unknownTaggedFields());
        return topic;
    }

    private static List<Integer> nodes(final Random random)
    {
        return random.ints(random.nextInt(4)).boxed().toList();
    }
}
