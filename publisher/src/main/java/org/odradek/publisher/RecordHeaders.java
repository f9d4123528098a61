// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.Varint;
import org.odradek.protocol.record.RecordBatchEncoder;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Headers of records to publish. The headers may be used for any number of records. Only one thread at a time may use
 * an object of this class.
 */
public final class RecordHeaders
{
    private static final int FIRST_LENGTH = 256;

    private int count;
    private int length;
    private byte[] bytes = new byte[FIRST_LENGTH];
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final UnsafeBuffer given = new UnsafeBuffer(0, 0);

    /** Creates an empty list of headers. */
    public RecordHeaders()
    {
    }

    /**
     * Adds a header. The call encodes the key, which allocates.
     *
     * @param value the value, which is copied; null for a header without a value.
     * @return this.
     */
    public RecordHeaders add(final String key, final byte[] value)
    {
        return add(key.getBytes(StandardCharsets.UTF_8), value);
    }

    /**
     * Adds a header.
     *
     * @param key   the key in UTF-8, which is copied.
     * @param value the value, which is copied; null for a header without a value.
     * @return this.
     */
    public RecordHeaders add(final byte[] key, final byte[] value)
    {
        given.wrap(value == null ? key : value);
        return add(key, given, 0, value == null ? RecordBatchEncoder.NULL_LENGTH : value.length);
    }

    /**
     * Adds a header.
     *
     * @param key         the key in UTF-8, which is copied.
     * @param valueBuffer a buffer that holds the value, which is copied.
     * @param valueIndex  the index of the first byte of the value.
     * @param valueLength the length of the value in bytes; -1 for a header without a value.
     * @return this.
     * @throws IllegalArgumentException if the length is less than -1.
     */
    public RecordHeaders add(
        final byte[] key, final DirectBuffer valueBuffer, final int valueIndex, final int valueLength)
    {
        if (valueLength < RecordBatchEncoder.NULL_LENGTH)
        {
            throw new IllegalArgumentException("A header cannot have a value of " + valueLength + " bytes.");
        }
        final int end = Math.addExact(length, RecordBatchEncoder.headerLength(key.length, valueLength));
        if (end > bytes.length)
        {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            buffer.wrap(bytes);
        }
        int index = length + Varint.writeVarint(buffer, length, end, key.length);
        buffer.putBytes(index, key);
        index += key.length;
        index += Varint.writeVarint(buffer, index, end, valueLength);
        if (valueLength > 0)
        {
            buffer.putBytes(index, valueBuffer, valueIndex, valueLength);
        }
        length = end;
        count++;
        return this;
    }

    /** Removes all headers, and keeps the memory for further headers. */
    public RecordHeaders clear()
    {
        count = 0;
        length = 0;
        return this;
    }

    /** Returns the number of headers. */
    public int count()
    {
        return count;
    }

    /** Returns the length of the encoded headers in bytes. */
    public int length()
    {
        return length;
    }

    DirectBuffer buffer()
    {
        return buffer;
    }
}
