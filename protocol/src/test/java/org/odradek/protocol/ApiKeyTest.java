// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ApiKeyTest
{
    @ParameterizedTest
    @EnumSource
    void shouldHaveTheVersionsAndHeadersOfKafka(final ApiKey apiKey)
    {
        final ApiMessageType type = ApiMessageType.fromApiKey(apiKey.key());

        assertEquals(type.name(), apiKey.name());
        assertEquals(type.highestSupportedVersion(false), apiKey.maxVersion());
        for (short version = apiKey.minVersion(); version <= apiKey.maxVersion(); version++)
        {
            assertEquals(type.requestHeaderVersion(version), apiKey.requestHeaderVersion(version));
            assertEquals(type.responseHeaderVersion(version), apiKey.responseHeaderVersion(version));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseVersionsThatWeDoNotSpeak(final ApiKey apiKey)
    {
        apiKey.checkVersion(apiKey.minVersion());
        apiKey.checkVersion(apiKey.maxVersion());

        assertThrows(IllegalArgumentException.class, () -> apiKey.checkVersion(apiKey.minVersion() - 1));
        assertThrows(IllegalArgumentException.class, () -> apiKey.checkVersion(apiKey.maxVersion() + 1));
    }
}
