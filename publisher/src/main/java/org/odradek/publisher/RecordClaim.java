// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.record.RecordBatchEncoder;

/**
 * The record that {@link TopicPublisher#tryClaim} has begun in its batch. The key and the value are written in place,
 * then the headers are added in their order, and {@link #commit()} or {@link #abort()} ends it. A publisher has one
 * object, which is valid from a claim to its end, on the thread of the publisher.
 */
public final class RecordClaim
{
    private final UseGuard guard;
    private PartitionQueue queue;
    private final UnsafeBuffer key = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer value = new UnsafeBuffer(0, 0);

    RecordClaim(final UseGuard guard)
    {
        this.guard = guard;
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

    /** Aborts the claim if one is open, at a close. */
    void discard()
    {
        guard.checkThread();
        if (guard.isClaimOpen())
        {
            abort();
        }
    }

    private void end()
    {
        guard.endClaim();
        key.wrap(0, 0);
        value.wrap(0, 0);
    }
}
