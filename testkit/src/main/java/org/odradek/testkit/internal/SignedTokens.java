// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.Base64;

/** Signs tokens for OAUTHBEARER with an RSA key, and writes the public key for the broker. */
public final class SignedTokens
{
    public static final String ISSUER = "https://issuer.example";
    public static final String AUDIENCE = "kafka";

    private static final long CLOCK_STEP_MS = 10_000;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final String KEY_ID = "test-key";
    private static final int KEY_BITS = 2048;

    private final KeyPair keys;

    public SignedTokens()
    {
        try
        {
            final KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(KEY_BITS);
            keys = generator.generateKeyPair();
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    public Path writeKeySet(final Path file)
    {
        final RSAPublicKey key = (RSAPublicKey)keys.getPublic();
        return Identity.write(file, ("{\"keys\":[{\"kty\":\"RSA\",\"use\":\"sig\",\"alg\":\"RS256\",\"kid\":\"" +
            KEY_ID + "\",\"n\":\"" + number(key.getModulus()) + "\",\"e\":\"" + number(key.getPublicExponent()) +
            "\"}]}").getBytes(StandardCharsets.US_ASCII));
    }

    private static String number(final BigInteger number)
    {
        final byte[] bytes = number.toByteArray();
        return BASE64.encodeToString(bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
    }

    /** @param lifetimeMs how long the token is valid, in milliseconds; negative for a token that has expired. */
    public String token(final String subject, final long lifetimeMs)
    {
        final String content = text("{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"" + KEY_ID + "\"}") + "." +
            text(claims(subject, lifetimeMs));
        try
        {
            final Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(content.getBytes(StandardCharsets.US_ASCII));
            return content + "." + BASE64.encodeToString(signature.sign());
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    public static String unsignedToken(final String subject, final long lifetimeMs)
    {
        return text("{\"alg\":\"none\"}") + "." + text(claims(subject, lifetimeMs)) + ".";
    }

    private static String claims(final String subject, final long lifetimeMs)
    {
        final long nowMs = System.currentTimeMillis();
        // A broker whose clock was set back refuses a token that is issued in the future.
        final long issued = (nowMs + (lifetimeMs < 0 ? lifetimeMs * 2 : -CLOCK_STEP_MS)) / 1000;
        return "{\"iss\":\"" + ISSUER + "\",\"aud\":\"" + AUDIENCE + "\",\"sub\":\"" + subject +
            "\",\"iat\":" + issued + ",\"exp\":" + (nowMs + lifetimeMs) / 1000 + "}";
    }

    private static String text(final String json)
    {
        return BASE64.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
