// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.DirectBuffer;

/**
 * Makes text that a peer or a file has supplied safe to show. Every such text passes through here before it is part of
 * a message, an event, a log, a file or the output of a command: control characters could forge lines or drive a
 * terminal, invisible characters could disguise a name, and a long text could bury the rest. It allocates nothing if
 * there is nothing to replace in a string.
 */
public final class PrintableText
{
    /** The greatest length of a text, in characters, unless another one is given. */
    public static final int MAX_LENGTH = 600;
    /** The greatest length of a single value from the wire: a text that quotes it has room for more. */
    public static final int MAX_VALUE_LENGTH = 300;

    /** The greatest length of a sentence, which may quote several texts. */
    public static final int MAX_SENTENCE_LENGTH = 4_000;

    private static final int MAX_BYTES_PER_CODE_POINT = 4;

    private PrintableText()
    {
    }

    /**
     * Returns true for a code point that shows what it is: for none that Unicode calls a control, a format, a separator
     * of lines or paragraphs, a surrogate without its other half, of private use, or unassigned, and for no letter,
     * mark or symbol that is invisible.
     */
    public static boolean isPrintable(final int codePoint)
    {
        switch (Character.getType(codePoint))
        {
            case Character.CONTROL:
            case Character.FORMAT:
            case Character.LINE_SEPARATOR:
            case Character.PARAGRAPH_SEPARATOR:
            case Character.SURROGATE:
            case Character.PRIVATE_USE:
            case Character.UNASSIGNED:
                return false;
            default:
                return !isInvisible(codePoint);
        }
    }

    /** The graphic characters that Unicode calls ignorable by default, and the Braille pattern without dots. */
    private static boolean isInvisible(final int codePoint)
    {
        switch (codePoint)
        {
            case 0x034F:
            case 0x115F:
            case 0x1160:
            case 0x17B4:
            case 0x17B5:
            case 0x2800:
            case 0x3164:
            case 0xFFA0:
                return true;
            default:
                return codePoint >= 0x180B && codePoint <= 0x180F || codePoint >= 0xFE00 && codePoint <= 0xFE0F ||
                    codePoint >= 0xE0100 && codePoint <= 0xE01EF;
        }
    }

    /** Returns true if every code point is printable. */
    public static boolean isPrintable(final String text)
    {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i)))
        {
            if (!isPrintable(text.codePointAt(i)))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * Replaces every code point that is not printable by a question mark, and cuts what is longer than
     * {@link #MAX_LENGTH}.
     *
     * @param text to show; may be null.
     * @return printable text, which is the same object if nothing has changed; null for null.
     */
    public static String of(final String text)
    {
        return of(text, MAX_LENGTH);
    }

    /**
     * The same with another limit, such as {@link #MAX_SENTENCE_LENGTH}.
     *
     * @param text      to show; may be null.
     * @param maxLength of the result in characters; 40 or more.
     * @return printable text, which is the same object if nothing has changed; null for null.
     */
    public static String of(final String text, final int maxLength)
    {
        return text == null || text.length() <= maxLength && isPrintable(text) ? text :
            replaced(text, maxLength, text.length() > maxLength, text.length(), " characters");
    }

    /**
     * The same for a value from the wire, in UTF-8, with the limit {@link #MAX_VALUE_LENGTH}. Only as many bytes are
     * decoded as can be shown.
     *
     * @param buffer that holds the text.
     * @param index  of its first byte.
     * @param length in bytes; an empty text if it is negative, as that of null is.
     */
    public static String of(final DirectBuffer buffer, final int index, final int length)
    {
        if (length <= 0)
        {
            return "";
        }
        final String text =
            buffer.getStringWithoutLengthUtf8(index, Math.min(length, MAX_VALUE_LENGTH * MAX_BYTES_PER_CODE_POINT));
        return replaced(text, MAX_VALUE_LENGTH, text.length() > MAX_VALUE_LENGTH, length, " bytes");
    }

    private static String replaced(
        final String text, final int maxLength, final boolean isCut, final int length, final String unit)
    {
        final String end = isCut ? "... (" + length + unit + ")" : "";
        final int limit = isCut ? maxLength - end.length() : text.length();
        final StringBuilder printable = new StringBuilder(limit + end.length());
        for (int i = 0; i < limit; )
        {
            final int codePoint = text.codePointAt(i);
            i += Character.charCount(codePoint);
            if (i <= limit)
            {
                printable.appendCodePoint(isPrintable(codePoint) ? codePoint : '?');
            }
        }
        return printable.append(end).toString();
    }
}
