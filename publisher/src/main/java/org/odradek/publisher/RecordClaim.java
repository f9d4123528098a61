// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.record.RecordBatchEncoder;

/**
 * A record that {@link TopicPublisher#tryClaim} has begun in its batch. The program writes the key and the value in
 * place, adds the headers in their order, and ends the claim with {@link #commit()} or {@link #abort()}. {@link
 * #close()} aborts a claim that has not ended, so a try statement leaves no claim open when its code throws.
 * <p>
 * A publisher has one object of this class. Only the thread of the publisher may use that object.
 */
public final class RecordClaim implements AutoCloseable
{
    private final UseGuard guard;
    private final PublisherEvents events;
    /** If Agrona checks no bounds, a view that is used after the end of its claim writes into this memory. */
    private final byte[] scratch;
    private PartitionQueue queue;
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);

    RecordClaim(final UseGuard guard, final PublisherEvents events, final int batchLength)
    {
        this.guard = guard;
        this.events = events;
        scratch = new byte[UnsafeBuffer.SHOULD_BOUNDS_CHECK ? 0 : batchLength];
        end();
    }

    void begin(final PartitionQueue newQueue, final int keyLength, final int valueLength)
    {
        guard.claimed();
        queue = newQueue;
        final RecordBatchEncoder encoder = newQueue.encoder();
        final UnsafeBuffer memory = encoder.memory().buffer();
        key.wrap(memory, encoder.keyIndex(), Math.max(0, keyLength));
        value.wrap(memory, encoder.valueIndex(), Math.max(0, valueLength));
    }

    /**
     * Returns the bytes of the key, from index 0 to the claimed length. The bytes are undefined until the caller writes
     * them. The view is valid until the claim ends.
     *
     * @throws IllegalStateException if no claim is open.
     */
    public MutableDirectBuffer key()
    {
        guard.checkClaim();
        return key;
    }

    /**
     * Returns the bytes of the value, from index 0 to the claimed length. The bytes are undefined until the caller
     * writes them. The view is valid until the claim ends.
     *
     * @throws IllegalStateException if no claim is open.
     */
    public MutableDirectBuffer value()
    {
        guard.checkClaim();
        return value;
    }

    /**
     * Writes the next header of the record.
     *
     * @param headerKey   a buffer with the key in UTF-8, all of which is copied.
     * @param headerValue a buffer with the value, all of which is copied; null for a header without a value.
     * @throws IllegalArgumentException if the claim has no room for this header.
     * @throws IllegalStateException if no claim is open.
     */
    public void header(final DirectBuffer headerKey, final DirectBuffer headerValue)
    {
        guard.checkClaim();
        queue.encoder().header(headerKey, 0, headerKey.capacity(), headerValue, 0,
            headerValue == null ? RecordBatchEncoder.NULL_LENGTH : headerValue.capacity());
    }

    /**
     * Accepts the record.
     *
     * @return the position of the record.
     * @throws IllegalStateException if no claim is open, or if headers are missing; in the latter case the claim stays
     *                               open.
     */
    public long commit()
    {
        guard.checkClaim();
        final long position = queue.commit();
        end();
        return position;
    }

    /**
     * Removes the record from its batch.
     *
     * @throws IllegalStateException if no claim is open.
     */
    public void abort()
    {
        guard.checkClaim();
        queue.abort();
        end();
    }

    /** Aborts the record if it was neither committed nor aborted; otherwise this method does nothing. */
    @Override
    public void close()
    {
        guard.checkThread();
        if (guard.isClaimOpen())
        {
            abort();
        }
    }

    void abortIfOpen()
    {
        if (guard.isClaimOpen())
        {
            abort();
            events.claimAborted(queue.topic().name(), queue.partition());
        }
    }

    private void end()
    {
        guard.endClaim();
        key.wrap(scratch, 0, 0);
        value.wrap(scratch, 0, 0);
    }
}
