// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.tls;

import org.odradek.testkit.Der;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;

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

    private static final byte[] ECDSA_WITH_SHA256 = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));
    private static final String EXTENSION = "2.5.29.14";
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
        final byte[] name = Der.sequence(Der.value(Der.SET,
            Der.sequence(Der.oid("2.5.4.3"), Der.text(Der.UTF8_STRING, "nested"))));
        final byte[] content = Der.sequence(
            Der.value(Der.CONTEXT | Der.CONSTRUCTED, Der.integer(BigInteger.TWO)),
            Der.integer(BigInteger.valueOf(now.toEpochMilli())),
            ECDSA_WITH_SHA256,
            name,
            Der.sequence(Der.time(now.minus(Duration.ofDays(1))), Der.time(now.plus(Duration.ofDays(1)))),
            name,
            key.getEncoded(),
            Der.value(Der.CONTEXT | Der.CONSTRUCTED | 3,
                Der.sequence(Der.sequence(Der.oid(EXTENSION), octetStrings(depth)))));
        final byte[] signature = "no signature".getBytes(StandardCharsets.US_ASCII);
        return Der.sequence(content, ECDSA_WITH_SHA256, Der.bits(signature));
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
            bytes[--index] = (byte)(i == 0 ? Der.OCTET_STRING : Der.OCTET_STRING | Der.CONSTRUCTED);
        }
        return ByteBuffer.allocate(bytes.length - index).put(bytes, index, bytes.length - index).array();
    }

    /** Returns sequences of indefinite length, each in the other, and nothing else; the JDK 25 refuses them. */
    public static byte[] ofIndefiniteLengths(final int depth)
    {
        final byte[] bytes = new byte[4 * depth];
        for (int i = 0; i < depth; i++)
        {
            bytes[2 * i] = (byte)Der.SEQUENCE;
            bytes[2 * i + 1] = (byte)INDEFINITE_LENGTH;
        }
        return bytes;
    }
}
