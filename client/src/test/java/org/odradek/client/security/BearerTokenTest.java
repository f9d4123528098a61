// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which bearer tokens are sent, and the hint about one that the broker has refused. */
class BearerTokenTest
{
    private static final String HOST = "localhost";

    /** What the source supplies next; null for nothing. */
    private char[] token;
    private boolean isFailing;
    private final OAuthBearerMechanism mechanism = OAuthBearerMechanism.oauthBearer(() ->
    {
        if (isFailing)
        {
            throw new IllegalStateException("a secret");
        }
        return token;
    });

    private static char[] webToken(final String payload)
    {
        return ("header." + Base64.getUrlEncoder().encodeToString(payload.getBytes(StandardCharsets.UTF_8)) +
            ".signature").toCharArray();
    }

    @Test
    void shouldWaitForASourceThatHasNoTokenYet() throws SaslException
    {
        assertNull(mechanism.begin(HOST));
        assertNull(mechanism.problem());
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "65536, true", "65537, false"})
    void shouldSendATokenOfAnyLengthThatIsAccepted(final int length, final boolean isSent) throws SaslException
    {
        assertEquals(65_536, TokenSource.MAX_LENGTH);
        token = "x".repeat(length).toCharArray();
        assertEquals(isSent, mechanism.begin(HOST) != null);
        assertEquals(isSent, mechanism.problem() == null);
    }

    @Test
    void shouldSayWhenTheTokenHasExpiredAndWhyThereIsNoOther() throws SaslException
    {
        token = webToken("{\"exp\" : 0, \"sub\":\"x\"}");
        assertEquals("the token expired at 1970-01-01T00:00:00Z, and its source has supplied no newer one",
            mechanism.begin(HOST).hint());
        isFailing = true;
        assertEquals("the token expired at 1970-01-01T00:00:00Z, and its source has supplied no newer one: " +
            "the token source failed with IllegalStateException", mechanism.begin(HOST).hint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"exp\":99999999999}", "{\"sub\":\"x\"}", ""})
    void shouldSayNothingOfATokenThatMayBeValid(final String payload) throws SaslException
    {
        token = webToken(payload);
        assertNull(mechanism.begin(HOST).hint());
        isFailing = true;
        assertEquals("the token source failed with IllegalStateException", mechanism.begin(HOST).hint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"opaque", "header.eyJleHAiOjB9", "header.*.signature"})
    void shouldSayNothingOfATokenWithoutATime(final String opaque) throws SaslException
    {
        token = opaque.toCharArray();
        assertNull(mechanism.begin(HOST).hint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a1", "a=", "auth"})
    void shouldRefuseAKeyThatCouldForgeTheMessage(final String key)
    {
        assertThrows(IllegalArgumentException.class, () -> mechanism.extension(key, "x"));
        assertThrows(IllegalArgumentException.class, () -> mechanism.extension("key", ""));
        assertNotNull(mechanism.extension("key", "x"));
    }

    @ParameterizedTest
    @CsvSource(nullValues = "null", value = {"null, null", "'', empty", "'a0b', not possible", "'0b', not possible"})
    void shouldRefuseAUserThatNoMechanismCanSend(final String user, final String shown)
    {
        final String name = user == null ? null : user.replace('0', '\0');
        final char[] password = {'p'};
        final IllegalArgumentException refusal =
            assertThrows(IllegalArgumentException.class, () -> PlainMechanism.plain(name, password));
        assertTrue(refusal.getMessage().startsWith("user is " + shown + ":"), refusal::getMessage);
    }

    @Test
    void shouldRefuseAPasswordThatNoMechanismCanSend() throws SaslException
    {
        assertThrows(IllegalArgumentException.class, () -> PlainMechanism.plain("u", new char[] {'p', '\0'}));
        final SaslMechanism.Session session = PlainMechanism.plain("u", new char[] {'p'}).begin(HOST);
        assertNotNull(session.respond(new byte[0]));
        assertNull(session.respond(new byte[0]));
    }
}
