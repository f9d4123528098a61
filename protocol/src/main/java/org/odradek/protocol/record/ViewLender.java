// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import java.nio.ByteBuffer;

/**
 * Lends a record or a batch to a handler for one call, for debugging ({@link ViewLifetime#IS_CHECKED}). Each call gets
 * a new view of a copy of the bytes. When the view is taken back, the copy is overwritten and never used again, so that
 * a handler that has kept the view finds an exception or overwritten bytes, but never the bytes of another record.
 * Every call allocates memory.
 */
public final class ViewLender
{
    private static final int SLAB_LENGTH = 64 * 1024;

    private ByteBuffer slab = ByteBuffer.allocateDirect(0);
    private RecordMemory memory;
    private ViewLifetime lifetime;

    /**
     * @param record to copy.
     * @return a view of the copy, valid until {@link #takeBack()}.
     */
    public Record lend(final Record record)
    {
        final int length = RecordCopy.length(record);
        memory = take(length);
        RecordCopy.write(record, memory, 0);
        lifetime = new ViewLifetime("The record at offset " + record.offset() + " of partition " + record.partition());
        final RecordFlyweight lent = new RecordFlyweight();
        lent.lifetime = lifetime;
        return RecordCopy.wrap(lent, memory, 0, length);
    }

    /**
     * @param batch to copy.
     * @return a view of the copy, valid until {@link #takeBack()}.
     */
    public StoredBatch lend(final StoredBatch batch)
    {
        memory = take(batch.length());
        memory.buffer().putBytes(0, batch.buffer(), batch.index(), batch.length());
        lifetime = new ViewLifetime("The batch at offsets " + batch.baseOffset() + " to " + batch.lastOffset() +
            " of partition " + batch.partition());
        return StoredBatchFlyweight.copyOf(batch, memory, lifetime);
    }

    /** Ends the lifetime of the view that was lent last. */
    public void takeBack()
    {
        lifetime.end();
        memory.poison();
    }

    /**
     * Memory that has not been used before. Pieces are cut from a slab, because much direct memory in small pieces
     * keeps the garbage collector busy.
     */
    private RecordMemory take(final int length)
    {
        if (slab.remaining() < length)
        {
            slab = ByteBuffer.allocateDirect(Math.max(length, SLAB_LENGTH));
        }
        final ByteBuffer bytes = slab.slice(slab.position(), length);
        slab.position(slab.position() + length);
        return new RecordMemory(bytes);
    }
}
