// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.harness.model.ModelSasl;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.apache.kafka.common.message.ApiMessageType.API_VERSIONS;
import static org.apache.kafka.common.message.ApiMessageType.LIST_OFFSETS;
import static org.apache.kafka.common.message.ApiMessageType.SASL_AUTHENTICATE;
import static org.apache.kafka.common.message.ApiMessageType.SASL_HANDSHAKE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.odradek.simulation.fidelity.FidelityRequests.at;
import static org.odradek.simulation.fidelity.FidelityRequests.offsets;
import static org.odradek.testkit.BrokerSecurity.PASSWORD;
import static org.odradek.testkit.BrokerSecurity.USER;

/**
 * Tests how the model authenticates CLIENTS: it sends the same requests to the model and to a real broker, also those
 * after which a broker closes the connection.
 */
@Tag("slow")
class SaslFidelityIT
{
    private static final String PLAIN = "PLAIN";
    private static final String RIGHT = "\0" + USER + "\0" + PASSWORD;
    private static final int NEWEST = 2;
    /** Longer than a session, so that it has ended at both. */
    private static final long SESSION_MS = BrokerSecurity.REAUTH_MS + 100;

    private static final String SHA_256 = "SCRAM-SHA-256";
    private static final String SHA_512 = "SCRAM-SHA-512";
    /** No channel binding, and no other user to act for. */
    private static final String HEADER = "n,,";
    private static final String NONCE = "nonceOfTheClient";
    private static final String BARE = "n=" + USER + ",r=" + NONCE;

    /** The clients of the last exchange, by the brokers. */
    private static final Map<FidelityScene.Side, ScramClient> CLIENTS = new HashMap<>();

    private static FidelityScene scene;

    @BeforeAll
    static void start()
    {
        scene = new FidelityScene(new BrokerSettings().secured());
    }

    @AfterAll
    static void close()
    {
        scene.close();
    }

    @BeforeEach
    void connect()
    {
        scene.authenticate(SecureListener.SASL_PLAINTEXT, new ModelSasl(USER, PASSWORD, 0));
    }

    @AfterEach
    void assertEqual()
    {
        scene.assertEqual();
    }

    private static void versions()
    {
        scene.compare("versions", API_VERSIONS, 3, (side, version) ->
            new ApiVersionsRequestData().setClientSoftwareName("a").setClientSoftwareVersion("1"));
    }

    private static void handshake(final String mechanism)
    {
        scene.compare("handshake", SASL_HANDSHAKE, 1, (side, version) ->
            new SaslHandshakeRequestData().setMechanism(mechanism));
    }

    private static void message(final int messageVersion, final String message)
    {
        scene.compare("message", SASL_AUTHENTICATE, messageVersion, (side, version) ->
            new SaslAuthenticateRequestData().setAuthBytes(message.getBytes(StandardCharsets.UTF_8)));
    }

    /** A request that is served only after the authentication. */
    private static void request()
    {
        scene.compare("request", LIST_OFFSETS, 7, (side, version) -> offsets("unknown", at(0, -1)));
    }

    private static void unsupported()
    {
        final byte[] frame = scene.encode(API_VERSIONS, (short)0, API_VERSIONS.newRequest());
        frame[3] = 100;
        scene.compareRaw("unsupported version", API_VERSIONS, frame);
    }

    @Test
    void shouldAcceptTheRightPassword()
    {
        for (int version = 0; version <= NEWEST; version++)
        {
            scene.reconnect();
            versions();
            handshake(PLAIN);
            message(version, USER + RIGHT);
            request();
            message(version, RIGHT);
            versions();
            handshake(PLAIN);
            handshake("CRAM-MD5");
            request();
        }
        scene.reconnect();
        unsupported();
        versions();
        handshake(PLAIN);
        message(NEWEST, RIGHT);
        request();
    }

    @Test
    void shouldRefuseAWrongPassword()
    {
        final String[] messages = {RIGHT + "x", "\0" + USER + "x\0" + PASSWORD, "other" + RIGHT, "\0" + USER + "\0",
            "\0\0" + PASSWORD, USER, RIGHT + "\0more", "", "\0\0"};
        for (int i = 0; i < messages.length; i++)
        {
            scene.reconnect();
            handshake(PLAIN);
            message(i % (NEWEST + 1), messages[i]);
            request();
        }
    }

    @Test
    void shouldRefuseAnUnknownMechanism()
    {
        for (final String mechanism : new String[]{"", "plain", "CRAM-MD5"})
        {
            scene.reconnect();
            versions();
            handshake(mechanism);
            handshake(PLAIN);
        }
    }

    @Test
    void shouldCloseTheConnectionAtARequestBeforeAuthentication()
    {
        request();
        scene.reconnect();
        message(NEWEST, RIGHT);
        scene.reconnect();
        versions();
        request();
        scene.reconnect();
        versions();
        versions();
        scene.reconnect();
        versions();
        message(NEWEST, RIGHT);
    }

    @Test
    void shouldRefuseARequestBetweenTheMessages()
    {
        final List<Runnable> refused =
            List.of(SaslFidelityIT::request, SaslFidelityIT::versions, () -> handshake(PLAIN));
        for (final Runnable request : refused)
        {
            scene.reconnect();
            handshake(PLAIN);
            request.run();
            handshake(PLAIN);
        }
    }

    @Test
    void shouldEndASessionUnlessTheClientAuthenticatesAgain()
    {
        scene.authenticate(SecureListener.REAUTH, new ModelSasl(USER, PASSWORD, BrokerSecurity.REAUTH_MS));
        handshake(PLAIN);
        message(1, RIGHT);
        scene.pass(SESSION_MS);
        handshake(PLAIN);
        message(NEWEST, RIGHT);
        request();
        scene.reconnect();
        handshake(PLAIN);
        message(0, RIGHT);
        request();
        scene.pass(SESSION_MS);
        request();
    }

    @Test
    void shouldRefuseAWrongPasswordOrMechanismInASession()
    {
        scene.authenticate(SecureListener.REAUTH, new ModelSasl(USER, PASSWORD, BrokerSecurity.REAUTH_MS));
        handshake(PLAIN);
        message(NEWEST, RIGHT);
        handshake(PLAIN);
        message(NEWEST, RIGHT + "x");
        request();
        scene.reconnect();
        handshake(PLAIN);
        message(NEWEST, RIGHT);
        handshake("CRAM-MD5");
        request();
    }

    private static void scram(final String mechanism)
    {
        final ModelSasl sasl = new ModelSasl(USER, PASSWORD, 0);
        scene.authenticate(SecureListener.SASL_PLAINTEXT, mechanism.equals(SHA_512) ?
            sasl.scramSha512(() -> "OfTheModel") : sasl.scram(() -> "OfTheModel"));
        handshake(mechanism);
    }

    private static void first(final ScramClient client)
    {
        scene.compare("first message", SASL_AUTHENTICATE, NEWEST, (side, version) ->
            new SaslAuthenticateRequestData().setAuthBytes(client.first()));
    }

    private static void last(final String mechanism, final String password, final String suffix)
    {
        scene.compare("last message", SASL_AUTHENTICATE, NEWEST, (side, version) ->
        {
            CLIENTS.put(side, new ScramClient(mechanism, HEADER, BARE, password));
            return new SaslAuthenticateRequestData().setAuthBytes(CLIENTS.get(side).last(side.challenge, suffix));
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {SHA_256, SHA_512})
    void shouldAcceptTheRightPasswordByScram(final String mechanism)
    {
        scram(mechanism);
        first(new ScramClient(mechanism, HEADER, BARE, PASSWORD));
        last(mechanism, PASSWORD, "");
        CLIENTS.forEach((side, client) ->
            assertArrayEquals(client.signature(), ScramClient.signatureOf(side.challenge)));
        request();
        message(NEWEST, "more");
        request();
    }

    @ParameterizedTest
    @ValueSource(strings = {SHA_256, SHA_512})
    void shouldRefuseAWrongPasswordOrNonceByScram(final String mechanism)
    {
        scram(mechanism);
        first(new ScramClient(mechanism, HEADER, BARE, PASSWORD));
        last(mechanism, PASSWORD + "x", "");
        request();
        scram(mechanism);
        first(new ScramClient(mechanism, HEADER, BARE, PASSWORD));
        last(mechanism, PASSWORD, "x");
        request();
        scram(mechanism);
        first(new ScramClient(mechanism, HEADER, BARE, PASSWORD));
        message(NEWEST, "no message of SCRAM");
        request();
    }

    @ParameterizedTest
    @ValueSource(strings = {SHA_256, SHA_512})
    void shouldRefuseAnotherUserByScram(final String mechanism)
    {
        scram(mechanism);
        first(new ScramClient(mechanism, HEADER, "n=" + USER + "x,r=" + NONCE, PASSWORD));
        request();
        scram(mechanism);
        message(NEWEST, "n,a=other," + BARE);
        request();
        scram(mechanism);
        message(NEWEST, "no message of SCRAM");
        request();
    }
}
