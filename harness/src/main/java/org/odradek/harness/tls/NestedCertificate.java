// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import org.bouncycastle.asn1.BERTags;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;

/**
 * Certificates that are nested so deeply that a recursive parser overflows its stack. Nothing trusts them. Once the
 * JIT has compiled the JDK's parser, a stack of 1 MiB holds thousands of its frames: use a thread with a small stack.
 */
public final class NestedCertificate
{
    /** Makes a certificate of 30 KB, which the JDK's TLS accepts. */
    public static final int DEPTH = 7_500;
    /** Makes a certificate of 56 KB: the chain is just below 64 KiB, which is the most that BoringSSL accepts here. */
    public static final int GREATEST_DEPTH = 14_000;

    private static final int INDEFINITE_LENGTH = 0x80;
    private static final int MAX_HEADER_LENGTH = 4;

    private NestedCertificate()
    {
    }

    /**
     * Returns a certificate that is well-formed except that the value of an extension is a constructed OCTET STRING,
     * which holds another one, and so on.
     */
    public static byte[] ofOctetStrings(final PublicKey key, final int depth)
    {
        final Instant now = Instant.now();
        final X500Name name = new X500NameBuilder().addRDN(BCStyle.CN, "nested").build();
        try
        {
            final byte[] encoded = new JcaX509v3CertificateBuilder(
                name, BigInteger.valueOf(now.toEpochMilli()), Date.from(now.minus(Duration.ofDays(1))),
                Date.from(now.plus(Duration.ofDays(1))), name, key)
                .addExtension(Extension.subjectKeyIdentifier, false, octetStrings(depth - 1))
                .build(new JcaContentSignerBuilder("SHA256withECDSA")
                    .build(CertificateAuthority.keyPair("secp256r1").getPrivate()))
                .getEncoded();
            // BouncyCastle writes the outermost one as a primitive value, with the same length.
            encoded[indexAfter(encoded, Extension.subjectKeyIdentifier.getEncoded())] |= BERTags.CONSTRUCTED;
            return encoded;
        }
        catch (final IOException | OperatorCreationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static int indexAfter(final byte[] bytes, final byte[] part)
    {
        int index = 0;
        while (!Arrays.equals(bytes, index, index + part.length, part, 0, part.length))
        {
            index++;
        }
        return index + part.length;
    }

    /** Written from the end, because each header holds the length of what follows it. */
    private static byte[] octetStrings(final int depth)
    {
        final byte[] bytes = new byte[MAX_HEADER_LENGTH * (depth + 1)];
        int index = bytes.length;
        for (int i = 0; i <= depth; i++)
        {
            final int length = bytes.length - index;
            final int lengthBytes = length < 0x80 ? 0 : length < 0x100 ? 1 : 2;
            for (int b = 0; b < lengthBytes; b++)
            {
                bytes[--index] = (byte)(length >> Byte.SIZE * b);
            }
            bytes[--index] = (byte)(lengthBytes == 0 ? length : 0x80 | lengthBytes);
            bytes[--index] = (byte)(i == 0 ? BERTags.OCTET_STRING : BERTags.OCTET_STRING | BERTags.CONSTRUCTED);
        }
        return ByteBuffer.allocate(bytes.length - index).put(bytes, index, bytes.length - index).array();
    }

    /** Returns sequences of indefinite length, each in the other, and nothing else; the JDK 25 refuses them. */
    public static byte[] ofIndefiniteLengths(final int depth)
    {
        final byte[] bytes = new byte[4 * depth];
        for (int i = 0; i < depth; i++)
        {
            bytes[2 * i] = (byte)(BERTags.SEQUENCE | BERTags.CONSTRUCTED);
            bytes[2 * i + 1] = (byte)INDEFINITE_LENGTH;
        }
        return bytes;
    }
}
