// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerClientInitialResponse;
import org.apache.kafka.common.security.plain.PlainAuthenticateCallback;
import org.apache.kafka.common.security.plain.internals.PlainSaslServer;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramSaslServer;
import org.apache.kafka.common.security.token.delegation.internals.DelegationTokenCredentialCallback;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The mechanisms against the vectors of RFC 7677, against Kafka's own servers, and against hostile ones. */
class SaslMechanismTest
{
    private static final String HOST = "localhost";
    private static final byte[] NOTHING = {};
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_NONCE = NONCE + "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String SERVER_FIRST = "r=" + SERVER_NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
    private static final String CLIENT_FINAL =
        "c=biws,r=" + SERVER_NONCE + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
    private static final String SERVER_FINAL = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(final byte[] bytes)
    {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static ScramMechanism pencil()
    {
        return ScramMechanism.scramSha256("user", "pencil".toCharArray());
    }

    /** Responds to a challenge, in as many steps as that takes. */
    private static byte[] respond(final SaslMechanism.Session session, final byte[] challenge) throws SaslException
    {
        byte[] response = null;
        for (int i = 0; i < 1_000 && response == null && !session.isComplete(); i++)
        {
            response = session.respond(challenge);
        }
        return response;
    }

    // Behaviour C34, tried 2026-11-29: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 and OAUTHBEARER exchange the messages that
    // Kafka's servers accept, and a SCRAM server must prove that it knows the password.
    @Test
    void shouldExchangeTheMessagesOfTheRfc() throws SaslException
    {
        final ScramMechanism mechanism = pencil();
        for (int i = 0; i < 2; i++)
        {
            final SaslMechanism.Session session = mechanism.beginWith(NONCE);
            assertEquals("n,,n=user,r=" + NONCE, text(session.respond(NOTHING)));
            byte[] last = session.respond(bytes(SERVER_FIRST));
            // The first time the key is derived in steps; the second time it is known.
            assertEquals(i == 0, last == null);
            last = last == null ? respond(session, bytes(SERVER_FIRST)) : last;
            assertEquals(CLIENT_FINAL, text(last));
            assertFalse(session.isComplete());
            assertNull(session.respond(bytes(SERVER_FINAL)));
            assertTrue(session.isComplete());
            session.close();
        }
    }

    /** Each server has a salt of its own. */
    private static SaslServer server(
        final org.apache.kafka.common.security.scram.internals.ScramMechanism kind,
        final char[] password,
        final int iterations) throws Exception
    {
        final ScramCredential credential =
            new ScramFormatter(kind).generateCredential(new String(password), iterations);
        return new ScramSaslServer(kind, Map.of(), (callbacks) ->
        {
            for (final Callback callback : callbacks)
            {
                if (callback instanceof DelegationTokenCredentialCallback token)
                {
                    token.tokenOwner("owner");
                }
                if (callback instanceof ScramCredentialCallback scram)
                {
                    scram.scramCredential(credential);
                }
            }
        });
    }

    /** When the password is set again, even to the same, the salt changes; the number of iterations may, too. */
    @Test
    void shouldDeriveTheKeyAgainForAnotherSaltOrAnotherNumberOfIterations() throws Exception
    {
        final char[] password = "pencil".toCharArray();
        final ScramMechanism mechanism = ScramMechanism.scramSha256("user", password);
        for (final int iterations : new int[] {4_096, 4_096, 8_192, 4_096})
        {
            final SaslServer server = server(
                org.apache.kafka.common.security.scram.internals.ScramMechanism.SCRAM_SHA_256, password, iterations);
            final SaslMechanism.Session session = mechanism.begin(HOST);
            final byte[] first = server.evaluateResponse(session.respond(NOTHING));
            assertNull(respond(session, server.evaluateResponse(respond(session, first))));
            assertTrue(session.isComplete() && server.isComplete());
        }
    }

    // Behaviour C36, tried 2026-11-29: Commas and equals signs in SCRAM user names are escaped.
    // Behaviour C34.
    @ParameterizedTest
    @CsvSource({"SCRAM-SHA-256, alice, false", "SCRAM-SHA-512, 'a=b,c=d', false",
        "SCRAM-SHA-256, token-id, true"})
    void shouldSatisfyKafkasServer(final String name, final String user, final boolean isToken) throws Exception
    {
        final char[] password = "s\u00e4cret,=\u20ac".toCharArray();
        final org.apache.kafka.common.security.scram.internals.ScramMechanism kind =
            org.apache.kafka.common.security.scram.internals.ScramMechanism.forMechanismName(name);
        final SaslServer server = server(kind, password, 8_192);
        final ScramMechanism mechanism = (name.endsWith("256") ? ScramMechanism.scramSha256(user, password) :
            ScramMechanism.scramSha512(user, password)).delegationToken(isToken);

        assertEquals(name, mechanism.name());
        final SaslMechanism.Session session = mechanism.begin(HOST);
        final byte[] first = server.evaluateResponse(session.respond(NOTHING));
        final byte[] last = server.evaluateResponse(respond(session, first));
        assertNull(respond(session, last));
        assertTrue(session.isComplete());
        assertTrue(server.isComplete());
        assertEquals(isToken ? "owner" : user, server.getAuthorizationID());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "m=x,r=*,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096 | requires a SCRAM extension",
        "r=*,s=W22ZaJ0SNY7soEsUEjb6gQ== | 2 attributes where r, s and i were expected",
        "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096 | nonce does not continue the client's",
        "r=" + NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096 | nonce does not continue the client's",
        "r=*,s=,i=4096 | 's=' where s= with a value was expected",
        "r=*,s=!,i=4096 | not Base64",
        "r=*,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4095 | demands 4095 SCRAM iterations where 4096 to 65536 are accepted",
        "r=*,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=65537 | demands 65537 SCRAM iterations",
        "r=*,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=2147483648 | demands 2147483648 SCRAM iterations",
        "r=*,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=-1 | demands -1 SCRAM iterations",
        "r=*,s=W22ZaJ0SNY7soEsUEjb6gQ==,i= | 'i=' where i= with a value was expected",
        "e=other-error | 1 attributes"})
    void shouldRefuseAFirstMessageOfAHostileServer(final String message, final String reason) throws SaslException
    {
        final SaslMechanism.Session session = pencil().beginWith(NONCE);
        session.respond(NOTHING);

        final SaslException refusal = assertThrows(SaslException.class,
            () -> session.respond(bytes(message.replace("*", SERVER_NONCE))));

        assertTrue(refusal.getMessage().contains(reason), refusal::getMessage);
        assertFalse(session.isComplete());
    }

    // Behaviour C34.
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "`` | '' where v= with a value was expected",
        "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95H4= | has not proved that it knows the password",
        "v=AAAA | has not proved that it knows the password",
        "v=* | not Base64",
        "e=invalid-proof | ended the SCRAM exchange with e=invalid-proof"})
    void shouldRefuseAServerThatDoesNotProveItself(final String message, final String reason) throws SaslException
    {
        final SaslMechanism.Session session = pencil().beginWith(NONCE);
        session.respond(NOTHING);
        respond(session, bytes(SERVER_FIRST));

        final SaslException refusal = assertThrows(SaslException.class, () -> session.respond(bytes(message)));

        assertTrue(refusal.getMessage().contains(reason), refusal::getMessage);
        assertFalse(session.isComplete());
    }

    /** Only what the RFC has leads to a complete exchange, whatever else a server sends. */
    @Tag("seconds")
    @Test
    void shouldSurviveEveryPrefixAndRandomChangesOfAServersMessages() throws SaslException
    {
        final ScramMechanism mechanism = pencil();
        final Random random = new Random(1);
        int refused = 0;
        for (int i = 0; i < 3_000; i++)
        {
            final byte[] first = i < SERVER_FIRST.length() ?
                bytes(SERVER_FIRST.substring(0, i)) : changed(bytes(SERVER_FIRST), random);
            final byte[] last = changed(bytes(SERVER_FINAL), random);
            final SaslMechanism.Session session = mechanism.iterations(4_096, 5_000).beginWith(NONCE);
            session.respond(NOTHING);
            try
            {
                respond(session, first);
                session.respond(last);
            }
            catch (final SaslException ex)
            {
                refused++;
            }
            assertEquals(text(last).split(",")[0].equals(SERVER_FINAL) && text(first).equals(SERVER_FIRST),
                session.isComplete());
            session.close();
        }
        assertTrue(refused > 2_500, "only " + refused);
    }

    private static byte[] changed(final byte[] bytes, final Random random)
    {
        final byte[] changed = bytes.clone();
        for (int i = random.nextInt(3); i > 0; i--)
        {
            changed[random.nextInt(changed.length)] = (byte)random.nextInt(256);
        }
        return changed;
    }

    @Test
    void shouldRefuseAnOversizedMessage() throws SaslException
    {
        final SaslMechanism.Session session = pencil().beginWith(NONCE);
        session.respond(NOTHING);

        final SaslException refusal = assertThrows(SaslException.class,
            () -> session.respond(bytes(SERVER_FIRST + "," + "x".repeat(5_000))));

        assertTrue(refusal.getMessage().contains("where at most 4096 are accepted"), refusal::getMessage);
    }

    // Behaviour C34.
    @Test
    void shouldSendWhatKafkasPlainServerReads() throws Exception
    {
        final char[] password = "s\u00e4cret".toCharArray();
        final PlainSaslServer server = new PlainSaslServer((callbacks) ->
        {
            assertEquals("\u00e4lice", ((NameCallback)callbacks[0]).getDefaultName());
            final PlainAuthenticateCallback plain = (PlainAuthenticateCallback)callbacks[1];
            plain.authenticated(Arrays.equals(password, plain.password()));
        });
        final PlainMechanism mechanism = PlainMechanism.plain("\u00e4lice", password);
        final SaslMechanism.Session session = mechanism.begin(HOST);

        server.evaluateResponse(session.respond(NOTHING));

        assertTrue(server.isComplete());
        assertTrue(session.isComplete());
        mechanism.clear();
        assertEquals(0, session(mechanism)[1 + bytes("\u00e4lice").length + 1]);
    }

    private static byte[] session(final SaslMechanism mechanism) throws SaslException
    {
        return mechanism.begin(HOST).respond(NOTHING);
    }

    // Behaviour C34.
    @Test
    void shouldSendWhatKafkasBearerServerReads() throws SaslException
    {
        final OAuthBearerMechanism mechanism = OAuthBearerMechanism.oauthBearer(() -> "abc.def-_~+/=".toCharArray())
            .extension("logicalCluster", "lkc-1").extension("identityPoolId", "pool 1");
        final SaslMechanism.Session session = mechanism.begin(HOST);

        final OAuthBearerClientInitialResponse read = new OAuthBearerClientInitialResponse(session.respond(NOTHING));

        assertEquals("abc.def-_~+/=", read.tokenValue());
        assertEquals(Map.of("logicalCluster", "lkc-1", "identityPoolId", "pool 1"), read.extensions().map());
        assertFalse(session.isComplete());
        assertNull(session.respond(NOTHING));
        assertTrue(session.isComplete());
    }

    @Test
    void shouldAcknowledgeThatATokenIsRefusedAndInsistOnAnError() throws SaslException
    {
        final SaslMechanism.Session session =
            OAuthBearerMechanism.oauthBearer(() -> "token".toCharArray()).begin(HOST);
        session.respond(NOTHING);

        assertArrayEquals(new byte[]{1}, session.respond(bytes("{\"status\":\"invalid_token\"}")));
        assertFalse(session.isComplete());
        assertThrows(SaslException.class, () -> session.respond(NOTHING));
        assertNull(session.hint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "line\nbreak", "forged\u0001auth=Bearer x", "\u00e4"})
    void shouldRefuseATokenThatCouldForgeTheMessage(final String token) throws SaslException
    {
        final OAuthBearerMechanism mechanism = OAuthBearerMechanism.oauthBearer(token::toCharArray);

        assertNull(mechanism.begin(HOST));
        assertTrue(mechanism.problem().startsWith("the token source supplied a token "), mechanism::problem);
        assertTrue(token.isEmpty() || !mechanism.problem().contains(token), mechanism::problem);
    }

    @Test
    void shouldReadTokensFromAFileAndKeepTheLastGoodOne(@TempDir final Path folder) throws IOException
    {
        final Path file = folder.resolve("token");
        final OAuthBearerMechanism mechanism = OAuthBearerMechanism.oauthBearer(TokenSource.file(file));

        assertNull(mechanism.begin(HOST));
        assertEquals("the token source has no token: NoSuchFileException " + file, mechanism.problem());
        Files.writeString(file, "first\n");
        assertTrue(text(session(mechanism)).contains("Bearer first\u0001"));
        assertNull(mechanism.problem());
        Files.writeString(file, "second");
        assertTrue(text(session(mechanism)).contains("Bearer second\u0001"));
        Files.delete(file);
        assertTrue(text(session(mechanism)).contains("Bearer second\u0001"));
        for (final String unusable : new String[]{"", " \n", "two words", "x".repeat(TokenSource.MAX_LENGTH + 1)})
        {
            Files.writeString(file, unusable);
            assertTrue(text(session(mechanism)).contains("Bearer second\u0001"));
            assertTrue(mechanism.problem().startsWith("the token source "), mechanism::problem);
        }
        Files.writeString(file, "third");
        assertTrue(text(session(mechanism)).contains("Bearer third\u0001"));
        assertNull(mechanism.problem());
    }

    @Test
    void shouldKeepTheLastGoodTokenWhateverTheSourceThrows() throws IOException
    {
        final AtomicReference<RuntimeException> failure = new AtomicReference<>(new IllegalStateException("canary"));
        final OAuthBearerMechanism mechanism = OAuthBearerMechanism.oauthBearer(() ->
        {
            if (failure.get() != null)
            {
                throw failure.get();
            }
            return "token".toCharArray();
        });

        assertNull(mechanism.begin(HOST));
        final RuntimeException thrown = failure.getAndSet(null);
        assertTrue(text(session(mechanism)).contains("Bearer token\u0001"));
        failure.set(thrown);
        final SaslMechanism.Session session = mechanism.begin(HOST);
        assertTrue(text(session.respond(NOTHING)).contains("Bearer token\u0001"));
        assertEquals("the token source failed with IllegalStateException", mechanism.problem());
        assertEquals(mechanism.problem(), session.hint());
    }

    @Test
    void shouldUseAMechanismOfTheJdk() throws SaslException
    {
        final SaslClientMechanism mechanism =
            new SaslClientMechanism("EXTERNAL", "kafka", null, null, Map.of());
        final SaslMechanism.Session session = mechanism.begin(HOST);

        assertNotNull(session.respond(NOTHING));
        assertTrue(session.isComplete());
        session.close();
        final SaslException refusal = assertThrows(SaslException.class,
            () -> new SaslClientMechanism("UNHEARD-OF", "kafka", null, null, Map.of()).begin(HOST));
        assertEquals("no library on the class path provides the SASL mechanism UNHEARD-OF", refusal.getMessage());
    }

    @Test
    void shouldRefuseImpossibleSettings()
    {
        final char[] password = {'p'};
        assertThrows(IllegalArgumentException.class, () -> PlainMechanism.plain("", password));
        assertThrows(IllegalArgumentException.class, () -> PlainMechanism.plain("a\0b", password));
        assertThrows(IllegalArgumentException.class, () -> ScramMechanism.scramSha256("a", new char[0]));
        assertThrows(IllegalArgumentException.class, () -> ScramMechanism.scramSha256("a", null));
        assertThrows(IllegalArgumentException.class, () -> pencil().iterations(10, 9));
        assertThrows(IllegalArgumentException.class, () -> OAuthBearerMechanism.oauthBearer(null));
        final OAuthBearerMechanism bearer = OAuthBearerMechanism.oauthBearer(() -> null);
        assertThrows(IllegalArgumentException.class, () -> bearer.extension("auth", "x"));
        assertThrows(IllegalArgumentException.class, () -> bearer.extension("a", "b\u0001auth=c"));
    }
}
