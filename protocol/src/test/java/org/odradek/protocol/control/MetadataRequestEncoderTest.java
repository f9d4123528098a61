// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.RequestHeaderEncoder;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class MetadataRequestEncoderTest
{
    static IntStream versions()
    {
        return Cases.versions(ApiKey.METADATA);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldBeReadByKafka(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String topic = Cases.text(random);
            final Uuid topicId = random.nextBoolean() ? Uuid.ZERO_UUID : Cases.uuid(random);
            final MetadataRequestEncoder encoder = new MetadataRequestEncoder(clientId, topic)
                .topicId(topicId.getMostSignificantBits(), topicId.getLeastSignificantBits());
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);
            final boolean isById = version >= 12 && !topicId.equals(Uuid.ZERO_UUID);

            final int length = encoder.build(buffer, version);
            RequestHeaderEncoder.correlationId(buffer, 1);

            assertEquals(
                new MetadataRequestData()
                    .setTopics(List.of(new MetadataRequestTopic()
                        .setName(isById ? null : topic)
                        .setTopicId(isById ? topicId : Uuid.ZERO_UUID)))
                    .setAllowAutoTopicCreation(false),
                KafkaFrames.request(ApiKey.METADATA, version, buffer, length, clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldRequestSeveralTopicsByName(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final byte[][] names = new byte[1 + Cases.count(random)][];
            final MetadataRequestData expected = new MetadataRequestData().setAllowAutoTopicCreation(false)
                .setTopics(new ArrayList<>());
            for (int i = 0; i < names.length; i++)
            {
                final String name = Cases.text(random);
                names[i] = name.getBytes(StandardCharsets.UTF_8);
                expected.topics().add(new MetadataRequestTopic().setName(name));
            }
            final MetadataRequestEncoder encoder = new MetadataRequestEncoder("client", "topic");
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(names)]);

            final int length = encoder.build(buffer, version, names);

            assertEquals(expected, KafkaFrames.request(ApiKey.METADATA, version, buffer, length, "client"));
        });
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final MetadataRequestEncoder encoder = new MetadataRequestEncoder("client", "topic");
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 3));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 14));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 13, new byte[0][]));
        assertThrows(IllegalArgumentException.class, () -> new MetadataRequestEncoder("client", null));
    }
}
