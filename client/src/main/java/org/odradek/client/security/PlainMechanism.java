// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.util.Arrays;

/**
 * The mechanism PLAIN: it sends user and password as plain text, so it needs TLS. The password is copied;
 * {@link #clear} overwrites it.
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
     * @throws IllegalArgumentException if user or password is empty or holds the character 0.
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

    /** Overwrites the password. No connection can be made after this. */
    public void clear()
    {
        Arrays.fill(password, '\0');
    }

    @Override
    public Session begin(final String host)
    {
        return new PlainSession();
    }

    /** Sends one message; the response of the broker is empty. */
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
