// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.BufferUtil;
import org.odradek.protocol.DirectMemory;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;

/**
 * The direct memory that batches are decompressed into, one after the other. It grows by doubling up to a cap; the
 * memory it leaves is freed at once.
 */
final class OutputBuffer
{
    private final int maxLength;
    private long growthCount;
    private long address;
    private ByteBuffer byteBuffer;

    /**
     * @param byteBuffer direct memory to start with; it is freed when it is grown out of, and at the end.
     * @param maxLength  in bytes, that no growth may pass.
     */
    OutputBuffer(final ByteBuffer byteBuffer, final int maxLength)
    {
        this.maxLength = maxLength;
        use(byteBuffer);
    }

    ByteBuffer byteBuffer()
    {
        return byteBuffer;
    }

    /** Of the first byte, in memory. */
    long address()
    {
        return address;
    }

    int capacity()
    {
        return byteBuffer.capacity();
    }

    int maxLength()
    {
        return maxLength;
    }

    long growthCount()
    {
        return growthCount;
    }

    /** The memory with position and limit around a part of it; for calls that take it so. */
    ByteBuffer range(final int fromIndex, final int length)
    {
        return byteBuffer.limit(fromIndex + length).position(fromIndex);
    }

    /**
     * Double the memory, or take the cap where twice would pass it.
     *
     * @param usedLength bytes from index 0 to keep.
     * @throws WireFormatException if the memory is as large as it may be.
     */
    void grow(final int usedLength)
    {
        if (capacity() == maxLength)
        {
            throw new WireFormatException("batch decompresses to more than the " + maxLength +
                " bytes that it may have; raise " + Decompressor.MAX_LENGTH_SETTING + " above that");
        }
        growTo(Math.min(2L * capacity(), maxLength), usedLength);
    }

    /**
     * Make room for a length that the data claims.
     *
     * @param length     that the whole output must hold.
     * @param usedLength bytes from index 0 to keep.
     * @throws WireFormatException if the cap is below that.
     */
    void ensureCapacity(final long length, final int usedLength)
    {
        if (length > maxLength)
        {
            throw claimPastCap(length);
        }
        if (length > capacity())
        {
            growTo(Math.min(Math.max(2L * capacity(), length), maxLength), usedLength);
        }
    }

    WireFormatException claimPastCap(final long length)
    {
        return new WireFormatException("batch claims to decompress to " + length + " bytes where it may have " +
            maxLength + "; if it tells the truth, raise " + Decompressor.MAX_LENGTH_SETTING + " to hold it");
    }

    void free()
    {
        DirectMemory.free(byteBuffer);
    }

    private void growTo(final long length, final int usedLength)
    {
        final ByteBuffer old = byteBuffer;
        final ByteBuffer grown = ByteBuffer.allocateDirect((int)length);
        grown.put(0, old.clear(), 0, usedLength);
        use(grown);
        growthCount++;
        DirectMemory.free(old);
    }

    private void use(final ByteBuffer memory)
    {
        byteBuffer = memory;
        address = BufferUtil.address(memory);
    }
}
