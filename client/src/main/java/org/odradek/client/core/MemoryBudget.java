// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The direct memory that a consumer has declared, and how much of it is allocated, or reserved for what is going to be
 * allocated. An allocation beyond the budget is not refused, because a batch that does not fit would be lost; it is
 * counted. A reservation beyond it is refused.
 */
public final class MemoryBudget
{
    /** Kept for what is allocated without asking: requests, and the first buffers of TLS. */
    private static final int RESERVE = 1 << 20;

    private final long budgetBytes;
    private long heldBytes;
    private long reservedBytes;
    /** 0 while there is room. */
    private int refusedLength;
    private final LongConsumer onExceeded;
    private final LongSupplier left;
    private final LongConsumer onShort;

    /**
     * @param budgetBytes declared.
     * @param onExceeded  is given the bytes by which an allocation exceeds the budget.
     * @param left        returns how many bytes the JVM can still allocate.
     * @param onShort     is given the bytes for which there is no room, once until there is room for them.
     */
    public MemoryBudget(
        final long budgetBytes, final LongConsumer onExceeded, final LongSupplier left, final LongConsumer onShort)
    {
        this.budgetBytes = budgetBytes;
        this.onExceeded = onExceeded;
        this.left = left;
        this.onShort = onShort;
    }

    /**
     * Finds out whether memory can be allocated, within the budget or beyond it, and reports once that it cannot. How
     * much a broker can have allocated depends on this: the buffers of as many connections as it names leaders, and of
     * as large frames as it announces.
     *
     * @param length in bytes.
     * @return true if it can.
     */
    public boolean findRoom(final int length)
    {
        // Others may have allocated what this consumer has declared.
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

    /**
     * Returns true if so many more bytes are within the budget, beside all reservations, and the JVM has them; reports
     * nothing.
     */
    public boolean isWithin(final int more)
    {
        final long reserved = reservedBytes + more;
        return more <= 0 || heldBytes + reserved <= budgetBytes && left.getAsLong() - RESERVE >= reserved;
    }

    /**
     * Reserves memory, if it is within the budget, until {@link #endReservation}: others reserve what is left.
     *
     * @param more bytes than before; fewer if it is negative.
     * @return true if they are reserved.
     */
    public boolean reserve(final int more)
    {
        final boolean isReserved = isWithin(more);
        reservedBytes += isReserved ? more : 0;
        assert isConsistent();
        return isReserved;
    }

    /** Ends a reservation, because its memory is allocated now, or is not needed any more. */
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

    /**
     * Allocates direct memory; whoever frees it calls {@link #release(int)}.
     *
     * @param length in bytes.
     */
    public ByteBuffer allocate(final int length)
    {
        final ByteBuffer memory = ByteBuffer.allocateDirect(length);
        hold(length);
        return memory;
    }

    /**
     * Counts memory that was allocated elsewhere.
     *
     * @param length in bytes.
     */
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

    /**
     * No longer counts memory that was freed.
     *
     * @param length in bytes.
     */
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
        // No more is released than was held.
        return heldBytes >= 0 &&
            // No reservation ends twice.
            reservedBytes >= 0;
    }
}
