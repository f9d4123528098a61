// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
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
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class MetadataRequestEncoderTest
{
    static IntStream versions()
    {
        return Cases.versions(ApiKey.METADATA);
    }

    // Behaviour D44.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldBeReadByKafka(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final byte[][] names = new byte[1 + Cases.count(random)][];
            final int count = 1 + random.nextInt(names.length);
            final MetadataRequestData expected = new MetadataRequestData().setAllowAutoTopicCreation(false)
                .setTopics(new ArrayList<>());
            for (int i = 0; i < names.length; i++)
            {
                final String name = Cases.text(random);
                names[i] = name.getBytes(StandardCharsets.UTF_8);
                if (i < count)
                {
                    expected.topics().add(new MetadataRequestTopic().setName(name));
                }
            }
            final MetadataRequestEncoder encoder = new MetadataRequestEncoder(clientId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(names, count)]);

            final int length = encoder.build(buffer, version, names, count);
            RequestHeaderEncoder.correlationId(buffer, 1);

            assertEquals(expected, KafkaFrames.request(ApiKey.METADATA, version, buffer, length, clientId));
        });
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final MetadataRequestEncoder encoder = new MetadataRequestEncoder("client");
        final byte[][] names = {{'a'}};
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(names, 1)]);

        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 3, names, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 14, names, 1));
        assertThrows(IllegalArgumentException.class, () -> encoder.build(buffer, 13, names, 0));
    }
}
