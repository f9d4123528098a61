// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.util.Arrays;

/**
 * The SASL mechanism PLAIN. The user name and the password are sent as plain text, so connections need TLS. The
 * mechanism keeps a copy of the password; {@link #clear} overwrites the copy.
 */
public final class PlainMechanism implements SaslMechanism
{
    private final byte[] user;
    private final char[] password;

    private PlainMechanism(final String user, final char[] password)
    {
        this.user = Credentials.user(user);
        this.password = Credentials.password(password);
    }

    /**
     * Creates the mechanism with a copy of the password.
     *
     * @throws IllegalArgumentException if the user or the password is null, is empty or contains the character 0.
     */
    public static PlainMechanism plain(final String user, final char[] password)
    {
        return new PlainMechanism(user, password);
    }

    @Override
    public String name()
    {
        return "PLAIN";
    }

    /** Overwrites the copy of the password, so that later authentications fail. */
    public void clear()
    {
        Arrays.fill(password, '\0');
    }

    @Override
    public Session begin(final String host)
    {
        return new PlainSession();
    }

    private final class PlainSession implements Session
    {
        private boolean isSent;

        @Override
        public byte[] respond(final byte[] challenge)
        {
            if (isSent)
            {
                return null;
            }
            isSent = true;
            final byte[] secret = Credentials.utf8(password);
            final byte[] message = new byte[1 + user.length + 1 + secret.length];
            System.arraycopy(user, 0, message, 1, user.length);
            System.arraycopy(secret, 0, message, 1 + user.length + 1, secret.length);
            Arrays.fill(secret, (byte)0);
            return message;
        }

        @Override
        public boolean isComplete()
        {
            return isSent;
        }
    }

    @Override
    public String toString()
    {
        return name();
    }
}
