// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DescribeGroupsTest
{
    private static final int BEFORE = 5;

    private final DescribeGroupsResponseFlyweight flyweight = new DescribeGroupsResponseFlyweight();

    static IntStream versions()
    {
        return Cases.versions(ApiKey.DESCRIBE_GROUPS);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String groupId = Cases.text(random);
            final DescribeGroupsRequestEncoder encoder = new DescribeGroupsRequestEncoder(clientId, groupId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

            final int length = encoder.build(buffer, version);

            assertEquals(new DescribeGroupsRequestData().setGroups(List.of(groupId)), KafkaFrames.request(
                ApiKey.DESCRIBE_GROUPS, version, buffer, length, clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final DescribeGroupsResponseData expected = response(version, random);
            final byte[] frame = frame(version, expected, random);
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            final DescribedGroup group = expected.groups().get(0);
            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(group.errorCode(), flyweight.errorCode());
            assertEquals(group.groupState(), buffer.getStringWithoutLengthUtf8(
                flyweight.groupStateIndex(), flyweight.groupStateLength()));
            assertEquals(group.protocolType(), buffer.getStringWithoutLengthUtf8(
                flyweight.protocolTypeIndex(), flyweight.protocolTypeLength()));
            assertEquals(group.members().size(), flyweight.memberCount());
        });
    }

    /** The walk reads no byte after the number of members, so a frame that ends there is a whole one for it. */
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadAFirstPartAndRefuseAShorterOne(final int version)
    {
        final Random random = new Random(version);
        final byte[] whole = frame(version, response(version, random), random);
        flyweight.wrap(new UnsafeBuffer(whole), ResponseHeader.LENGTH, whole.length, version);
        final byte[] frame = Arrays.copyOf(whole, flyweight.index());

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            flyweight.wrap(buffer, index, limit, version);
            assertTrue(flyweight.memberCount() >= 0);
            values.append(flyweight.throttleTimeMs()).append(' ').append(flyweight.errorCode()).append(' ')
                .append(buffer.getStringWithoutLengthUtf8(flyweight.groupStateIndex(), flyweight.groupStateLength()))
                .append(buffer.getStringWithoutLengthUtf8(
                    flyweight.protocolTypeIndex(), flyweight.protocolTypeLength())).append(flyweight.memberCount());
        }).tryAll();
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldRefuseAResponseWithoutGroup(final int version)
    {
        final byte[] frame =
            KafkaFrames.response(ApiKey.DESCRIBE_GROUPS, version, new DescribeGroupsResponseData(), List.of());

        final WireFormatException refusal = assertThrows(WireFormatException.class, () ->
            flyweight.wrap(new UnsafeBuffer(frame), ResponseHeader.LENGTH, frame.length, version));

        assertTrue(refusal.getMessage().contains("found none, expected one"), refusal::getMessage);
    }

    private static byte[] frame(
        final int version, final DescribeGroupsResponseData response, final Random random)
    {
        return KafkaFrames.response(ApiKey.DESCRIBE_GROUPS, version, response, Cases.unknownTags(random));
    }

    static DescribeGroupsResponseData response(final int version, final Random random)
    {
        final DescribeGroupsResponseData data = new DescribeGroupsResponseData().setThrottleTimeMs(random.nextInt());
        for (int i = random.nextInt(2); i >= 0; i--)
        {
            final DescribedGroup group = new DescribedGroup().setErrorCode((short)random.nextInt())
                .setErrorMessage(version >= 6 ? Cases.textOrNull(random) : null)
                .setGroupId(Cases.text(random)).setGroupState(Cases.text(random)).setProtocolType(Cases.text(random))
                .setProtocolData(Cases.text(random)).setAuthorizedOperations(random.nextInt());
            for (int m = random.nextInt(4); m > 0; m--)
            {
                group.members().add(new DescribedGroupMember().setMemberId(Cases.text(random))
                    .setGroupInstanceId(Cases.textOrNull(random)).setClientId(Cases.text(random))
                    .setClientHost(Cases.text(random)).setMemberMetadata(new byte[random.nextInt(100)]));
            }
            Cases.addUnknownTags(random, true, group.unknownTaggedFields());
            data.groups().add(group);
        }
        Cases.addUnknownTags(random, true, data.unknownTaggedFields());
        return data;
    }
}
