// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;

/** A cursor over the compressed bytes of one batch, which reads by address and refuses to read beyond their end. */
final class CompressedInput
{
    private long address;
    private int startIndex;
    private int index;
    private int limit;
    private int codec;
    private ByteBuffer byteBuffer;

    void wrap(final int codec, final ByteBuffer byteBuffer, final int index, final int length)
    {
        this.codec = codec;
        this.byteBuffer = byteBuffer;
        address = BufferUtil.address(byteBuffer);
        startIndex = index;
        this.index = index;
        limit = index + length;
    }

    ByteBuffer byteBuffer()
    {
        return byteBuffer;
    }

    /** Index of the next byte in the {@link #byteBuffer()}. */
    int index()
    {
        return index;
    }

    /** Address of the next byte in memory. */
    long address()
    {
        return address + index;
    }

    int remaining()
    {
        return limit - index;
    }

    /** The memory, with position and limit around a part of the input. */
    ByteBuffer range(final int fromIndex, final int length)
    {
        return byteBuffer.limit(fromIndex + length).position(fromIndex);
    }

    void skip(final int length)
    {
        require(length);
        index += length;
    }

    /** An unsigned byte after the next one, without moving the cursor. */
    int peekByte(final int distance)
    {
        require(distance + 1);
        return UnsafeApi.getByte(address + index + distance) & 0xFF;
    }

    int nextByte()
    {
        final int value = peekByte(0);
        index++;
        return value;
    }

    int nextShortLittleEndian()
    {
        require(Short.BYTES);
        return nextByte() | nextByte() << 8;
    }

    int nextIntLittleEndian()
    {
        return Integer.reverseBytes(nextIntBigEndian());
    }

    int nextIntBigEndian()
    {
        final int value = peekIntBigEndian(0);
        index += Integer.BYTES;
        return value;
    }

    int peekIntBigEndian(final int distance)
    {
        return peekByte(distance + 3) | peekByte(distance + 2) << 8 | peekByte(distance + 1) << 16 |
            peekByte(distance) << 24;
    }

    /** The exception for malformed input, with the current index. */
    WireFormatException flaw(final CodecFlaw flaw, final Object... values)
    {
        return flaw.exception(codec, index - startIndex, limit - startIndex, values);
    }

    private void require(final int length)
    {
        if (length < 0 || length > limit - index)
        {
            throw flaw(CodecFlaw.END, length);
        }
    }
}
