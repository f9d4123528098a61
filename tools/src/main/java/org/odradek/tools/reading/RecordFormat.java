// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The format of a written record: text with the placeholders of kcat. It is parsed once; writing allocates nothing
 * but for numbers of the type DOUBLE.
 */
final class RecordFormat
{
    static final String DEFAULT = "%s\\n";

    private static final String SIGNS = "tpoTkKsSh";
    private static final byte[] NULL = ascii("NULL");
    private static final byte[] COMMA = ascii(",");
    private static final byte[] EQUALS = ascii("=");

    private final byte[] topic;
    private final boolean isEscaped;
    private final ValueType keyType;
    private final ValueType valueType;
    /** The placeholder of each part; 0 for a text. */
    private final char[] signs;
    private final byte[][] texts;

    /**
     * @param isEscaped whether {@link TerminalEscapes} writes what is from a record; the format itself is the user's.
     * @throws IllegalArgumentException if the format has an unknown placeholder or escape.
     */
    RecordFormat(
        final String format,
        final String topic,
        final boolean isEscaped,
        final ValueType keyType,
        final ValueType valueType)
    {
        this.topic = ascii(topic);
        this.keyType = keyType;
        this.valueType = valueType;
        this.isEscaped = isEscaped;
        final List<byte[]> textList = new ArrayList<>();
        final StringBuilder signList = new StringBuilder();
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < format.length(); i++)
        {
            final char sign = format.charAt(i);
            if (sign != '%' && sign != '\\')
            {
                text.append(sign);
                continue;
            }
            final char next = ++i < format.length() ? format.charAt(i) : ' ';
            if (sign == '%' && SIGNS.indexOf(next) >= 0)
            {
                addText(text, signList, textList);
                signList.append(next);
                textList.add(null);
            }
            else
            {
                text.append(sign == '%' ? percent(next, format) : escape(next, format));
            }
        }
        addText(text, signList, textList);
        signs = signList.toString().toCharArray();
        texts = textList.toArray(new byte[0][]);
    }

    private static void addText(final StringBuilder text, final StringBuilder signList, final List<byte[]> textList)
    {
        if (text.length() > 0)
        {
            signList.append('\0');
            textList.add(text.toString().getBytes(StandardCharsets.UTF_8));
            text.setLength(0);
        }
    }

    private static char percent(final char sign, final String format)
    {
        if (sign == '%')
        {
            return '%';
        }
        throw new IllegalArgumentException("'%" + sign + "' in '" + format + "' is unknown; known are %t " +
            "topic, %p partition, %o offset, %T timestamp, %k key, %K its length, %s value, %S its length, " +
            "%h headers, and %%.");
    }

    private static char escape(final char letter, final String format)
    {
        switch (letter)
        {
            case 'n':
                return '\n';
            case 't':
                return '\t';
            case 'r':
                return '\r';
            case '0':
                return '\0';
            case '\\':
                return '\\';
            default:
                throw new IllegalArgumentException("'\\" + letter + "' in '" + format +
                    "' is unknown; known are \\n, \\t, \\r, \\0 and \\\\.");
        }
    }

    void write(final Record record, final ByteOutput out)
    {
        for (int i = 0; i < signs.length; i++)
        {
            if (signs[i] == '\0')
            {
                out.bytes(texts[i]);
            }
            else
            {
                write(signs[i], record, out);
            }
        }
    }

    private void write(final char sign, final Record record, final ByteOutput out)
    {
        switch (sign)
        {
            case 't':
                out.bytes(topic);
                break;
            case 'p':
                out.number(record.partition());
                break;
            case 'o':
                out.number(record.offset());
                break;
            case 'T':
                out.number(record.timestamp());
                break;
            case 'k':
                write(record, keyType, record.keyIndex(), record.keyLength(), out);
                break;
            case 'K':
                out.number(record.keyLength());
                break;
            case 's':
                write(record, valueType, record.valueIndex(), record.valueLength(), out);
                break;
            case 'S':
                out.number(record.valueLength());
                break;
            default:
                writeHeaders(record, out);
        }
    }

    private void writeHeaders(final Record record, final ByteOutput out)
    {
        final RecordHeadersFlyweight headers = record.headers();
        for (boolean isFirst = true; headers.next(); isFirst = false)
        {
            if (!isFirst)
            {
                out.bytes(COMMA);
            }
            write(record, ValueType.TEXT, headers.keyIndex(), headers.keyLength(), out);
            out.bytes(EQUALS);
            write(record, ValueType.TEXT, headers.valueIndex(), headers.valueLength(), out);
        }
    }

    private void write(
        final Record record, final ValueType type, final int index, final int length, final ByteOutput out)
    {
        if (length == Record.NULL_LENGTH)
        {
            out.bytes(NULL);
        }
        else if (type != ValueType.TEXT)
        {
            type.write(record.buffer(), index, length, out);
        }
        else if (isEscaped)
        {
            TerminalEscapes.write(record.buffer(), index, length, out);
        }
        else
        {
            out.bytes(record.buffer(), index, length);
        }
    }

    private static byte[] ascii(final String text)
    {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
