// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.core.MemoryBudget;
import org.odradek.protocol.DirectMemory;

import java.nio.ByteBuffer;

/** Holds one request in direct memory, which must not change while the request is being sent. */
public final class RequestFrame
{
    private final UnsafeBuffer buffer;
    private final MemoryBudget budget;

    public RequestFrame(final MemoryBudget budget, final int capacity)
    {
        this.budget = budget;
        buffer = new UnsafeBuffer(budget.allocate(capacity));
    }

    /**
     * Returns the buffer. If the buffer is shorter than {@code length} bytes, its memory is replaced and the content is
     * lost.
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

    ByteBuffer sendable(final int length)
    {
        return buffer.byteBuffer().limit(length).position(0);
    }

    /** Overwrites the memory with zeros, because it may contain a secret. */
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
