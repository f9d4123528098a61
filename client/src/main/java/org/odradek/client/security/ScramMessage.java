// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.security.sasl.SaslException;

/**
 * Holds the first message of a SCRAM server (RFC 5802); static methods read and check both messages of a server.
 * <pre>
 *  server first   r=NONCE,s=SALT,i=ITERATIONS[,extensions]
 *  server final   v=SIGNATURE[,extensions]  or  e=ERROR[,extensions]
 * </pre>
 */
record ScramMessage(String text, String nonce, byte[] salt, int iterations)
{
    private static final int MAX_LENGTH = 4_096;
    /** The maximum number of digits of an iteration count; a number with 9 digits fits into an int. */
    private static final int MAX_DIGITS = 9;

    static ScramMessage serverFirst(
        final byte[] bytes, final String clientNonce, final int minIterations, final int maxIterations)
        throws SaslException
    {
        final String text = text(bytes);
        if (text.startsWith("m="))
        {
            throw new SaslException("the broker requires a SCRAM extension (m=) that this client does not know");
        }
        final String[] attributes = text.split(",", 4);
        if (attributes.length < 3)
        {
            throw new SaslException("the broker's first SCRAM message has " + attributes.length +
                " attributes where r, s and i were expected");
        }
        final String nonce = value(attributes[0], "r=");
        if (nonce.length() <= clientNonce.length() || !nonce.startsWith(clientNonce))
        {
            throw new SaslException("the broker's SCRAM nonce does not continue the client's, so it answers another " +
                "exchange");
        }
        final byte[] salt = base64(value(attributes[1], "s="));
        final String digits = value(attributes[2], "i=");
        if (digits.length() > MAX_DIGITS || !digits.matches("[1-9][0-9]*") ||
            Integer.parseInt(digits) < minIterations || Integer.parseInt(digits) > maxIterations)
        {
            throw new SaslException("the broker demands " + digits + " SCRAM iterations where " + minIterations +
                " to " + maxIterations + " are accepted (ScramMechanism.iterations)");
        }
        return new ScramMessage(text, nonce, salt, Integer.parseInt(digits));
    }

    /** Returns the signature in the server's last message. */
    static byte[] serverFinal(final byte[] bytes) throws SaslException
    {
        final String text = text(bytes);
        final String first = text.split(",", 2)[0];
        if (first.startsWith("e="))
        {
            throw new SaslException("the broker ended the SCRAM exchange with " + first);
        }
        return base64(value(first, "v="));
    }

    private static String text(final byte[] bytes) throws SaslException
    {
        if (bytes.length > MAX_LENGTH)
        {
            throw new SaslException("the broker's SCRAM message has " + bytes.length + " bytes where at most " +
                MAX_LENGTH + " are accepted");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String value(final String attribute, final String name) throws SaslException
    {
        if (!attribute.startsWith(name) || attribute.length() == name.length())
        {
            throw new SaslException("the broker's SCRAM message has '" + attribute + "' where " + name +
                " with a value was expected");
        }
        return attribute.substring(name.length());
    }

    private static byte[] base64(final String value) throws SaslException
    {
        try
        {
            return Base64.getDecoder().decode(value);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new SaslException("the broker's SCRAM message has a value that is not Base64");
        }
    }
}
