// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.agrona.BufferUtil;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

/**
 * The direct memory into which batches are decompressed, one after the other. It grows by doubling, up to a maximum;
 * the old memory is freed at once.
 */
final class OutputBuffer
{
    private final int maxLength;
    private final IntPredicate room;
    private long growthCount;
    private long address;
    private ByteBuffer byteBuffer;

    /**
     * @param byteBuffer initial direct memory; it is freed when it is replaced, and by {@link #free()}.
     * @param maxLength  largest length, in bytes.
     * @param room       returns true if so many bytes can be allocated beside the memory that is replaced.
     */
    OutputBuffer(final ByteBuffer byteBuffer, final int maxLength, final IntPredicate room)
    {
        this.maxLength = maxLength;
        this.room = room;
        use(byteBuffer);
    }

    ByteBuffer byteBuffer()
    {
        return byteBuffer;
    }

    /** Address of the first byte in memory. */
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

    /** The memory, with position and limit around a part of it. */
    ByteBuffer range(final int fromIndex, final int length)
    {
        return byteBuffer.limit(fromIndex + length).position(fromIndex);
    }

    /**
     * Doubles the memory, up to the maximum.
     *
     * @param usedLength bytes from index 0 to keep.
     * @throws OutputLimitException      if the memory already has the maximum length.
     * @throws CodecUnavailableException if there is no room for more.
     */
    void grow(final int usedLength)
    {
        if (capacity() == maxLength)
        {
            throw CodecFlaw.OUTPUT_LENGTH.limit(maxLength);
        }
        growTo(Math.min(2L * capacity(), maxLength), usedLength);
    }

    /**
     * Makes room for a length that the data claims.
     *
     * @param length     that the whole output must hold.
     * @param usedLength bytes from index 0 to keep.
     * @throws OutputLimitException      if the maximum is less than that.
     * @throws CodecUnavailableException if there is no room for it.
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

    OutputLimitException claimPastCap(final long length)
    {
        return CodecFlaw.OUTPUT_CLAIM.limit(length, maxLength);
    }

    void free()
    {
        DirectMemory.free(byteBuffer);
    }

    private void growTo(final long length, final int usedLength)
    {
        if (!room.test((int)length))
        {
            throw CodecFlaw.OUTPUT_MEMORY.unavailable(length);
        }
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
