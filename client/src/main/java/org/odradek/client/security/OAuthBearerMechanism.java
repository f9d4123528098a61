// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.security.sasl.SaslException;

/**
 * The SASL mechanism OAUTHBEARER (RFC 7628). The bearer token is sent in clear text, so connections need TLS. The last
 * valid token is used until the source supplies another valid token, even if the source returns null or throws an
 * exception meanwhile. Connections wait for the first token.
 */
public final class OAuthBearerMechanism implements SaslMechanism
{
    private static final char SEPARATOR = '\u0001';
    private static final byte[] ACKNOWLEDGED_ERROR = {SEPARATOR};
    /** Finds the time of expiry, in seconds since 1970, in the payload of a JSON web token. */
    private static final Pattern EXPIRY = Pattern.compile("\"exp\"\\s*:\\s*(\\d{1,11})");

    private final TokenSource source;
    private final Map<String, String> extensions = new TreeMap<>();
    /**
     * This field is null before the first valid token. The field is volatile because all threads that authenticate
     * write it.
     */
    private volatile char[] lastToken;
    /** This field is volatile because all threads that authenticate write it. */
    private volatile String problem;

    private OAuthBearerMechanism(final TokenSource source)
    {
        if (source == null)
        {
            throw new IllegalArgumentException("token source is null: it must be set");
        }
        this.source = source;
    }

    /**
     * Creates the mechanism.
     *
     * @param source supplies a token; it is called on the polling thread before each authentication.
     * @throws IllegalArgumentException if the source is null.
     */
    public static OAuthBearerMechanism oauthBearer(final TokenSource source)
    {
        return new OAuthBearerMechanism(source);
    }

    /**
     * Adds a SASL extension, such as Confluent's {@code logicalCluster} and {@code identityPoolId}.
     *
     * @param key   name of the extension: ASCII letters, but not {@code auth}.
     * @param value value of the extension: one or more visible ASCII characters, spaces, tabs or line breaks.
     * @return this object.
     * @throws IllegalArgumentException if the key or the value is not possible.
     */
    public OAuthBearerMechanism extension(final String key, final String value)
    {
        if (!key.matches("[A-Za-z]+") || "auth".equals(key) || !value.matches("[\\x20-\\x7E\\t\\r\\n]+"))
        {
            throw new IllegalArgumentException("an extension is not possible: its key must have letters only and not " +
                "be auth, and its value must have visible ASCII characters only");
        }
        extensions.put(key, value);
        return this;
    }

    @Override
    public String name()
    {
        return "OAUTHBEARER";
    }

    @Override
    public Session begin(final String host) throws SaslException
    {
        readToken();
        final char[] token = lastToken;
        return token == null ? null : new BearerSession(token);
    }

    private void readToken()
    {
        try
        {
            final char[] token = source.token();
            if (token != null)
            {
                final char[] copy = token.clone();
                check(copy);
                lastToken = copy;
            }
            problem = null;
        }
        catch (final SaslException ex)
        {
            problem = ex.getMessage();
        }
        catch (final IOException ex)
        {
            problem = "the token source has no token: " + ex.getClass().getSimpleName() + ' ' + ex.getMessage();
        }
        catch (final RuntimeException ex)
        {
            // Unlike that of an IOException, its message may hold a secret.
            problem = "the token source failed with " + ex.getClass().getSimpleName();
        }
    }

    /**
     * Returns why the last call of the token source supplied no valid token, as the end of a sentence. The result is
     * null if the last call supplied a valid token or null, or if there was no call yet.
     */
    public String problem()
    {
        return problem;
    }

    private static void check(final char[] token) throws SaslException
    {
        if (token.length == 0 || token.length > TokenSource.MAX_LENGTH)
        {
            throw new SaslException("the token source supplied a token of " + token.length +
                " characters where 1 to " + TokenSource.MAX_LENGTH + " were expected");
        }
        for (final char letter : token)
        {
            if (letter <= ' ' || letter > '~')
            {
                throw new SaslException("the token source supplied a token with character " + (int)letter +
                    " where visible ASCII characters were expected");
            }
        }
    }

    /** Returns when a JSON web token expires, in seconds since 1970, or -1 if the token has no such time. */
    private static long expiry(final char[] token)
    {
        final String[] parts = new String(token).split("\\.", 3);
        if (parts.length < 3)
        {
            return -1;
        }
        try
        {
            final Matcher expiry =
                EXPIRY.matcher(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8));
            return expiry.find() ? Long.parseLong(expiry.group(1)) : -1;
        }
        catch (final IllegalArgumentException ex)
        {
            return -1;
        }
    }

    @Override
    public String toString()
    {
        return name();
    }

    /**
     * A broker that refuses the token responds with JSON, and expects one more byte before it responds with an error.
     */
    private final class BearerSession implements Session
    {
        private final char[] token;
        private boolean isSent;
        private boolean isRefused;
        private boolean isAccepted;

        BearerSession(final char[] token)
        {
            this.token = token;
        }

        @Override
        public byte[] respond(final byte[] challenge) throws SaslException
        {
            if (!isSent)
            {
                isSent = true;
                return message();
            }
            if (isRefused)
            {
                throw new SaslException("the broker refused the token and then reported no error");
            }
            isRefused = challenge.length > 0;
            isAccepted = !isRefused;
            return isRefused ? ACKNOWLEDGED_ERROR.clone() : null;
        }

        private byte[] message()
        {
            final StringBuilder tail = new StringBuilder();
            extensions.forEach((key, value) -> tail.append(SEPARATOR).append(key).append('=').append(value));
            tail.append(SEPARATOR).append(SEPARATOR);
            final byte[] before = ("n,," + SEPARATOR + "auth=Bearer ").getBytes(StandardCharsets.US_ASCII);
            final byte[] secret = Credentials.utf8(token);
            final byte[] after = tail.toString().getBytes(StandardCharsets.US_ASCII);
            final byte[] message = ByteBuffer.allocate(before.length + secret.length + after.length)
                .put(before).put(secret).put(after).array();
            Arrays.fill(secret, (byte)0);
            return message;
        }

        @Override
        public boolean isComplete()
        {
            return isAccepted;
        }

        @Override
        public String hint()
        {
            final String reason = problem;
            final long expiry = expiry(token);
            if (expiry < 0 || Instant.now().getEpochSecond() <= expiry)
            {
                return reason;
            }
            return "the token expired at " + Instant.ofEpochSecond(expiry) +
                ", and its source has supplied no newer one" + (reason == null ? "" : ": " + reason);
        }
    }
}
