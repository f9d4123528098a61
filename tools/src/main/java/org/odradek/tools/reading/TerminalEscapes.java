// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.agrona.DirectBuffer;
import org.odradek.protocol.PrintableText;

/**
 * Writes bytes of a record to a terminal, which would obey the control characters in them. A line feed becomes
 * {@code \n}; another ASCII character that is not printable, and a byte that is not UTF-8, become their number, as
 * {@code \x1b}; other code points that are not printable become a backslash and {@code u{202e}}. All else stays as it
 * is, also a backslash, and the variation selectors U+FE00 to U+FE0F, which emoji have. It allocates nothing.
 */
final class TerminalEscapes
{
    private static final int MALFORMED = -1;

    private TerminalEscapes()
    {
    }

    static void write(final DirectBuffer source, final int index, final int count, final ByteOutput out)
    {
        final int limit = index + count;
        int written = index;
        for (int i = index; i < limit; )
        {
            final int codePoint = codePoint(source, i, limit);
            final int length = codePoint == MALFORMED ? 1 : utf8Length(codePoint);
            if (!isShown(codePoint))
            {
                out.bytes(source, written, i - written);
                escape(codePoint == MALFORMED ? source.getByte(i) & 0xFF : codePoint, length, out);
                written = i + length;
            }
            i += length;
        }
        out.bytes(source, written, limit - written);
    }

    private static boolean isShown(final int codePoint)
    {
        final boolean isVariationSelector = codePoint >= 0xFE00 && codePoint <= 0xFE0F;
        return codePoint != MALFORMED && (isVariationSelector || PrintableText.isPrintable(codePoint));
    }

    /** Returns the code point whose UTF-8 begins at an index, or {@link #MALFORMED}. */
    private static int codePoint(final DirectBuffer source, final int index, final int limit)
    {
        final int first = source.getByte(index);
        if (first >= 0)
        {
            return first;
        }
        // The number of leading ones is that of all bytes.
        final int length = Integer.numberOfLeadingZeros(~first << 24);
        if (length < 2 || length > 4 || length > limit - index)
        {
            return MALFORMED;
        }
        int codePoint = first & 0x7F >> length;
        for (int i = index + 1; i < index + length; i++)
        {
            final int next = source.getByte(i);
            if ((next & 0xC0) != 0x80)
            {
                return MALFORMED;
            }
            codePoint = codePoint << 6 | next & 0x3F;
        }
        return Character.isValidCodePoint(codePoint) && utf8Length(codePoint) == length ? codePoint : MALFORMED;
    }

    private static int utf8Length(final int codePoint)
    {
        return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x1_0000 ? 3 : 4;
    }

    private static void escape(final int value, final int length, final ByteOutput out)
    {
        out.letter('\\');
        switch (value)
        {
            case '\n':
                out.letter('n');
                break;
            case '\t':
                out.letter('t');
                break;
            case '\r':
                out.letter('r');
                break;
            default:
                out.letter(length == 1 ? 'x' : 'u');
                if (length == 1)
                {
                    out.hex(value, 2);
                }
                else
                {
                    out.letter('{');
                    out.hex(value, (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value)) / 4 + 1);
                    out.letter('}');
                }
        }
    }
}
