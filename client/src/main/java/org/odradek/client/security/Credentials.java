// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Checks and copies the user and the secret of a mechanism. */
final class Credentials
{
    private Credentials()
    {
    }

    static byte[] user(final String user)
    {
        if (user == null || user.isEmpty() || user.indexOf('\0') >= 0)
        {
            throw new IllegalArgumentException(
                "user is " + (user == null ? "null" : user.isEmpty() ? "empty" : "not possible") +
                ": it must have at least one character, and none of them may be 0");
        }
        return user.getBytes(StandardCharsets.UTF_8);
    }

    /** @throws IllegalArgumentException if the password is null, is empty or contains the character 0. */
    static char[] password(final char[] password)
    {
        if (password == null || password.length == 0)
        {
            throw new IllegalArgumentException("password is not set: it must have at least one character");
        }
        for (final char letter : password)
        {
            if (letter == '\0')
            {
                throw new IllegalArgumentException("password has a character 0, which no mechanism can send");
            }
        }
        return password.clone();
    }

    /** Returns the characters in UTF-8; the caller overwrites the array after use. */
    static byte[] utf8(final char[] secret)
    {
        final ByteBuffer encoded = StandardCharsets.UTF_8.encode(CharBuffer.wrap(secret));
        final byte[] bytes = Arrays.copyOf(encoded.array(), encoded.limit());
        Arrays.fill(encoded.array(), (byte)0);
        return bytes;
    }
}
