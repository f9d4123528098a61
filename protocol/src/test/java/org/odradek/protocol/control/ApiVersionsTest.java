// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ApiVersionsTest
{
    private static final int BEFORE = 3;

    private final ApiVersionsResponseFlyweight flyweight = new ApiVersionsResponseFlyweight();

    static IntStream versions()
    {
        return Cases.versions(ApiKey.API_VERSIONS);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldWriteRequestsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final ApiVersionsRequestData expected = new ApiVersionsRequestData()
                .setClientSoftwareName(version >= 3 ? Cases.text(random) : "")
                .setClientSoftwareVersion(version >= 3 ? Cases.text(random) : "");
            final String clusterId = Cases.textOrNull(random);
            final int nodeId = random.nextInt();
            if (version >= 5)
            {
                // The response has both fields or neither.
                expected.setClusterId(clusterId).setNodeId(clusterId == null ? -1 : nodeId);
            }
            final ApiVersionsRequestEncoder encoder = new ApiVersionsRequestEncoder(
                clientId, expected.clientSoftwareName(), expected.clientSoftwareVersion())
                .expected(clusterId == null ? null : clusterId.getBytes(StandardCharsets.UTF_8), nodeId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

            final int length = encoder.build(buffer, version);

            assertEquals(expected, KafkaFrames.request(
                ApiKey.API_VERSIONS, version, buffer, length, clientId));
        });
    }

    // Behaviour A7, tried 2026-11-29: The response header of ApiVersions has no tagged fields in any version.
    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadResponsesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final ApiVersionsResponseData expected = random(version, random);
            final byte[] frame = KafkaFrames.response(ApiKey.API_VERSIONS, version, expected, List.of());
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 9, 0xFF);

            flyweight.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(BEFORE + frame.length, flyweight.index());
            assertEquals(expected.errorCode(), flyweight.errorCode());
            assertEquals(expected.throttleTimeMs(), flyweight.throttleTimeMs());
            assertEquals(expected.apiKeys().size(), flyweight.apiKeyCount());
            for (final ApiKey apiKey : ApiKey.values())
            {
                final ApiVersion known = expected.apiKeys().find(apiKey.key());
                assertEquals(null == known ? -1 : known.minVersion(), flyweight.minVersion(apiKey));
                assertEquals(null == known ? -1 : known.maxVersion(), flyweight.maxVersion(apiKey));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldReadRefusalOfItsVersionInTheOldestLayout(final int version)
    {
        final ApiVersionsResponseData refusal =
            new ApiVersionsResponseData().setErrorCode(ErrorCode.UNSUPPORTED_VERSION);
        final byte[] bare = KafkaFrames.response(ApiKey.API_VERSIONS, 0, refusal, List.of());
        refusal.apiKeys().add(apiVersion(ApiKey.API_VERSIONS.key(), 0, 2));
        final byte[] helpful = KafkaFrames.response(ApiKey.API_VERSIONS, 0, refusal, List.of());

        flyweight.wrap(new UnsafeBuffer(bare), ResponseHeader.LENGTH, bare.length, version);
        assertEquals(ErrorCode.UNSUPPORTED_VERSION, flyweight.errorCode());
        assertEquals(-1, flyweight.maxVersion(ApiKey.API_VERSIONS));

        flyweight.wrap(new UnsafeBuffer(helpful), ResponseHeader.LENGTH, helpful.length, version);
        assertEquals(ErrorCode.UNSUPPORTED_VERSION, flyweight.errorCode());
        assertEquals(2, flyweight.commonVersion(ApiKey.API_VERSIONS));
    }

    // Behaviour A8, tried 2026-11-30: The highest common version is used. While the topic id is unknown, this is the
    // highest common version with topic names (see 55). If there is no common version, an error names the request, and
    // the request is not sent.
    // Behaviour A9, tried 2026-11-29: Unknown APIs are ignored; an API that is missing from the table counts as
    // unsupported.
    @ParameterizedTest
    @CsvSource({"4,18,18", "0,30,18", "4,11,11", "0,4,4", "18,20,18", "0,3,-1", "19,20,-1", "-9,-5,-1", "9,5,-1"})
    void shouldUseTheHighestCommonVersion(final int min, final int max, final int expected)
    {
        final ApiVersionsResponseData data = new ApiVersionsResponseData();
        data.apiKeys().add(apiVersion(ApiKey.FETCH.key(), min, max));
        final byte[] frame = KafkaFrames.response(ApiKey.API_VERSIONS, 4, data, List.of());

        flyweight.wrap(new UnsafeBuffer(frame), ResponseHeader.LENGTH, frame.length, 4);

        assertEquals(expected, flyweight.commonVersion(ApiKey.FETCH));
        assertEquals(-1, flyweight.commonVersion(ApiKey.METADATA));
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldSurviveEveryPrefixAndEveryChangedByte(final int version)
    {
        final byte[] frame = golden(version);

        final int refusals = new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            flyweight.wrap(buffer, index, limit, version);
            values.append(flyweight.errorCode()).append(' ').append(flyweight.throttleTimeMs()).append(' ')
                .append(flyweight.apiKeyCount()).append(' ');
            for (final ApiKey apiKey : ApiKey.values())
            {
                values.append(flyweight.minVersion(apiKey)).append(' ').append(flyweight.maxVersion(apiKey));
            }
        }).tryAll();

        assertTrue(refusals > frame.length, "only " + refusals);
    }

    private static byte[] golden(final int version)
    {
        for (long seed = 1;; seed++)
        {
            final ApiVersionsResponseData data = random(version, new Random(seed));
            final byte[] frame = KafkaFrames.response(ApiKey.API_VERSIONS, version, data, List.of());
            if (data.apiKeys().size() >= 3 && frame.length < 600)
            {
                return frame;
            }
        }
    }

    private static ApiVersion apiVersion(final int key, final int min, final int max)
    {
        return new ApiVersion()
            .setApiKey((short) key).setMinVersion((short) min).setMaxVersion((short) max);
    }

    static ApiVersionsResponseData random(final int version, final Random random)
    {
        final boolean isFlexible = version >= 3;
        final ApiVersionsResponseData data = new ApiVersionsResponseData()
            .setErrorCode((short) random.nextInt(ErrorCode.UNSUPPORTED_VERSION))
            .setThrottleTimeMs(version >= 1 ? random.nextInt() : 0);
        for (int key = 0; key < 70; key += 1 + random.nextInt(20))
        {
            final ApiVersion apiVersion = apiVersion(key, random.nextInt(), random.nextInt());
            Cases.addUnknownTags(random, isFlexible, apiVersion.unknownTaggedFields());
            data.apiKeys().add(apiVersion);
        }
        if (isFlexible)
        {
            data.setFinalizedFeaturesEpoch(random.nextLong()).setZkMigrationReady(random.nextBoolean());
            for (int i = random.nextInt(3); i > 0; i--)
            {
                data.supportedFeatures().add(new SupportedFeatureKey().setName(Cases.text(random)));
                data.finalizedFeatures().add(new FinalizedFeatureKey().setName(Cases.text(random)));
            }
        }
        Cases.addUnknownTags(random, isFlexible, data.unknownTaggedFields());
        return data;
    }
}
