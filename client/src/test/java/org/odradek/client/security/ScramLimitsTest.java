// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** The limits of what SCRAM accepts and sends, on both sides of each. */
class ScramLimitsTest
{
    private static final byte[] NOTHING = {};
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SALT = ",s=W22ZaJ0SNY7soEsUEjb6gQ==";
    private static final int MAX_LENGTH = 4_096;

    private final ScramMechanism mechanism = ScramMechanism.scramSha256("user", "pencil".toCharArray());

    private static byte[] first(final String nonce, final int iterations)
    {
        return ("r=" + nonce + SALT + ",i=" + iterations).getBytes(StandardCharsets.UTF_8);
    }

    private static ScramMessage read(final byte[] message) throws SaslException
    {
        return ScramMessage.serverFirst(message, NONCE, 4_096, 999_999_999);
    }

    /** A server could otherwise replay what another exchange has proved. */
    @Test
    void shouldBeginEachExchangeWithANonceOfItsOwn() throws SaslException
    {
        final Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 100; i++)
        {
            final String message = new String(mechanism.begin("host").respond(NOTHING), StandardCharsets.UTF_8);
            nonces.add(message.substring(message.indexOf("r=") + 2));
        }
        assertEquals(100, nonces.size());
        nonces.forEach((nonce) -> assertEquals(32, nonce.length()));
    }

    @ParameterizedTest
    @CsvSource({"x, false", "rOprNGfwEbeRWgbNEkqO, false", "rOprNGfwEbeRWgbNEkqOx, true",
        "ROprNGfwEbeRWgbNEkqOx, false", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, false"})
    void shouldAcceptOnlyANonceThatContinuesItsOwn(final String nonce, final boolean isAccepted) throws SaslException
    {
        if (isAccepted)
        {
            assertEquals(nonce, read(first(nonce, 4_096)).nonce());
        }
        else
        {
            assertThrows(SaslException.class, () -> read(first(nonce, 4_096)));
        }
    }

    @ParameterizedTest
    @CsvSource({"4095, false", "4096, true", "100000000, true", "999999999, true", "1000000000, false"})
    void shouldAcceptIterationsWithinTheLimits(final int iterations, final boolean isAccepted) throws SaslException
    {
        if (isAccepted)
        {
            assertEquals(iterations, read(first(NONCE + "x", iterations)).iterations());
        }
        else
        {
            assertThrows(SaslException.class, () -> read(first(NONCE + "x", iterations)));
        }
    }

    @Test
    void shouldAcceptAMessageOfTheGreatestLength() throws SaslException
    {
        final String message = new String(first(NONCE + "x", 4_096), StandardCharsets.UTF_8) + ",x=";
        final byte[] longest = (message + "y".repeat(MAX_LENGTH - message.length())).getBytes(StandardCharsets.UTF_8);
        assertEquals(MAX_LENGTH, longest.length);
        assertNotNull(read(longest));
        assertThrows(SaslException.class,
            () -> read((message + "y".repeat(MAX_LENGTH + 1 - message.length())).getBytes(StandardCharsets.UTF_8)));
    }

    /** The same salt, as when an administrator raises the number only. */
    @Test
    void shouldDeriveTheKeyAgainForAnotherNumberOfIterations() throws SaslException
    {
        for (final int iterations : new int[] {4_096, 8_192})
        {
            final SaslMechanism.Session session = mechanism.beginWith(NONCE);
            session.respond(NOTHING);
            int steps = 0;
            while (session.respond(first(NONCE + "x", iterations)) == null)
            {
                steps++;
            }
            // Each step takes 512, and the first iteration is done before them.
            assertEquals(iterations / 512 - 1, steps);
        }
        final SaslMechanism.Session session = mechanism.beginWith(NONCE);
        session.respond(NOTHING);
        assertNotNull(session.respond(first(NONCE + "x", 8_192)));
    }

    @Test
    void shouldTakeLimitsOfIterationsFromOneOn()
    {
        assertDoesNotThrow(() -> mechanism.iterations(1, 1));
        assertThrows(IllegalArgumentException.class, () -> mechanism.iterations(0, 1));
        assertThrows(IllegalArgumentException.class, () -> mechanism.iterations(2, 1));
    }

    @Test
    void shouldBeClearedBeforeItsFirstUse() throws SaslException
    {
        assertDoesNotThrow(mechanism::clear);
        final SaslMechanism.Session session = mechanism.beginWith(NONCE);
        session.respond(NOTHING);
        assertNull(session.respond(first(NONCE + "x", 4_096)));
    }
}
