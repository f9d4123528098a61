// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.function.Function;

/**
 * One message of a {@link HandmadeTls}. A test makes its own from the content of another: shorter, longer or changed.
 *
 * @param contentType of the record.
 * @param content     the bytes of the message, a handshake message with its header.
 */
public record Step(int contentType, Function<HandmadeTls, byte[]> content)
{
    public static final int CHANGE_CIPHER_SPEC_TYPE = 20;
    public static final int ALERT_TYPE = 21;
    public static final int HANDSHAKE_TYPE = 22;
    public static final int DATA_TYPE = 23;

    public static final Step SERVER_HELLO = handshake(2, HandmadeTls::serverHello);
    /** A key exchange without a signature, as in an anonymous cipher suite. */
    public static final Step UNSIGNED_KEY_EXCHANGE = handshake(12, HandmadeTls::keyParameters);
    /** Requests a certificate with an ECDSA key, signed with SHA-256, of any authority. */
    public static final Step CERTIFICATE_REQUEST = handshake(13, (tls) -> new byte[] {1, 64, 0, 2, 4, 3, 0, 0});
    public static final Step HELLO_DONE = handshake(14, (tls) -> new byte[0]);
    public static final Step CHANGE_CIPHER_SPEC = new Step(CHANGE_CIPHER_SPEC_TYPE, (tls) -> new byte[] {1});
    public static final Step FINISHED = handshake(20, HandmadeTls::finished);

    private static final byte[] ECDSA_WITH_SHA256 = {4, 3};

    /** Returns a message with the right header. */
    public static Step handshake(final int type, final Function<HandmadeTls, byte[]> body)
    {
        return new Step(HANDSHAKE_TYPE, (tls) ->
        {
            final byte[] content = body.apply(tls);
            return HandmadeTls.concat(new byte[] {(byte)type}, HandmadeTls.uint24(content.length), content);
        });
    }

    /** Returns the Certificate message with a chain of any bytes. */
    public static Step certificate(final byte[]... chain)
    {
        byte[] list = {};
        for (final byte[] encoded : chain)
        {
            list = HandmadeTls.concat(list, HandmadeTls.uint24(encoded.length), encoded);
        }
        final byte[] body = HandmadeTls.concat(HandmadeTls.uint24(list.length), list);
        return handshake(11, (tls) -> body);
    }

    /** Returns the key exchange that a key has signed, whether or not it is that of the certificate. */
    public static Step keyExchange(final PrivateKey key)
    {
        return handshake(12, (tls) -> withSignature(tls.keyParameters(), sign(tls, key)));
    }

    /** Returns the key exchange with any bytes as its signature. */
    public static Step keyExchange(final byte... signature)
    {
        return handshake(12, (tls) -> withSignature(tls.keyParameters(), signature));
    }

    private static byte[] withSignature(final byte[] parameters, final byte[] signature)
    {
        return HandmadeTls.concat(parameters, ECDSA_WITH_SHA256,
            new byte[] {(byte)(signature.length >> Byte.SIZE), (byte)signature.length}, signature);
    }

    private static byte[] sign(final HandmadeTls tls, final PrivateKey key)
    {
        try
        {
            final Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(key);
            signature.update(tls.randoms());
            signature.update(tls.keyParameters());
            return signature.sign();
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
