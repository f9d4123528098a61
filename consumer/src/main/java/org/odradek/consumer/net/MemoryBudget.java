// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * The direct memory that a consumer has declared, and how much of it is allocated. An allocation beyond the budget is
 * not refused, because a batch that does not fit would be lost; it is counted.
 */
public final class MemoryBudget
{
    private final long budgetBytes;
    private long heldBytes;
    private final LongConsumer onExceeded;

    /**
     * @param budgetBytes declared.
     * @param onExceeded  is given the bytes by which an allocation exceeds the budget.
     */
    public MemoryBudget(final long budgetBytes, final LongConsumer onExceeded)
    {
        this.budgetBytes = budgetBytes;
        this.onExceeded = onExceeded;
    }

    RecordMemory allocateRecords(final int length)
    {
        hold(length);
        return new RecordMemory(length);
    }

    /**
     * Allocates direct memory; whoever frees it calls {@link #release(int)}.
     *
     * @param length in bytes.
     */
    public ByteBuffer allocate(final int length)
    {
        hold(length);
        return ByteBuffer.allocateDirect(length);
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
    }

    /**
     * No longer counts memory that was freed.
     *
     * @param length in bytes.
     */
    public void release(final int length)
    {
        heldBytes -= length;
    }

    public long budgetBytes()
    {
        return budgetBytes;
    }

    public long heldBytes()
    {
        return heldBytes;
    }
}
