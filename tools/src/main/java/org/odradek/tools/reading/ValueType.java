// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.agrona.DirectBuffer;

import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What the bytes of a key or value are. Numbers are big-endian, as Kafka's serializers write them; bytes of another
 * length than the type has are written as hexadecimal digits.
 */
enum ValueType
{
    TEXT(0), HEX(0), INT(Integer.BYTES), LONG(Long.BYTES), DOUBLE(Double.BYTES);

    private final int length;

    ValueType(final int length)
    {
        this.length = length;
    }

    /** Writes bytes of any type but {@link #TEXT}. Only {@link #DOUBLE} allocates. */
    void write(final DirectBuffer source, final int index, final int count, final ByteOutput out)
    {
        if (length == 0 || count != length)
        {
            for (int i = index; i < index + count; i++)
            {
                out.hex(source.getByte(i), 2);
            }
        }
        else if (this == DOUBLE)
        {
            out.bytes(Double.toString(source.getDouble(index, ByteOrder.BIG_ENDIAN))
                .getBytes(StandardCharsets.US_ASCII));
        }
        else
        {
            out.number(this == INT ?
                source.getInt(index, ByteOrder.BIG_ENDIAN) : source.getLong(index, ByteOrder.BIG_ENDIAN));
        }
    }
}
