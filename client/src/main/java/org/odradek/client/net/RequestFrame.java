// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.core.MemoryBudget;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;

/**
 * Direct memory of one request, which is built once, patched, and sent as often as needed. It must not change while it
 * is being sent.
 */
public final class RequestFrame
{
    private final UnsafeBuffer buffer;
    private final MemoryBudget budget;

    /**
     * @param budget   that counts the memory.
     * @param capacity in bytes.
     */
    public RequestFrame(final MemoryBudget budget, final int capacity)
    {
        this.budget = budget;
        buffer = new UnsafeBuffer(budget.allocate(capacity));
    }

    /**
     * Replaces the memory if it is too small for a frame; its content is lost then.
     *
     * @param length in bytes.
     * @return the memory.
     */
    public UnsafeBuffer ofLength(final int length)
    {
        if (length > buffer.capacity())
        {
            final ByteBuffer larger = budget.allocate(length);
            free();
            buffer.wrap(larger);
        }
        return buffer;
    }

    public UnsafeBuffer buffer()
    {
        return buffer;
    }

    /** Returns the memory with position and limit around a frame of this length. */
    ByteBuffer sendable(final int length)
    {
        return buffer.byteBuffer().limit(length).position(0);
    }

    /** Overwrites the frame, which held a secret. */
    void clear()
    {
        buffer.setMemory(0, buffer.capacity(), (byte)0);
    }

    public void free()
    {
        budget.release(buffer.capacity());
        DirectMemory.free(buffer.byteBuffer());
    }
}
