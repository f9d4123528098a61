// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Counts the direct memory that a client has allocated or reserved. An allocation beyond the declared budget is counted
 * but not refused; a reservation beyond the budget is refused.
 */
public final class MemoryBudget
{
    /** This many bytes are kept free for allocations without a check, such as those of requests. */
    private static final int RESERVE = 1 << 20;

    private final long budgetBytes;
    private long heldBytes;
    private long reservedBytes;
    private int refusedLength;
    private final LongConsumer onExceeded;
    private final LongSupplier left;
    private final LongConsumer onShort;

    /**
     * @param onExceeded receives the number of bytes by which an allocation exceeds the budget.
     * @param left       returns the number of bytes of direct memory that the JVM can still allocate.
     * @param onShort    receives the number of bytes for which there is no room; it is called once until there is room
     *                   again.
     */
    public MemoryBudget(
        final long budgetBytes, final LongConsumer onExceeded, final LongSupplier left, final LongConsumer onShort)
    {
        this.budgetBytes = budgetBytes;
        this.onExceeded = onExceeded;
        this.left = left;
        this.onShort = onShort;
    }

    /** Returns true if the JVM has enough direct memory left for an allocation of this length. */
    public boolean findRoom(final int length)
    {
        // Other code may have allocated memory that this client has declared.
        final int reserve = heldBytes + length <= budgetBytes ? 0 : RESERVE;
        final boolean hasRoom = left.getAsLong() - reserve >= length;
        if (!hasRoom && refusedLength == 0)
        {
            refusedLength = length;
            onShort.accept(length);
        }
        else if (hasRoom && length >= refusedLength)
        {
            refusedLength = 0;
        }
        return hasRoom;
    }

    /** Returns true if a reservation can grow by this number of bytes within the budget and the memory of the JVM. */
    public boolean isWithin(final int more)
    {
        final long reserved = reservedBytes + more;
        return more <= 0 || heldBytes + reserved <= budgetBytes && left.getAsLong() - RESERVE >= reserved;
    }

    /**
     * @param more number of bytes by which the reservation changes; a negative number reduces it.
     * @return false if the bytes are not reserved, because they are not within the budget.
     */
    public boolean reserve(final int more)
    {
        final boolean isReserved = isWithin(more);
        reservedBytes += isReserved ? more : 0;
        assert isConsistent();
        return isReserved;
    }

    public void endReservation(final int length)
    {
        reservedBytes -= length;
        assert isConsistent();
    }

    public RecordMemory allocateRecords(final int length)
    {
        final RecordMemory memory = new RecordMemory(length);
        hold(length);
        return memory;
    }

    /** The code that frees the memory must call {@link #release(int)}. */
    public ByteBuffer allocate(final int length)
    {
        final ByteBuffer memory = ByteBuffer.allocateDirect(length);
        hold(length);
        return memory;
    }

    public void hold(final int length)
    {
        final long overBefore = Math.max(heldBytes - budgetBytes, 0);
        heldBytes += length;
        final long over = Math.max(heldBytes - budgetBytes, 0);
        if (over > overBefore)
        {
            onExceeded.accept(over - overBefore);
        }
        assert isConsistent();
    }

    public void release(final int length)
    {
        heldBytes -= length;
        assert isConsistent();
    }

    public long budgetBytes()
    {
        return budgetBytes;
    }

    public long heldBytes()
    {
        return heldBytes;
    }

    public long reservedBytes()
    {
        return reservedBytes;
    }

    private boolean isConsistent()
    {
        // No more memory is released than was held.
        return heldBytes >= 0 &&
            // No reservation ends twice.
            reservedBytes >= 0;
    }
}
