// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.security.sasl.SaslException;

/**
 * The SASL mechanisms SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802). The password itself is never sent. The key derived
 * from the password is kept for the last salt and number of iterations; the derivation of another key may take several
 * duty cycles. The mechanism keeps a copy of the password; {@link #clear} overwrites the copy and the key.
 */
public final class ScramMechanism implements SaslMechanism
{
    private static final int DEFAULT_MIN_ITERATIONS = 4_096;
    private static final int DEFAULT_MAX_ITERATIONS = 65_536;
    private static final int NONCE_LENGTH = 24;

    private final String hash;
    private final byte[] user;
    private final char[] password;
    private final SecureRandom random = new SecureRandom();
    private int minIterations = DEFAULT_MIN_ITERATIONS;
    private int maxIterations = DEFAULT_MAX_ITERATIONS;
    private boolean isToken;
    /**
     * The last derived key, or null if there is none. This field is volatile because all threads that authenticate
     * write it.
     */
    private volatile SaltedPassword cached;

    private record SaltedPassword(byte[] salt, int iterations, byte[] value)
    {
        boolean isOf(final byte[] otherSalt, final int otherIterations)
        {
            return iterations == otherIterations && Arrays.equals(salt, otherSalt);
        }
    }

    private ScramMechanism(final String hash, final String user, final char[] password)
    {
        this.hash = hash;
        this.user = Credentials.user(user);
        this.password = Credentials.password(password);
        nonce();
        // The first use of these algorithms loads classes, which takes up to 150 ms; this must not happen in a poll.
        hmac(new byte[]{1}, new byte[0]);
        digest(new byte[0]);
    }

    /**
     * Creates the mechanism SCRAM-SHA-256 with a copy of the password.
     *
     * @throws IllegalArgumentException if the user or the password is null, is empty or contains the character 0.
     */
    public static ScramMechanism scramSha256(final String user, final char[] password)
    {
        return new ScramMechanism("SHA-256", user, password);
    }

    /**
     * Creates the mechanism SCRAM-SHA-512 with a copy of the password.
     *
     * @throws IllegalArgumentException if the user or the password is null, is empty or contains the character 0.
     */
    public static ScramMechanism scramSha512(final String user, final char[] password)
    {
        return new ScramMechanism("SHA-512", user, password);
    }

    /**
     * Sets whether the user and the password are the id and the HMAC of a delegation token (KIP-48); false by default.
     */
    public ScramMechanism delegationToken(final boolean isOn)
    {
        isToken = isOn;
        return this;
    }

    /**
     * Sets the range of the number of iterations that a broker may demand; the default is 4,096 to 65,536. With fewer
     * iterations the password is easier to guess; with more, the derivation of the key occupies the polling thread for
     * longer.
     *
     * @param min lowest accepted number of iterations, 1 or more.
     * @param max highest accepted number of iterations, {@code min} or more.
     * @return this object.
     * @throws IllegalArgumentException if {@code min} is less than 1 or {@code max} is less than {@code min}.
     */
    public ScramMechanism iterations(final int min, final int max)
    {
        if (min < 1 || max < min)
        {
            throw new IllegalArgumentException(
                "iterations are " + min + " to " + max + ": the first must be at least 1 and not above the second");
        }
        minIterations = min;
        maxIterations = max;
        return this;
    }

    @Override
    public String name()
    {
        return "SCRAM-" + hash;
    }

    /** Overwrites the copy of the password and the key derived from it, so that later authentications fail. */
    public void clear()
    {
        Arrays.fill(password, '\0');
        final SaltedPassword derived = cached;
        cached = null;
        if (derived != null)
        {
            Arrays.fill(derived.value(), (byte)0);
        }
    }

    @Override
    public Session begin(final String host)
    {
        return beginWith(nonce());
    }

    Session beginWith(final String nonce)
    {
        return new ScramSession(nonce);
    }

    private String nonce()
    {
        final byte[] bytes = new byte[NONCE_LENGTH];
        random.nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private byte[] hmac(final byte[] key, final byte[] text)
    {
        return mac(key).doFinal(text);
    }

    private Mac mac(final byte[] key)
    {
        try
        {
            final String algorithm = "Hmac" + hash.replace("-", "");
            final Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac;
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException("the JDK has no HMAC with " + hash, ex);
        }
    }

    private byte[] digest(final byte[] bytes)
    {
        try
        {
            return MessageDigest.getInstance(hash).digest(bytes);
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException("the JDK has no " + hash, ex);
        }
    }

    @Override
    public String toString()
    {
        return name();
    }

    private final class ScramSession implements Session
    {
        private static final int ITERATIONS_PER_STEP = 512;
        private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};
        /** The header of a client without channel binding. */
        private static final String HEADER = "n,,";
        /** The attribute with the header in Base64, and the name of the next attribute. */
        private static final String CHANNEL = "c=biws,r=";

        private final String nonce;
        private final String clientFirst;
        private ScramMessage serverFirst;
        private String authMessage;
        private byte[] serverSignature;
        private boolean isBegun;
        private boolean isProved;
        private int iterations;
        private Mac passwordMac;
        private byte[] block;
        private byte[] sum;

        ScramSession(final String nonce)
        {
            this.nonce = nonce;
            clientFirst = "n=" + new String(user, StandardCharsets.UTF_8).replace("=", "=3D").replace(",", "=2C") +
                ",r=" + nonce + (isToken ? ",tokenauth=true" : "");
        }

        @Override
        public byte[] respond(final byte[] challenge) throws SaslException
        {
            if (!isBegun)
            {
                isBegun = true;
                return (HEADER + clientFirst).getBytes(StandardCharsets.UTF_8);
            }
            if (serverSignature == null)
            {
                return clientFinal(challenge);
            }
            if (!MessageDigest.isEqual(serverSignature, ScramMessage.serverFinal(challenge)))
            {
                throw new SaslException("the broker has not proved that it knows the password: its SCRAM signature " +
                    "is wrong, so it may not be the broker that it claims to be");
            }
            isProved = true;
            return null;
        }

        private byte[] clientFinal(final byte[] challenge) throws SaslException
        {
            if (serverFirst == null)
            {
                serverFirst = ScramMessage.serverFirst(challenge, nonce, minIterations, maxIterations);
            }
            final byte[] salted = derive();
            if (salted == null)
            {
                return null;
            }
            final String withoutProof = CHANNEL + serverFirst.nonce();
            authMessage = clientFirst + ',' + serverFirst.text() + ',' + withoutProof;
            final byte[] signed = authMessage.getBytes(StandardCharsets.UTF_8);
            final byte[] clientKey = hmac(salted, "Client Key".getBytes(StandardCharsets.US_ASCII));
            final byte[] proof = hmac(digest(clientKey), signed);
            for (int i = 0; i < proof.length; i++)
            {
                proof[i] ^= clientKey[i];
            }
            Arrays.fill(clientKey, (byte)0);
            final byte[] serverKey = hmac(salted, "Server Key".getBytes(StandardCharsets.US_ASCII));
            serverSignature = hmac(serverKey, signed);
            Arrays.fill(serverKey, (byte)0);
            return (withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof))
                .getBytes(StandardCharsets.UTF_8);
        }

        /**
         * Computes the function Hi() of RFC 5802, which is PBKDF2 with one block, for at most {@link
         * #ITERATIONS_PER_STEP} iterations.
         *
         * @return the salted password, or null if more steps are needed.
         */
        private byte[] derive()
        {
            final SaltedPassword known = cached;
            if (known != null && known.isOf(serverFirst.salt(), serverFirst.iterations()))
            {
                return known.value();
            }
            if (passwordMac == null)
            {
                beginDerivation();
            }
            final int end = Math.min(serverFirst.iterations(), iterations + ITERATIONS_PER_STEP);
            for (; iterations < end; iterations++)
            {
                block = passwordMac.doFinal(block);
                for (int i = 0; i < sum.length; i++)
                {
                    sum[i] ^= block[i];
                }
            }
            if (iterations < serverFirst.iterations())
            {
                return null;
            }
            cached = new SaltedPassword(serverFirst.salt(), iterations, sum.clone());
            return sum;
        }

        private void beginDerivation()
        {
            final byte[] secret = Credentials.utf8(password);
            passwordMac = mac(secret);
            Arrays.fill(secret, (byte)0);
            passwordMac.update(serverFirst.salt());
            block = passwordMac.doFinal(FIRST_BLOCK);
            sum = block.clone();
            iterations = 1;
        }

        @Override
        public boolean isComplete()
        {
            return isProved;
        }

        @Override
        public void close()
        {
            if (sum != null)
            {
                Arrays.fill(sum, (byte)0);
                Arrays.fill(block, (byte)0);
            }
            passwordMac = null;
        }
    }
}
