// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/** Tests that the nonces of the simulated clients come from the seed; the method that takes them is not public. */
class SeededScramTest
{
    private static String firstMessage(final long seed) throws SaslException
    {
        return new String(new SeededScram("user", "pencil".toCharArray(), new Draw(seed, "nonces"))
            .begin("broker").respond(new byte[0]), StandardCharsets.US_ASCII);
    }

    @Test
    void shouldDrawTheNonceFromTheSeed() throws SaslException
    {
        assertEquals("n,,n=user,r=" + SeededScram.nonce(new Draw(7, "nonces")), firstMessage(7));
        assertNotEquals(firstMessage(7), firstMessage(8));
    }
}
