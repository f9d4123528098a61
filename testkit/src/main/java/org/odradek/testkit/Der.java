// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Writes the values of ASN.1 that certificates consist of, in the encoding DER. */
public final class Der
{
    public static final int SEQUENCE = 0x30;
    public static final int SET = 0x31;
    public static final int OCTET_STRING = 0x04;
    public static final int BIT_STRING = 0x03;
    public static final int BOOLEAN = 0x01;
    public static final int UTF8_STRING = 0x0C;
    /** A tag of a field that has a number of its own. */
    public static final int CONTEXT = 0x80;
    public static final int CONSTRUCTED = 0x20;

    private static final int INTEGER = 0x02;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int UTC_TIME = 0x17;
    private static final int LAST_YEAR_OF_UTC_TIME = 2049;

    private Der()
    {
    }

    public static byte[] value(final int tag, final byte[]... parts)
    {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (final byte[] part : parts)
        {
            content.writeBytes(part);
        }
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        final int length = content.size();
        if (length < 0x80)
        {
            out.write(length);
        }
        else
        {
            final byte[] bytes = BigInteger.valueOf(length).toByteArray();
            final int skip = bytes[0] == 0 ? 1 : 0;
            out.write(0x80 | bytes.length - skip);
            out.write(bytes, skip, bytes.length - skip);
        }
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }

    public static byte[] sequence(final byte[]... parts)
    {
        return value(SEQUENCE, parts);
    }

    public static byte[] integer(final BigInteger number)
    {
        return value(INTEGER, number.toByteArray());
    }

    public static byte[] text(final int tag, final String text)
    {
        return value(tag, text.getBytes(StandardCharsets.UTF_8));
    }

    /** An object identifier in the usual form, such as 2.5.29.17. */
    public static byte[] oid(final String dotted)
    {
        final String[] numbers = dotted.split("\\.");
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(Integer.parseInt(numbers[0]) * 40 + Integer.parseInt(numbers[1]));
        for (int i = 2; i < numbers.length; i++)
        {
            final int number = Integer.parseInt(numbers[i]);
            for (int shift = 28; shift >= 0; shift -= 7)
            {
                if (shift == 0 || number >> shift != 0)
                {
                    out.write(number >> shift & 0x7F | (shift == 0 ? 0 : 0x80));
                }
            }
        }
        return value(OBJECT_IDENTIFIER, out.toByteArray());
    }

    public static byte[] time(final Instant instant)
    {
        final boolean isShort = instant.atOffset(ZoneOffset.UTC).getYear() <= LAST_YEAR_OF_UTC_TIME;
        final String text = DateTimeFormatter.ofPattern((isShort ? "yy" : "yyyy") + "MMddHHmmss'Z'")
            .withZone(ZoneOffset.UTC).format(instant);
        return text(isShort ? UTC_TIME : GENERALIZED_TIME, text);
    }

    /** Bytes as a bit string without unused bits. */
    public static byte[] bits(final byte[] bytes)
    {
        return value(BIT_STRING, new byte[]{0}, bytes);
    }
}
