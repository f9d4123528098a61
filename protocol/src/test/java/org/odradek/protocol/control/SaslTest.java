// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Cases;
import org.odradek.protocol.HostileFrames;
import org.odradek.protocol.KafkaFrames;
import org.odradek.protocol.ResponseHeader;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** SaslHandshake and SaslAuthenticate, compared with the message classes of kafka-clients. */
class SaslTest
{
    private static final int BEFORE = 5;
    private static final int MAX_TOKEN_LENGTH = 500;

    private final SaslHandshakeResponseFlyweight handshake = new SaslHandshakeResponseFlyweight();
    private final SaslAuthenticateResponseFlyweight authenticate = new SaslAuthenticateResponseFlyweight();

    static IntStream handshakeVersions()
    {
        return Cases.versions(ApiKey.SASL_HANDSHAKE);
    }

    static IntStream authenticateVersions()
    {
        return Cases.versions(ApiKey.SASL_AUTHENTICATE);
    }

    @ParameterizedTest
    @MethodSource("handshakeVersions")
    void shouldWriteHandshakesThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final String mechanism = Cases.text(random);
            final SaslHandshakeRequestEncoder encoder = new SaslHandshakeRequestEncoder(clientId, mechanism);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength()]);

            final int length = encoder.build(buffer, version);

            assertEquals(new SaslHandshakeRequestData().setMechanism(mechanism), KafkaFrames.request(
                ApiKey.SASL_HANDSHAKE, version, buffer, length, clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("authenticateVersions")
    void shouldWriteAuthenticationsThatKafkaReads(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final String clientId = Cases.textOrNull(random);
            final byte[] token = Cases.bytes(random, MAX_TOKEN_LENGTH);
            final SaslAuthenticateRequestEncoder encoder = new SaslAuthenticateRequestEncoder(clientId);
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[encoder.maxFrameLength(token)]);

            final int length = encoder.build(buffer, version, token);

            assertEquals(new SaslAuthenticateRequestData().setAuthBytes(token), KafkaFrames.request(
                ApiKey.SASL_AUTHENTICATE, version, buffer, length, clientId));
        });
    }

    @ParameterizedTest
    @MethodSource("handshakeVersions")
    void shouldReadHandshakesThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final SaslHandshakeResponseData expected = handshake(random);
            final byte[] frame = KafkaFrames.response(ApiKey.SASL_HANDSHAKE, version, expected, List.of());
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            handshake.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            assertEquals(expected.errorCode(), handshake.errorCode());
            assertEquals(expected.mechanisms(), mechanisms());
            assertEquals(BEFORE + frame.length, handshake.index());
            assertFalse(handshake.nextMechanism());
        });
    }

    private List<String> mechanisms()
    {
        final List<String> mechanisms = new ArrayList<>();
        while (handshake.nextMechanism())
        {
            mechanisms.add(handshake.buffer().getStringWithoutLengthUtf8(
                handshake.mechanismIndex(), handshake.mechanismLength()));
        }
        return mechanisms;
    }

    // Behaviour A12.
    @ParameterizedTest
    @MethodSource("authenticateVersions")
    void shouldReadAuthenticationsThatKafkaWrites(final int version)
    {
        Cases.forEach(version, (random) ->
        {
            final SaslAuthenticateResponseData expected = authenticate(version, random);
            final byte[] frame =
                KafkaFrames.response(ApiKey.SASL_AUTHENTICATE, version, expected, Cases.unknownTags(random));
            final UnsafeBuffer buffer = KafkaFrames.within(frame, BEFORE, 8, 0xFF);

            authenticate.wrap(buffer, BEFORE + ResponseHeader.LENGTH, BEFORE + frame.length, version);

            final byte[] token = new byte[authenticate.authBytesLength()];
            authenticate.buffer().getBytes(authenticate.authBytesIndex(), token);
            final int messageLength = authenticate.errorMessageLength();
            assertEquals(expected.errorCode(), authenticate.errorCode());
            assertEquals(expected.errorMessage(), messageLength < 0 ? null :
                authenticate.buffer().getStringWithoutLengthUtf8(authenticate.errorMessageIndex(), messageLength));
            assertArrayEquals(expected.authBytes(), token);
            assertEquals(expected.sessionLifetimeMs(), authenticate.sessionLifetimeMs());
            assertEquals(BEFORE + frame.length, authenticate.index());
        });
    }

    @ParameterizedTest
    @MethodSource("handshakeVersions")
    void shouldSurviveEveryPrefixAndEveryChangedByteOfAHandshake(final int version)
    {
        final SaslHandshakeResponseData data = new SaslHandshakeResponseData().setErrorCode((short) 33);
        data.mechanisms().addAll(List.of("PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"));
        final byte[] frame = KafkaFrames.response(ApiKey.SASL_HANDSHAKE, version, data, List.of());

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            handshake.wrap(buffer, index, limit, version);
            values.append(handshake.errorCode()).append(mechanisms());
        }).tryAll();
    }

    @ParameterizedTest
    @MethodSource("authenticateVersions")
    void shouldSurviveEveryPrefixAndEveryChangedByteOfAnAuthentication(final int version)
    {
        final SaslAuthenticateResponseData data = new SaslAuthenticateResponseData().setErrorCode((short) 58)
            .setErrorMessage("Authentication failed").setAuthBytes(new byte[]{'v', '=', 1, 2, 3})
            .setSessionLifetimeMs(version >= 1 ? 4_000 : 0);
        final byte[] frame =
            KafkaFrames.response(ApiKey.SASL_AUTHENTICATE, version, data, Cases.unknownTags(new Random(version)));

        new HostileFrames(frame, (buffer, index, limit, values) ->
        {
            authenticate.wrap(buffer, index, limit, version);
            values.append(authenticate.errorCode()).append(' ').append(authenticate.errorMessageLength()).append(' ')
                .append(authenticate.sessionLifetimeMs()).append(' ')
                .append(buffer.getStringWithoutLengthUtf8(
                    authenticate.authBytesIndex(), authenticate.authBytesLength()));
        }).tryAll();
    }

    @Test
    void shouldRefuseRequestsThatCannotBeBuilt()
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[100]);
        final SaslHandshakeRequestEncoder handshakes = new SaslHandshakeRequestEncoder("client", "PLAIN");
        final SaslAuthenticateRequestEncoder authentications = new SaslAuthenticateRequestEncoder("client");

        assertThrows(IllegalArgumentException.class, () -> handshakes.build(buffer, 2));
        assertThrows(IllegalArgumentException.class, () -> authentications.build(buffer, 3, new byte[0]));
        assertThrows(
            IndexOutOfBoundsException.class, () -> authentications.build(buffer, 2, new byte[MAX_TOKEN_LENGTH]));
    }

    static SaslHandshakeResponseData handshake(final Random random)
    {
        final SaslHandshakeResponseData data = new SaslHandshakeResponseData().setErrorCode((short) random.nextInt());
        for (int i = Cases.count(random); i > 0; i--)
        {
            data.mechanisms().add(Cases.text(random));
        }
        return data;
    }

    static SaslAuthenticateResponseData authenticate(final int version, final Random random)
    {
        final SaslAuthenticateResponseData data = new SaslAuthenticateResponseData()
            .setErrorCode((short) random.nextInt()).setErrorMessage(Cases.textOrNull(random))
            .setAuthBytes(Cases.bytes(random, MAX_TOKEN_LENGTH))
            .setSessionLifetimeMs(version >= 1 ? random.nextLong() : 0);
        Cases.addUnknownTags(random, version >= 2, data.unknownTaggedFields());
        return data;
    }
}
