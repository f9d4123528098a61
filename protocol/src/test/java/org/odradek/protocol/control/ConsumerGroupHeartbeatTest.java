// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.junit.jupiter.api.Test;
import org.odradek.protocol.Allocation;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ConsumerGroupHeartbeatTest
{
    private static final int VERSION = 1;
    private static final int BEFORE = 5;
    private static final String MEMBER_ID = "A".repeat(22);
    private static final String MEMBER = "0267 17" + "41".repeat(22);
    private static final long TOPIC_ID_MOST = 0x1111_1111_1111_1111L;
    private static final long TOPIC_ID_LEAST = 0x2222_2222_2222_2222L;
    private static final String TOPIC_ID = "11".repeat(8) + "22".repeat(8);
    private static final int HEADER_LENGTH = 15;

    private final ConsumerGroupHeartbeatRequestEncoder encoder = encoder("g", MEMBER_ID, "t");
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[200]);
    private final ConsumerGroupHeartbeatResponseFlyweight flyweight = new ConsumerGroupHeartbeatResponseFlyweight();
    private long sink;

    private static ConsumerGroupHeartbeatRequestEncoder encoder(
        final String groupId, final String memberId, final String topic)
    {
        return new ConsumerGroupHeartbeatRequestEncoder(null, groupId, memberId, topic)
            .topicId(TOPIC_ID_MOST, TOPIC_ID_LEAST).rebalanceTimeoutMs(300_000);
    }

    @Test
    void shouldWriteTheBytesOfAJoin()
    {
        final int length = encoder.beginFull(buffer, ConsumerGroupHeartbeatRequestEncoder.JOIN_EPOCH, 0).end();

        assertBody(MEMBER + "00000000 00 00 000493e0 02 02 74 00 00 01 00", length);
    }

    @Test
    void shouldWriteTheBytesOfAKeepAlive()
    {
        final int length = encoder.keepAlive(buffer, 7);

        assertBody(MEMBER + "00000007 00 00 ffffffff 00 00 00 00 00", length);
    }

    @Test
    void shouldWriteTheBytesOfAnAcknowledgement()
    {
        encoder.beginOwned(buffer, 7, 2);
        encoder.entry(0);
        encoder.entry(2);

        assertBody(MEMBER + "00000007 00 00 ffffffff 00 00 00 02" + TOPIC_ID + "03 00000000 00000002 00 00",
            encoder.end());
    }

    /** An empty array, and not null: the member owns nothing, as opposed to nothing new. */
    @Test
    void shouldWriteTheBytesOfAnAcknowledgementThatNothingIsOwned()
    {
        final int length = encoder.beginOwned(buffer, 7, 0).end();

        assertBody(MEMBER + "00000007 00 00 ffffffff 00 00 00 01 00", length);
    }

    @Test
    void shouldWriteTheBytesOfALeave()
    {
        assertBody(MEMBER + "ffffffff 00 00 ffffffff 00 00 00 00 00", encoder.leave(buffer, true));
        assertBody(MEMBER + "ffffffff 00 00 ffffffff 00 00 00 00 00", encoder.leave(buffer, false));

        encoder.instanceId("i");

        assertBody(MEMBER + "fffffffe 0269 00 ffffffff 00 00 00 00 00", encoder.leave(buffer, false));
        assertBody(MEMBER + "ffffffff 0269 00 ffffffff 00 00 00 00 00", encoder.leave(buffer, true));
    }

    private void assertBody(final String expected, final int length)
    {
        final byte[] body = new byte[length - HEADER_LENGTH];
        buffer.getBytes(HEADER_LENGTH, body);
        assertEquals(expected.replace(" ", ""), HexFormat.of().formatHex(body));
    }

    @Test
    void shouldWriteRequestsThatKafkaReads()
    {
        Cases.forEach(VERSION, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String topic = Cases.text(random);
            final Uuid topicId = Cases.uuid(random);
            final ConsumerGroupHeartbeatRequestData expected = new ConsumerGroupHeartbeatRequestData()
                .setGroupId(Cases.text(random)).setMemberId('m' + Cases.text(random))
                .setMemberEpoch(random.nextInt()).setInstanceId(Cases.textOrNull(random))
                .setTopicPartitions(new ArrayList<>());
            final int[] owned = random.ints(Cases.count(random)).toArray();
            final String rackId = Cases.textOrNull(random);
            final String assignor = Cases.textOrNull(random);
            final int timeoutMs = random.nextInt();
            if (owned.length > 0)
            {
                expected.topicPartitions().add(new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                    .setTopicId(topicId).setPartitions(IntStream.of(owned).boxed().toList()));
            }
            final ConsumerGroupHeartbeatRequestEncoder written = new ConsumerGroupHeartbeatRequestEncoder(
                clientId, expected.groupId(), expected.memberId(), topic)
                .instanceId(expected.instanceId()).rackId(rackId).assignor(assignor).rebalanceTimeoutMs(timeoutMs)
                .topicId(topicId.getMostSignificantBits(), topicId.getLeastSignificantBits());
            final UnsafeBuffer frame = new UnsafeBuffer(new byte[written.maxFrameLength(owned.length)]);

            final int length;
            if (random.nextBoolean())
            {
                expected.setRackId(rackId).setRebalanceTimeoutMs(timeoutMs).setSubscribedTopicNames(List.of(topic))
                    .setServerAssignor(assignor);
                length = end(written.beginFull(frame, expected.memberEpoch(), owned.length), owned);
            }
            else
            {
                length = end(written.beginOwned(frame, expected.memberEpoch(), owned.length), owned);
            }

            assertEquals(expected, KafkaFrames.request(
                ApiKey.CONSUMER_GROUP_HEARTBEAT, VERSION, frame, length, clientId));
        });
    }

    private static int end(final ConsumerGroupHeartbeatRequestEncoder begun, final int[] owned)
    {
        for (final int partition : owned)
        {
            begun.entry(partition);
        }
        return begun.end();
    }

    @Test
    void shouldReadTheBytesOfAResponseWithoutNews()
    {
        wrap("00000000 0000 00 17" + "41".repeat(22) + "00000007 00001388 ff 00");

        assertEquals(0, flyweight.errorCode());
        assertEquals(MEMBER_ID, text(flyweight.memberIdIndex(), flyweight.memberIdLength()));
        assertEquals(7, flyweight.memberEpoch());
        assertEquals(5_000, flyweight.heartbeatIntervalMs());
        assertFalse(flyweight.hasAssignment());
        assertFalse(flyweight.nextPartition());
    }

    @Test
    void shouldReadTheBytesOfAnAssignment()
    {
        wrap("00000000 0000 00 17" + "41".repeat(22) + "00000007 00001388 01 02" + TOPIC_ID +
            "03 00000000 00000002 00 00 00");

        assertTrue(flyweight.hasAssignment());
        assertTrue(flyweight.nextPartition());
        assertEquals(0, flyweight.partition());
        assertTrue(flyweight.topic().isById());
        assertEquals(TOPIC_ID_MOST, flyweight.topic().idMostSignificantBits());
        assertEquals(TOPIC_ID_LEAST, flyweight.topic().idLeastSignificantBits());
        assertTrue(flyweight.nextPartition());
        assertEquals(2, flyweight.partition());
        assertFalse(flyweight.nextPartition());
    }

    /** Everything has to be given up, which is not the same as no news. */
    @Test
    void shouldReadTheBytesOfAnEmptyAssignment()
    {
        wrap("00000000 0000 00 17" + "41".repeat(22) + "00000007 00001388 01 01 00 00");

        assertTrue(flyweight.hasAssignment());
        assertFalse(flyweight.nextPartition());
    }

    @Test
    void shouldReadTheBytesOfAFencing()
    {
        wrap("00000000 006e 0278 00 00000000 00000000 ff 00");

        assertEquals(110, flyweight.errorCode());
        assertEquals("x", text(flyweight.errorMessageIndex(), flyweight.errorMessageLength()));
        assertEquals(-1, flyweight.memberIdLength());
        assertFalse(flyweight.hasAssignment());
    }

    private void wrap(final String body)
    {
        // The tags of the header come first.
        final byte[] bytes = HexFormat.of().parseHex("00" + body.replace(" ", ""));
        flyweight.wrap(new UnsafeBuffer(bytes), 0, bytes.length, VERSION);
        while (flyweight.nextPartition())
        {
            sink++;
        }
        assertEquals(bytes.length, flyweight.index());
        flyweight.wrap(new UnsafeBuffer(bytes), 0, bytes.length, VERSION);
    }

    private String text(final int index, final int length)
    {
        return length < 0 ? null : flyweight.buffer().getStringWithoutLengthUtf8(index, length);
    }

    // Behaviour A12.
    @Test
    void shouldReadResponsesThatKafkaWrites()
    {
        Cases.forEach(VERSION, (random) ->
        {
            final ConsumerGroupHeartbeatResponseData expected = response(random);
            final byte[] frame = KafkaFrames.response(
                ApiKey.CONSUMER_GROUP_HEARTBEAT, VERSION, expected, Cases.unknownTags(random));
            final UnsafeBuffer received = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(received, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, VERSION);

            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(expected.errorCode(), flyweight.errorCode());
            assertEquals(expected.errorMessage(),
                text(flyweight.errorMessageIndex(), flyweight.errorMessageLength()));
            assertEquals(expected.memberId(), text(flyweight.memberIdIndex(), flyweight.memberIdLength()));
            assertEquals(expected.memberEpoch(), flyweight.memberEpoch());
            assertEquals(expected.heartbeatIntervalMs(), flyweight.heartbeatIntervalMs());
            assertEquals(expected.assignment() != null, flyweight.hasAssignment());
            if (expected.assignment() != null)
            {
                for (final var topic : expected.assignment().topicPartitions())
                {
                    for (final int partition : topic.partitions())
                    {
                        assertTrue(flyweight.nextPartition());
                        Topics.assertIs("", topic.topicId(), true, flyweight.topic());
                        assertEquals(partition, flyweight.partition());
                    }
                }
            }
            assertFalse(flyweight.nextPartition());
            assertFalse(flyweight.nextPartition());
            assertEquals(BEFORE + frame.length, flyweight.index());
        });
    }

    @Test
    void shouldSurviveEveryPrefixAndEveryChangedByte()
    {
        final byte[] frame = golden();

        final int refusals = new HostileFrames(frame, (received, index, limit, values) ->
        {
            flyweight.wrap(received, index, limit, VERSION);
            values.append(flyweight.throttleTimeMs()).append(' ').append(flyweight.errorCode())
                .append(' ').append(text(flyweight.errorMessageIndex(), flyweight.errorMessageLength()))
                .append(' ').append(text(flyweight.memberIdIndex(), flyweight.memberIdLength()))
                .append(' ').append(flyweight.memberEpoch()).append(' ').append(flyweight.heartbeatIntervalMs())
                .append(' ').append(flyweight.hasAssignment()).append('\n');
            while (flyweight.nextPartition())
            {
                Topics.append(flyweight.topic(), values);
                values.append(' ').append(flyweight.partition()).append('\n');
            }
        }).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    @Test
    void shouldBuildAndReadWithoutAllocating()
    {
        final byte[] frame = golden();
        final UnsafeBuffer received = new UnsafeBuffer(frame);

        final long allocated = Allocation.bytesOf(5_000, () ->
        {
            sink += encoder.keepAlive(buffer, 7);
            encoder.beginFull(buffer, 7, 1).entry(3);
            sink += encoder.end();
            flyweight.wrap(received, ResponseHeader.LENGTH, frame.length, VERSION);
            while (flyweight.nextPartition())
            {
                sink += flyweight.partition();
            }
        });

        assertNotEquals(0, sink);
        assertEquals(0, allocated);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        assertThrows(IllegalArgumentException.class, () -> encoder(null, MEMBER_ID, "t"));
        assertThrows(IllegalArgumentException.class, () -> encoder("g", null, "t"));
        assertThrows(IllegalArgumentException.class, () -> encoder("g", "", "t"));
        assertThrows(IllegalArgumentException.class, () -> encoder("g", MEMBER_ID, null));
    }

    private static byte[] golden()
    {
        for (long seed = 1;; seed++)
        {
            final Random random = new Random(seed);
            final ConsumerGroupHeartbeatResponseData data = response(random);
            final byte[] frame = KafkaFrames.response(
                ApiKey.CONSUMER_GROUP_HEARTBEAT, VERSION, data, Cases.unknownTags(random));
            if (frame.length < 600 && data.assignment() != null && data.assignment().topicPartitions().size() >= 2 &&
                data.assignment().topicPartitions().stream().anyMatch((topic) -> topic.partitions().size() >= 2))
            {
                return frame;
            }
        }
    }

    static ConsumerGroupHeartbeatResponseData response(final Random random)
    {
        final ConsumerGroupHeartbeatResponseData data = new ConsumerGroupHeartbeatResponseData()
            .setThrottleTimeMs(random.nextInt()).setErrorCode((short) (random.nextInt(2) * random.nextInt()))
            .setErrorMessage(Cases.textOrNull(random)).setMemberId(Cases.textOrNull(random))
            .setMemberEpoch(random.nextInt()).setHeartbeatIntervalMs(random.nextInt());
        if (random.nextInt(3) > 0)
        {
            data.setAssignment(assignment(random));
        }
        Cases.addUnknownTags(random, true, data.unknownTaggedFields());
        return data;
    }

    private static Assignment assignment(final Random random)
    {
        final Assignment assignment = new Assignment();
        for (int i = random.nextInt(4); i > 0; i--)
        {
            final var topic = new ConsumerGroupHeartbeatResponseData.TopicPartitions()
                .setTopicId(Cases.uuid(random))
                .setPartitions(random.ints(Cases.count(random)).boxed().toList());
            Cases.addUnknownTags(random, true, topic.unknownTaggedFields());
            assignment.topicPartitions().add(topic);
        }
        Cases.addUnknownTags(random, true, assignment.unknownTaggedFields());
        return assignment;
    }
}
