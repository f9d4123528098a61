// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;

/**
 * The memory of one request, built once, patched, and sent as often as needed; while it is being sent it must not
 * change.
 */
public final class RequestFrame
{
    private ByteBuffer byteBuffer;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private final MemoryBudget budget;

    /**
     * @param budget   that the memory is taken from.
     * @param capacity in bytes.
     */
    public RequestFrame(final MemoryBudget budget, final int capacity)
    {
        this.budget = budget;
        byteBuffer = budget.allocate(capacity);
        buffer.wrap(byteBuffer);
    }

    /**
     * Make room for a longer frame; what was there is gone.
     *
     * @param length in bytes.
     */
    public void ensureCapacity(final int length)
    {
        if (length > byteBuffer.capacity())
        {
            free();
            byteBuffer = budget.allocate(length);
            buffer.wrap(byteBuffer);
        }
    }

    public UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * Ready to be sent from the start.
     *
     * @param length of the frame in bytes.
     * @return the memory, with position and limit around the frame.
     */
    ByteBuffer sendable(final int length)
    {
        return byteBuffer.limit(length).position(0);
    }

    /**
     * Give the memory back.
     */
    public void free()
    {
        budget.give(byteBuffer.capacity());
        DirectMemory.free(byteBuffer);
    }
}
