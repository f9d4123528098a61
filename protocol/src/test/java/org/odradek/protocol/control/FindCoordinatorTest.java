// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FindCoordinatorTest
{
    private static final int BEFORE = 5;

    private final FindCoordinatorResponseFlyweight flyweight = new FindCoordinatorResponseFlyweight();

    static IntStream versions()
    {
        return Cases.versions(ApiKey.FIND_COORDINATOR);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String groupId = Cases.text(random);
            final FindCoordinatorRequestData expected = new FindCoordinatorRequestData().setKeyType((byte) 0);
            if (version >= 4)
            {
                expected.setCoordinatorKeys(List.of(groupId));
            }
            else
            {
                expected.setKey(groupId);
            }
            final FindCoordinatorRequestEncoder encoder = new FindCoordinatorRequestEncoder(clientId, groupId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

            final int length = encoder.build(buffer, version);

            assertEquals(expected, KafkaFrames.request(
                ApiKey.FIND_COORDINATOR, version, buffer, length, clientId));
        });
    }

    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final FindCoordinatorResponseData expected = response(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.FIND_COORDINATOR, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            final Coordinator first = version >= 4 ? expected.coordinators().get(0) : new Coordinator()
                .setErrorCode(expected.errorCode()).setNodeId(expected.nodeId())
                .setHost(expected.host()).setPort(expected.port());
            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(first.errorCode(), flyweight.errorCode());
            assertEquals(first.nodeId(), flyweight.nodeId());
            assertEquals(first.host(), flyweight.buffer().getStringWithoutLengthUtf8(
                flyweight.hostIndex(), flyweight.hostLength()));
            assertEquals(first.port(), flyweight.port());
            assertEquals(BEFORE + frame.length, flyweight.index());
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldSurviveEveryPrefixAndEveryChangedByte(final int version)
    {
        final Random random = new Random(version);
        final byte[] frame = KafkaFrames.response(
            ApiKey.FIND_COORDINATOR, version, response(version, random), Cases.unknownTags(random));

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            flyweight.wrap(buffer, index, limit, version);
            values.append(flyweight.throttleTimeMs()).append(' ').append(flyweight.errorCode())
                .append(' ').append(flyweight.nodeId()).append(' ').append(flyweight.port()).append(' ')
                .append(buffer.getStringWithoutLengthUtf8(flyweight.hostIndex(), flyweight.hostLength()));
        }).tryAll();
    }

    @Test
    void shouldRefuseAResponseWithoutCoordinator()
    {
        final byte[] frame =
            KafkaFrames.response(ApiKey.FIND_COORDINATOR, 6, new FindCoordinatorResponseData(), List.of());

        final WireFormatException refusal = assertThrows(WireFormatException.class, () ->
            flyweight.wrap(new UnsafeBuffer(frame), ResponseHeader.LENGTH, frame.length, 6));

        assertTrue(refusal.getMessage().contains("found none, expected one"), refusal::getMessage);
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final FindCoordinatorRequestEncoder encoder = new FindCoordinatorRequestEncoder("client", "group");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, -1));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 7));
        assertThrows(IllegalArgumentException.class, () -> new FindCoordinatorRequestEncoder("client", null));
    }

    static FindCoordinatorResponseData response(final int version, final Random random)
    {
        final FindCoordinatorResponseData data = new FindCoordinatorResponseData()
            .setThrottleTimeMs(version >= 1 ? random.nextInt() : 0);
        if (version < 4)
        {
            Cases.addUnknownTags(random, version >= 3, data.unknownTaggedFields());
            return data.setErrorCode((short) random.nextInt()).setNodeId(random.nextInt())
                .setErrorMessage(version >= 1 ? Cases.textOrNull(random) : "")
                .setHost(Cases.text(random)).setPort(random.nextInt());
        }
        for (int i = random.nextInt(3); i >= 0; i--)
        {
            final Coordinator coordinator = new Coordinator().setKey(Cases.text(random))
                .setErrorCode((short) random.nextInt()).setErrorMessage(Cases.textOrNull(random))
                .setNodeId(random.nextInt()).setHost(Cases.text(random)).setPort(random.nextInt());
            Cases.addUnknownTags(random, true, coordinator.unknownTaggedFields());
            data.coordinators().add(coordinator);
        }
        Cases.addUnknownTags(random, true, data.unknownTaggedFields());
        return data;
    }
}
