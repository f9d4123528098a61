// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Direct memory that holds record batches, with all views of it that are needed to read them. The views are created
 * once, so that records in several memories (one per connection, one for decompressed batches) can be read in turn
 * without allocation.
 */
public final class RecordMemory
{
    /** Byte that fills the memory of a view whose lifetime has ended. */
    public static final byte POISON = (byte) 0xDB;

    private static final byte[] NOTHING = {};

    private final ByteBuffer byteBuffer;
    private final ByteBuffer keyView;
    private final ByteBuffer valueView;
    private final ByteBuffer checksumView;
    private final ByteBuffer batchView;
    private final UnsafeBuffer buffer;

    /** @param capacity in bytes. */
    public RecordMemory(final int capacity)
    {
        this(ByteBuffer.allocateDirect(capacity));
    }

    /** @param byteBuffer direct memory, used from its start to its capacity. */
    public RecordMemory(final ByteBuffer byteBuffer)
    {
        if (!byteBuffer.isDirect())
        {
            throw new IllegalArgumentException("Records are read by address, so their buffer must be direct.");
        }
        this.byteBuffer = byteBuffer;
        keyView = byteBuffer.duplicate();
        valueView = byteBuffer.duplicate();
        checksumView = byteBuffer.duplicate();
        batchView = byteBuffer.duplicate();
        buffer = new UnsafeBuffer(byteBuffer);
    }

    public UnsafeBuffer buffer()
    {
        return buffer;
    }

    /** The memory itself. Its position and limit are used by the code that fills it. */
    public ByteBuffer byteBuffer()
    {
        return byteBuffer;
    }

    public int capacity()
    {
        return buffer.capacity();
    }

    /** Frees the memory at once. No view of it may be used again. */
    public void free()
    {
        DirectMemory.free(byteBuffer);
    }

    /**
     * Makes the contents unreadable: reads through the views fail, and other reads of the memory return
     * {@link #POISON}.
     */
    void poison()
    {
        buffer.setMemory(0, buffer.capacity(), POISON);
        keyView.limit(0);
        valueView.limit(0);
        batchView.limit(0);
        if (UnsafeBuffer.SHOULD_BOUNDS_CHECK)
        {
            buffer.wrap(NOTHING);
        }
    }

    /** Users may have changed the order of the view. */
    ByteBuffer keyView(final int index, final int length)
    {
        return keyView.limit(index + length).position(index).order(BIG_ENDIAN);
    }

    ByteBuffer valueView(final int index, final int length)
    {
        return valueView.limit(index + length).position(index).order(BIG_ENDIAN);
    }

    ByteBuffer checksumView(final int index, final int length)
    {
        return checksumView.limit(index + length).position(index);
    }

    ByteBuffer batchView(final int index, final int length)
    {
        return batchView.limit(index + length).position(index).order(BIG_ENDIAN);
    }
}
