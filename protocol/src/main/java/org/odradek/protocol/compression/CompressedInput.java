// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;

/** The compressed bytes of one batch, read from front to back by address. A read past their end is refused. */
final class CompressedInput
{
    private long address;
    private int startIndex;
    private int index;
    private int limit;
    private String codecName;
    private ByteBuffer byteBuffer;

    void wrap(final String codecName, final ByteBuffer byteBuffer, final int index, final int length)
    {
        this.codecName = codecName;
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

    /** Of the next byte, in the {@link #byteBuffer()}. */
    int index()
    {
        return index;
    }

    /** Of the next byte, in memory. */
    long address()
    {
        return address + index;
    }

    int remaining()
    {
        return limit - index;
    }

    /** The memory with position and limit around a part of the input; for calls that take it so. */
    ByteBuffer range(final int fromIndex, final int length)
    {
        return byteBuffer.limit(fromIndex + length).position(fromIndex);
    }

    void skip(final int length)
    {
        require(length);
        index += length;
    }

    /** A byte ahead of the next one, unsigned. */
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

    /**
     * What to throw when the input cannot be what it claims to be.
     *
     * @param finding what was found and what would have been right, as the end of a sentence.
     */
    WireFormatException flaw(final String finding)
    {
        return new WireFormatException(codecName + " data " + finding + ", at byte " + (index - startIndex) + " of " +
            (limit - startIndex));
    }

    private void require(final int length)
    {
        if (length < 0 || length > limit - index)
        {
            throw flaw("ends too early: " + length + " more bytes were expected");
        }
    }
}
