// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests the messages of a member of a classic group. */
class ClassicGroupTest
{
    private static final int BEFORE = 5;

    private final JoinGroupResponseFlyweight joined = new JoinGroupResponseFlyweight();
    private final SyncGroupResponseFlyweight synced = new SyncGroupResponseFlyweight();
    private long sink;

    static IntStream joins()
    {
        return Cases.versions(ApiKey.JOIN_GROUP);
    }

    static IntStream syncs()
    {
        return Cases.versions(ApiKey.SYNC_GROUP);
    }

    static IntStream heartbeats()
    {
        return Cases.versions(ApiKey.HEARTBEAT);
    }

    static IntStream leaves()
    {
        return Cases.versions(ApiKey.LEAVE_GROUP);
    }

    /** A member with random names, and a frame that has the length that its encoder demands. */
    private static final class Writer
    {
        private final String clientId;
        private final String groupId;
        private final String topic;
        private final String instanceId;
        private final String rackId;
        private final String memberId;
        private final ClassicGroupRequestEncoder encoder;

        Writer(final Random random)
        {
            clientId = Cases.textOrNull(random);
            groupId = Cases.text(random);
            topic = Cases.text(random);
            instanceId = Cases.textOrNull(random);
            rackId = Cases.textOrNull(random);
            memberId = Cases.text(random);
            encoder = new ClassicGroupRequestEncoder(clientId, groupId, topic, instanceId, rackId);
            encoder.memberId(memberId);
        }

        UnsafeBuffer frame(final int assignmentsLength)
        {
            return new UnsafeBuffer(new byte[encoder.maxFrameLength() + assignmentsLength]);
        }
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** The subscription has the bytes that Kafka's consumer writes. */
    @ParameterizedTest
    @MethodSource("joins")
    void shouldWriteJoinsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final Writer writer = new Writer(random);
            final UnsafeBuffer buffer = writer.frame(0);
            final int sessionTimeoutMs = random.nextInt();
            final int rebalanceTimeoutMs = random.nextInt();

            final int length = writer.encoder.join(buffer, version, sessionTimeoutMs, rebalanceTimeoutMs);

            final JoinGroupRequestData expected = new JoinGroupRequestData().setGroupId(writer.groupId)
                .setSessionTimeoutMs(sessionTimeoutMs).setRebalanceTimeoutMs(rebalanceTimeoutMs)
                .setMemberId(writer.memberId).setGroupInstanceId(writer.instanceId).setProtocolType("consumer");
            expected.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(bytes(
                ConsumerProtocol.serializeSubscription(new ConsumerPartitionAssignor.Subscription(
                    List.of(writer.topic), null, List.of(), -1, Optional.ofNullable(writer.rackId))))));
            assertEquals(expected,
                KafkaFrames.request(ApiKey.JOIN_GROUP, version, buffer, length, writer.clientId));
        });
    }

    /** The assignments have the bytes that Kafka's consumer writes. */
    @ParameterizedTest
    @MethodSource("syncs")
    void shouldWriteSyncsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final Writer writer = new Writer(random);
            final int generationId = random.nextInt();
            final SyncGroupRequestData expected = new SyncGroupRequestData().setGroupId(writer.groupId)
                .setGenerationId(generationId).setMemberId(writer.memberId).setGroupInstanceId(writer.instanceId)
                .setProtocolType(version >= 5 ? "consumer" : null).setProtocolName(version >= 5 ? "range" : null);
            final int memberCount = Cases.count(random);
            final UnsafeBuffer buffer = writer.frame(memberCount * 3_000);
            int maxLength = writer.encoder.maxFrameLength();

            writer.encoder.beginSync(buffer, version, generationId, memberCount);
            for (int m = 0; m < memberCount; m++)
            {
                final byte[] memberId = Cases.text(random).getBytes(StandardCharsets.UTF_8);
                final byte[] topic = ("t" + m).getBytes(StandardCharsets.UTF_8);
                final int first = random.nextInt(1_000);
                final int count = random.nextInt(4);
                final int length = count == 0 ? 0 : ClassicGroupRequestEncoder.partitionsLength(topic, count);
                maxLength += ClassicGroupRequestEncoder.maxAssignmentLength(memberId, length);
                writer.encoder.assignment(memberId, count == 0 ? 0 : 1, length);
                final List<TopicPartition> partitions = new ArrayList<>();
                for (int p = 0; p < count; p++)
                {
                    partitions.add(new TopicPartition("t" + m, first + p));
                }
                if (count > 0)
                {
                    writer.encoder.partitions(topic, first, count);
                }
                writer.encoder.endAssignment();
                expected.assignments().add(new SyncGroupRequestAssignment()
                    .setMemberId(new String(memberId, StandardCharsets.UTF_8)).setAssignment(
                        bytes(ConsumerProtocol.serializeAssignment(
                            new ConsumerPartitionAssignor.Assignment(partitions), (short) 0))));
            }
            final int length = writer.encoder.endSync();

            assertTrue(length <= maxLength, () -> length + " bytes");
            assertEquals(expected,
                KafkaFrames.request(ApiKey.SYNC_GROUP, version, buffer, length, writer.clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("heartbeats")
    void shouldWriteHeartbeatsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final Writer writer = new Writer(random);
            final UnsafeBuffer buffer = writer.frame(0);
            final int generationId = random.nextInt();

            final int length = writer.encoder.heartbeat(buffer, version, generationId);

            assertEquals(new HeartbeatRequestData().setGroupId(writer.groupId).setGenerationId(generationId)
                .setMemberId(writer.memberId).setGroupInstanceId(writer.instanceId),
                KafkaFrames.request(ApiKey.HEARTBEAT, version, buffer, length, writer.clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void shouldWriteLeavesThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final Writer writer = new Writer(random);
            final UnsafeBuffer buffer = writer.frame(0);

            final int length = writer.encoder.leave(buffer, version);

            final LeaveGroupRequestData expected = new LeaveGroupRequestData().setGroupId(writer.groupId);
            assertEquals(version < 3 ? expected.setMemberId(writer.memberId) : expected.setMembers(List.of(
                new MemberIdentity().setMemberId(writer.memberId).setGroupInstanceId(writer.instanceId))),
                KafkaFrames.request(ApiKey.LEAVE_GROUP, version, buffer, length, writer.clientId));
        });
    }

    @Test
    void shouldAllocateNothingForAHeartbeat()
    {
        final Writer writer = new Writer(new Random(1));
        final UnsafeBuffer buffer = writer.frame(0);
        final byte[] frame = KafkaFrames.response(
            ApiKey.HEARTBEAT, 4, new HeartbeatResponseData().setErrorCode((short) 27), List.of());
        final UnsafeBuffer response = new UnsafeBuffer(frame);
        final GroupErrorFlyweight flyweight = new GroupErrorFlyweight(ApiKey.HEARTBEAT);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            sink += writer.encoder.heartbeat(buffer, 4, 7);
            sink += flyweight.wrap(response, ResponseHeader.LENGTH, frame.length, 4).errorCode();
        });
        assertEquals(0, allocated);
        assertTrue(sink > 0);
    }

    @ParameterizedTest
    @MethodSource("joins")
    void shouldReadJoinResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final JoinGroupResponseData expected = join(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.JOIN_GROUP, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            joined.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), joined.throttleTimeMs());
            assertEquals(expected.errorCode(), joined.errorCode());
            assertEquals(expected.generationId(), joined.generationId());
            assertEquals(expected.leader(),
                buffer.getStringWithoutLengthUtf8(joined.leaderIndex(), joined.leaderLength()));
            assertEquals(expected.skipAssignment(), joined.isAssignmentSkipped());
            assertEquals(expected.memberId(),
                buffer.getStringWithoutLengthUtf8(joined.memberIdIndex(), joined.memberIdLength()));
            assertEquals(expected.members().size(), joined.memberCount());
            for (final JoinGroupResponseMember member : expected.members())
            {
                assertTrue(joined.nextMember());
                assertEquals(member.memberId(),
                    buffer.getStringWithoutLengthUtf8(joined.idIndex(), joined.idLength()));
                assertEquals(member.groupInstanceId(), joined.instanceIdLength() < 0 ? null :
                    buffer.getStringWithoutLengthUtf8(joined.instanceIdIndex(), joined.instanceIdLength()));
                for (final String topic : ConsumerProtocol.deserializeSubscription(
                    ByteBuffer.wrap(member.metadata())).topics())
                {
                    assertTrue(joined.nextTopic());
                    assertEquals(topic, buffer.getStringWithoutLengthUtf8(joined.topicIndex(), joined.topicLength()));
                }
                assertFalse(joined.nextTopic());
            }
            assertFalse(joined.nextMember());
            assertEquals(BEFORE + frame.length, joined.index());
        });
    }

    @ParameterizedTest
    @MethodSource("syncs")
    void shouldReadSyncResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final SyncGroupResponseData expected = sync(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.SYNC_GROUP, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            synced.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.throttleTimeMs(), synced.throttleTimeMs());
            assertEquals(expected.errorCode(), synced.errorCode());
            final List<TopicPartition> partitions = new ArrayList<>();
            while (synced.nextPartition())
            {
                partitions.add(new TopicPartition(buffer.getStringWithoutLengthUtf8(
                    synced.topic().index(), synced.topic().length()), synced.partition()));
            }
            final List<TopicPartition> assigned = expected.assignment().length == 0 ? List.of() :
                ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(expected.assignment())).partitions();
            assertEquals(assigned, partitions);
            assertEquals(BEFORE + frame.length, synced.index());
        });
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void shouldReadTheErrorsOfHeartbeatsAndLeaves(final int version)
    {
        final Random random = new Random(version);
        final LeaveGroupResponseData left = leave(version, random).setErrorCode((short) 14).setThrottleTimeMs(7);
        assertError(ApiKey.LEAVE_GROUP, version, KafkaFrames.response(ApiKey.LEAVE_GROUP, version, left, List.of()));
        final int heartbeat =
            Math.max(ApiKey.HEARTBEAT.minVersion(), Math.min(version, ApiKey.HEARTBEAT.maxVersion()));
        assertError(ApiKey.HEARTBEAT, heartbeat, KafkaFrames.response(ApiKey.HEARTBEAT, heartbeat,
            new HeartbeatResponseData().setErrorCode((short) 14).setThrottleTimeMs(7), List.of()));
    }

    private static void assertError(final ApiKey apiKey, final int version, final byte[] frame)
    {
        final GroupErrorFlyweight flyweight =
            new GroupErrorFlyweight(apiKey).wrap(new UnsafeBuffer(frame), ResponseHeader.LENGTH, frame.length, version);
        assertEquals(14, flyweight.errorCode());
        assertEquals(7, flyweight.throttleTimeMs());
        final byte[] first = Arrays.copyOf(frame, flyweight.index() - 1);
        assertThrows(WireFormatException.class,
            () -> flyweight.wrap(new UnsafeBuffer(first), ResponseHeader.LENGTH, first.length, version));
    }

    @ParameterizedTest
    @MethodSource("joins")
    void shouldRefuseHostileJoinResponses(final int version)
    {
        final Random random = new Random(version);
        final byte[] frame = KafkaFrames.response(
            ApiKey.JOIN_GROUP, version, join(version, random), Cases.unknownTags(random));

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            joined.wrap(buffer, index, limit, version);
            while (joined.nextMember())
            {
                values.append(joined.idLength()).append(' ').append(joined.instanceIdLength());
                while (joined.nextTopic())
                {
                    values.append(buffer.getStringWithoutLengthUtf8(joined.topicIndex(), joined.topicLength()));
                }
            }
            values.append(joined.generationId()).append(joined.memberCount());
        }).tryAll();
    }

    @ParameterizedTest
    @MethodSource("syncs")
    void shouldRefuseHostileSyncResponses(final int version)
    {
        final Random random = new Random(version);
        final byte[] frame = KafkaFrames.response(
            ApiKey.SYNC_GROUP, version, sync(version, random), Cases.unknownTags(random));

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            synced.wrap(buffer, index, limit, version);
            while (synced.nextPartition())
            {
                values.append(synced.partition()).append(
                    buffer.getStringWithoutLengthUtf8(synced.topic().index(), synced.topic().length()));
            }
            values.append(synced.errorCode()).append(synced.throttleTimeMs());
        }).tryAll();
    }

    static JoinGroupResponseData join(final int version, final Random random)
    {
        final JoinGroupResponseData data = new JoinGroupResponseData().setThrottleTimeMs(random.nextInt())
            .setErrorCode((short) random.nextInt()).setGenerationId(random.nextInt())
            .setProtocolType(version >= 7 ? Cases.textOrNull(random) : null)
            .setProtocolName(version >= 7 ? Cases.textOrNull(random) : Cases.text(random))
            .setLeader(Cases.text(random)).setSkipAssignment(version >= 9 && random.nextBoolean())
            .setMemberId(Cases.text(random));
        for (int m = random.nextInt(4); m > 0; m--)
        {
            final List<String> topics = new ArrayList<>();
            for (int t = random.nextInt(3); t > 0; t--)
            {
                topics.add(Cases.text(random));
            }
            data.members().add(new JoinGroupResponseMember().setMemberId(Cases.text(random))
                .setGroupInstanceId(Cases.textOrNull(random)).setMetadata(bytes(ConsumerProtocol.serializeSubscription(
                    new ConsumerPartitionAssignor.Subscription(topics, ByteBuffer.wrap(new byte[random.nextInt(9)]),
                        List.of(new TopicPartition("t", 1))), (short) random.nextInt(4)))));
        }
        Cases.addUnknownTags(random, version >= 6, data.unknownTaggedFields());
        return data;
    }

    static SyncGroupResponseData sync(final int version, final Random random)
    {
        final List<TopicPartition> partitions = new ArrayList<>();
        for (int t = random.nextInt(3); t > 0; t--)
        {
            for (int p = random.nextInt(3); p >= 0; p--)
            {
                partitions.add(new TopicPartition("t" + t, random.nextInt()));
            }
        }
        final SyncGroupResponseData data = new SyncGroupResponseData().setThrottleTimeMs(random.nextInt())
            .setErrorCode((short) random.nextInt())
            .setProtocolType(version >= 5 ? Cases.textOrNull(random) : null)
            .setProtocolName(version >= 5 ? Cases.textOrNull(random) : null)
            .setAssignment(random.nextInt(4) == 0 ? new byte[0] : bytes(ConsumerProtocol.serializeAssignment(
                new ConsumerPartitionAssignor.Assignment(partitions, ByteBuffer.wrap(new byte[random.nextInt(9)])),
                (short) random.nextInt(4))));
        Cases.addUnknownTags(random, version >= 4, data.unknownTaggedFields());
        return data;
    }

    static HeartbeatResponseData heartbeat(final Random random)
    {
        return new HeartbeatResponseData().setThrottleTimeMs(random.nextInt()).setErrorCode((short) random.nextInt());
    }

    static LeaveGroupResponseData leave(final int version, final Random random)
    {
        return new LeaveGroupResponseData().setThrottleTimeMs(random.nextInt()).setErrorCode((short) random.nextInt())
            .setMembers(version < 3 ? List.of() : List.of(new MemberResponse().setMemberId(Cases.text(random))
                .setGroupInstanceId(Cases.textOrNull(random)).setErrorCode((short) random.nextInt())));
    }
}
