// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.record.RecordBatchEncoder;

/**
 * The record that {@link TopicPublisher#tryClaim} has begun in its batch. The key and the value are written in place,
 * then the headers are added in their order, and {@link #commit()} or {@link #abort()} ends it. {@link #close()} aborts
 * it unless it has ended, so a try statement leaves no claim open when its code throws. Work and a close of the
 * publisher abort a claim that is open, too; they count and report it.
 * <p>
 * A publisher has one object, which is valid from a claim to its end, on the thread of the publisher.
 */
public final class RecordClaim implements AutoCloseable
{
    private final UseGuard guard;
    private final PublisherEvents events;
    /**
     * Where a view that was kept after the end of its claim writes if Agrona checks no bounds; empty if it does,
     * because such a write throws then.
     */
    private final byte[] scratch;
    private PartitionQueue queue;
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);

    /** @param batchLength more than any key or value that can be claimed. */
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

    /** The bytes of the key, from index 0, for as many as were claimed. They hold anything until they are written. */
    public MutableDirectBuffer key()
    {
        guard.checkClaim();
        return key;
    }

    /** The bytes of the value, from index 0, for as many as were claimed. They hold anything until they are written. */
    public MutableDirectBuffer value()
    {
        guard.checkClaim();
        return value;
    }

    /**
     * Writes the next header.
     *
     * @param headerKey   in UTF-8; all of the buffer.
     * @param headerValue all of the buffer; null for a header without a value.
     * @throws IllegalArgumentException if it is not one of those that were claimed.
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
     * @return its position.
     * @throws IllegalStateException if no claim is open, or headers are missing; it is still open then.
     */
    public long commit()
    {
        guard.checkClaim();
        final long position = queue.commit();
        end();
        return position;
    }

    /** Removes the record: its batch is as it was before the claim. */
    public void abort()
    {
        guard.checkClaim();
        queue.abort();
        end();
    }

    /** Aborts the record if it was neither committed nor aborted; otherwise does nothing. */
    @Override
    public void close()
    {
        guard.checkThread();
        if (guard.isClaimOpen())
        {
            abort();
        }
    }

    /** Aborts the record if whoever has claimed it has left it open, and reports that. */
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
