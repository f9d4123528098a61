// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ApiKeyTest
{
    // Behaviour A7.
    @ParameterizedTest
    @EnumSource
    void shouldHaveTheVersionsAndHeadersOfKafka(final ApiKey apiKey)
    {
        final ApiMessageType type = ApiMessageType.fromApiKey(apiKey.key());

        assertEquals(type.name(), apiKey.name());
        assertEquals(type.highestSupportedVersion(false), apiKey.maxVersion());
        for (short version = apiKey.minVersion(); version <= apiKey.maxVersion(); version++)
        {
            assertEquals(type.requestHeaderVersion(version), apiKey.isFlexible(version) ? 2 : 1);
            assertEquals(type.responseHeaderVersion(version), apiKey.responseHeaderVersion(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldThrottleInTheVersionsInWhichKafkaDoes(final ApiKey apiKey)
    {
        final ApiKeys kafkaKey = ApiKeys.forId(apiKey.key());
        final ApiMessage data = ApiMessageType.fromApiKey(apiKey.key()).newResponse();
        final boolean hasRule = apiKey != ApiKey.OFFSET_FOR_LEADER_EPOCH;

        for (short version = apiKey.minVersion(); version <= apiKey.maxVersion(); version++)
        {
            final ByteBuffer bytes = MessageUtil.toByteBufferAccessor(data, version).buffer();
            final AbstractResponse response = AbstractResponse.parseResponse(kafkaKey, new ByteBufferAccessor(bytes),
                version);

            // Kafka's consumer ignores the throttle time of OffsetForLeaderEpoch, but brokers mute the connection.
            assertEquals(!hasRule || response.shouldClientThrottle(version), apiKey.isThrottledByClient(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseUnsupportedVersions(final ApiKey apiKey)
    {
        apiKey.checkVersion(apiKey.minVersion());
        apiKey.checkVersion(apiKey.maxVersion());

        assertThrows(IllegalArgumentException.class, () -> apiKey.checkVersion(apiKey.minVersion() - 1));
        assertThrows(IllegalArgumentException.class, () -> apiKey.checkVersion(apiKey.maxVersion() + 1));
    }
}
