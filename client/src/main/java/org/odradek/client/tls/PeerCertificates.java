// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.security.cert.CertificateException;
import java.util.Arrays;

/**
 * Checks limits of a peer's certificates before they are parsed: their number, their length, and how deeply their
 * values are nested. The JDK's parser recurses into nested values, so deep nesting overflows the stack.
 */
final class PeerCertificates
{
    static final int MAX_COUNT = 10;
    /** The maximum length of all certificates of a chain together, in bytes. */
    static final int MAX_LENGTH = 64 << 10;
    static final int MAX_DEPTH = 32;

    private static final int CONSTRUCTED = 0x20;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int INDEFINITE = 0x80;
    private static final int MAX_LENGTH_BYTES = 4;

    private PeerCertificates()
    {
    }

    /** @throws CertificateException if a limit is exceeded, or a certificate is malformed. */
    static void check(final byte[][] encoded) throws CertificateException
    {
        if (encoded.length < 1 || encoded.length > MAX_COUNT)
        {
            throw new CertificateException(
                "the broker sent " + encoded.length + " certificates where 1 to " + MAX_COUNT + " are accepted");
        }
        final int length = Arrays.stream(encoded).mapToInt((certificate) -> certificate.length).sum();
        if (length > MAX_LENGTH)
        {
            throw new CertificateException("the broker sent " + length + " bytes of certificates where at most " +
                MAX_LENGTH + " are accepted");
        }
        for (final byte[] certificate : encoded)
        {
            checkDepth(certificate);
        }
    }

    /** Values inside octet strings and bit strings count as nested values. */
    private static void checkDepth(final byte[] der) throws CertificateException
    {
        final int[] limits = new int[MAX_DEPTH + 1];
        final boolean[] isOpaque = new boolean[MAX_DEPTH + 1];
        limits[0] = der.length;
        int depth = 0;
        int index = 0;
        while (depth > 0 || index < der.length)
        {
            if (index >= limits[depth])
            {
                index = limits[depth--];
                continue;
            }
            final int valueIndex = valueIndex(der, index, limits[depth]);
            final int limit = valueLimit(der, index, valueIndex, limits[depth], isOpaque[depth]);
            if (limit < 0)
            {
                if (!isOpaque[depth])
                {
                    throw new CertificateException("a certificate of the broker is malformed at byte " + index);
                }
                index = limits[depth];
                continue;
            }
            final int tag = der[index];
            final boolean isString = tag == OCTET_STRING || tag == BIT_STRING;
            if (!isString && (tag & CONSTRUCTED) == 0)
            {
                index = limit;
                continue;
            }
            if (depth == MAX_DEPTH)
            {
                throw new CertificateException("a certificate of the broker has values nested more than " + MAX_DEPTH +
                    " deep, as no genuine one has");
            }
            depth++;
            limits[depth] = limit;
            isOpaque[depth] = isOpaque[depth - 1] || isString;
            index = valueIndex + (tag == BIT_STRING ? 1 : 0);
        }
    }

    /** Returns the index after the tag and the length of a value; it may be greater than the limit. */
    private static int valueIndex(final byte[] der, final int index, final int limit)
    {
        final int afterLength = index + 2;
        return afterLength > limit || der[index + 1] >= 0 ? afterLength : afterLength + (der[index + 1] & 0x7F);
    }

    /**
     * Returns the index after the value, or -1 if the value is malformed. Inside an octet string or a bit string, a
     * value of indefinite length ends at the limit.
     */
    private static int valueLimit(
        final byte[] der, final int index, final int valueIndex, final int limit, final boolean isOpaque)
    {
        if (valueIndex > limit || valueIndex - index - 2 > MAX_LENGTH_BYTES)
        {
            return -1;
        }
        if ((der[index + 1] & 0xFF) == INDEFINITE)
        {
            return isOpaque ? limit : -1;
        }
        long length = der[index + 1] >= 0 ? der[index + 1] : 0;
        for (int i = index + 2; i < valueIndex; i++)
        {
            length = length << Byte.SIZE | der[i] & 0xFF;
        }
        return length > limit - valueIndex ? -1 : valueIndex + (int)length;
    }
}
