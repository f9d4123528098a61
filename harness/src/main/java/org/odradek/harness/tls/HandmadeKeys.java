// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.KeyAgreement;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The keys of one connection: ECDHE on secp256r1, AES128-GCM, SHA-256. */
final class HandmadeKeys
{
    /** The length of an uncompressed point. */
    static final int POINT_LENGTH = 65;
    static final int RANDOM_LENGTH = 32;
    static final int FINISHED_LENGTH = 12;

    private static final String HMAC = "HmacSHA256";
    private static final int MASTER_LENGTH = 48;
    private static final int KEY_LENGTH = 16;
    private static final int IV_LENGTH = 4;
    private static final int NONCE_LENGTH = 8;
    private static final int TAG_LENGTH = 16;

    private final KeyPair pair;
    private byte[] master;
    private byte[] block;
    private long sealed;
    private long opened;

    HandmadeKeys()
    {
        try
        {
            final KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            pair = generator.generateKeyPair();
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** The public key of the exchange. */
    byte[] point()
    {
        final byte[] encoded = pair.getPublic().getEncoded();
        return Arrays.copyOfRange(encoded, encoded.length - POINT_LENGTH, encoded.length);
    }

    /** Completes the exchange with the public key of the client. */
    void agree(final byte[] clientPoint, final byte[] clientRandom, final byte[] serverRandom)
        throws GeneralSecurityException
    {
        final byte[] encoded = pair.getPublic().getEncoded();
        System.arraycopy(clientPoint, 0, encoded, encoded.length - POINT_LENGTH, POINT_LENGTH);
        final PublicKey other = KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(encoded));
        final KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(pair.getPrivate());
        agreement.doPhase(other, true);
        master = expand(agreement.generateSecret(), "master secret",
            HandmadeTls.concat(clientRandom, serverRandom), MASTER_LENGTH);
        block = expand(master, "key expansion",
            HandmadeTls.concat(serverRandom, clientRandom), 2 * (KEY_LENGTH + IV_LENGTH));
    }

    boolean isAgreed()
    {
        return block != null;
    }

    /** What the server must send in its Finished message. */
    byte[] finished(final byte[] hash) throws GeneralSecurityException
    {
        return expand(master, "server finished", hash, FINISHED_LENGTH);
    }

    /** The pseudo-random function of TLS 1.2. */
    private static byte[] expand(final byte[] secret, final String label, final byte[] seed, final int length)
        throws GeneralSecurityException
    {
        final Mac mac = Mac.getInstance(HMAC);
        mac.init(new SecretKeySpec(secret, HMAC));
        final byte[] labelled = HandmadeTls.concat(label.getBytes(StandardCharsets.US_ASCII), seed);
        byte[] next = labelled;
        byte[] all = {};
        while (all.length < length)
        {
            next = mac.doFinal(next);
            mac.update(next);
            all = HandmadeTls.concat(all, mac.doFinal(labelled));
        }
        return Arrays.copyOf(all, length);
    }

    byte[] seal(final int contentType, final byte[] plaintext) throws GeneralSecurityException
    {
        final byte[] nonce = ByteBuffer.allocate(NONCE_LENGTH).putLong(sealed).array();
        return HandmadeTls.concat(
            nonce, crypt(Cipher.ENCRYPT_MODE, contentType, sealed++, nonce, plaintext));
    }

    byte[] open(final int contentType, final byte[] sealedBytes) throws GeneralSecurityException
    {
        return crypt(Cipher.DECRYPT_MODE, contentType, opened++, Arrays.copyOf(sealedBytes, NONCE_LENGTH),
            Arrays.copyOfRange(sealedBytes, NONCE_LENGTH, sealedBytes.length));
    }

    private byte[] crypt(
        final int mode, final int contentType, final long sequence, final byte[] nonce, final byte[] input)
        throws GeneralSecurityException
    {
        final int side = mode == Cipher.ENCRYPT_MODE ? 1 : 0;
        final int ivIndex = 2 * KEY_LENGTH + side * IV_LENGTH;
        final byte[] iv = HandmadeTls.concat(Arrays.copyOfRange(block, ivIndex, ivIndex + IV_LENGTH), nonce);
        final int length = mode == Cipher.ENCRYPT_MODE ? input.length : input.length - TAG_LENGTH;
        final Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(block, side * KEY_LENGTH, KEY_LENGTH, "AES"),
            new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, iv));
        cipher.updateAAD(ByteBuffer.allocate(13).putLong(sequence).put((byte)contentType)
            .putShort(HandmadeTls.TLS_1_2).putShort((short)length).array());
        return cipher.doFinal(input);
    }
}
