// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.record.RecordBatchEncoder;

/**
 * A publisher's handle for one topic. Records are written into the open batch of their partition, on the thread of the
 * publisher, and sent by its {@link Publisher#doWork()}.
 * <p>
 * A record that is accepted has a position: how many records this publisher has accepted for the partition. It is 1
 * for the first, grows by 1, and is never used again. It is not the offset in Kafka's log, which is not known before
 * the acknowledgement. Otherwise one of the codes of {@link OfferResult} is returned, all negative, and nothing has
 * changed.
 * <p>
 * Use it on the thread of the publisher. Offers, claims and skips by another thread, or while a claim is open, throw
 * IllegalStateException; what is only read does not depend on a claim. A partition that the topic does not have throws
 * IllegalArgumentException, except {@link OfferResult#NOT_CONNECTED}, which {@link #partitionForKey} and {@link
 * #nextPartition} return instead of one: an offer or a claim for it returns the same code. If the topic was created
 * again with fewer partitions, the positions of those that are gone can still be read, and their failures skipped.
 */
public final class TopicPublisher
{
    /** The length of a null key or value. A record with a null value is a tombstone in a compacted topic. */
    public static final int NULL_LENGTH = RecordBatchEncoder.NULL_LENGTH;
    /** The timestamp of a record without one, for {@link #tryClaim(int, long, int, int, int, int)}. */
    public static final long NO_TIMESTAMP = RecordBatchEncoder.NO_TIMESTAMP;

    private static final int NO_PARTITION = -1;

    /** The partition of records without a key, or {@link #NO_PARTITION}. */
    private int currentPartition = NO_PARTITION;
    /** What it had accepted when its turn began, and at the last call, and what it had accepted between two calls. */
    private long beginBytes;
    private long seenBytes;
    private long addedBytes;
    private final TopicQueues queues;
    private final UseGuard guard;
    private final DutyClock clock;
    private final RecordClaim claim;

    TopicPublisher(
        final TopicQueues queues, final UseGuard guard, final DutyClock clock, final RecordClaim claim)
    {
        this.queues = queues;
        this.guard = guard;
        this.clock = clock;
        this.claim = claim;
    }

    /** The name of the topic. */
    public String topic()
    {
        return queues.topic().name();
    }

    /** The number of partitions of the topic; 0 until they are known. */
    public int partitionCount()
    {
        return queues.metadata().partitionCount();
    }

    /**
     * The partition in which Kafka's clients put the records with a key: by the hash of the key and the number of
     * partitions.
     *
     * @param buffer that holds the key.
     * @param index  of its first byte.
     * @param length in bytes, 0 or more.
     * @return the partition, or {@link OfferResult#NOT_CONNECTED} while the partitions are not known.
     */
    public int partitionForKey(final DirectBuffer buffer, final int index, final int length)
    {
        guard.checkThread();
        final int count = partitionCount();
        return count == 0 ? (int)OfferResult.NOT_CONNECTED : KeyHash.partition(buffer, index, length, count);
    }

    /**
     * Chooses the partition of records without a key, as Kafka's clients do (KIP-794): the same until it has accepted
     * as many bytes as a batch holds, then the next one in turn. It passes over partitions that have stopped or have no
     * leader, unless there is no other. The first one is chosen at random. Fewer partitions in a request cost the
     * broker less.
     *
     * @return the partition, or {@link OfferResult#NOT_CONNECTED} while the partitions are not known.
     */
    public int nextPartition()
    {
        guard.checkThread();
        final int count = partitionCount();
        if (count == 0)
        {
            return (int)OfferResult.NOT_CONNECTED;
        }
        if (currentPartition < 0 || currentPartition >= count)
        {
            begin(queues.anyPartition(count));
        }
        final long acceptedBytes = queues.get(currentPartition).acceptedBytes();
        addedBytes = acceptedBytes == seenBytes ? addedBytes : acceptedBytes - seenBytes;
        seenBytes = acceptedBytes;
        // As much as after the last call would not fit again.
        if (acceptedBytes + addedBytes - beginBytes > queues.batchRoom() || !queues.isAvailable(currentPartition))
        {
            begin(following(count));
        }
        return currentPartition;
    }

    private void begin(final int partition)
    {
        currentPartition = partition;
        beginBytes = queues.get(partition).acceptedBytes();
        seenBytes = beginBytes;
        addedBytes = 0;
    }

    /** The next partition that is available, or the current one if there is none. */
    private int following(final int count)
    {
        int partition = currentPartition;
        do
        {
            partition = partition + 1 < count ? partition + 1 : 0;
        }
        while (partition != currentPartition && !queues.isAvailable(partition));
        return partition;
    }

    /**
     * Publishes a record without headers; its timestamp is now.
     *
     * @param partition   of the topic.
     * @param keyBuffer   that holds the key, which is copied; not read if the key is null.
     * @param keyIndex    of its first byte.
     * @param keyLength   in bytes; {@link #NULL_LENGTH} for null.
     * @param valueBuffer that holds the value, which is copied; not read if the value is null.
     * @param valueIndex  of its first byte.
     * @param valueLength in bytes; {@link #NULL_LENGTH} for null.
     * @return the position of the record, or a code of {@link OfferResult}.
     */
    public long offer(
        final int partition,
        final DirectBuffer keyBuffer,
        final int keyIndex,
        final int keyLength,
        final DirectBuffer valueBuffer,
        final int valueIndex,
        final int valueLength)
    {
        if (!guard.beginOffer())
        {
            return OfferResult.CLOSED;
        }
        final PartitionQueue queue = openQueue(partition);
        if (queue == null)
        {
            return OfferResult.NOT_CONNECTED;
        }
        final long result = queue.claim(clock.epochMs(), keyLength, valueLength, 0, 0);
        if (result < 0)
        {
            return result;
        }
        boolean isWritten = false;
        try
        {
            put(queue.encoder().keyIndex(), keyBuffer, keyIndex, keyLength, queue);
            put(queue.encoder().valueIndex(), valueBuffer, valueIndex, valueLength, queue);
            isWritten = true;
        }
        finally
        {
            abortUnless(isWritten, queue);
        }
        return queue.commit();
    }

    /**
     * Publishes a record whose timestamp is now.
     *
     * @param partition of the topic.
     * @param key       all of the buffer, which is copied; null for a record without a key.
     * @param value     all of the buffer, which is copied; null for a tombstone.
     * @param headers   which are copied; null for none.
     * @return the position of the record, or a code of {@link OfferResult}.
     */
    public long offer(
        final int partition, final DirectBuffer key, final DirectBuffer value, final RecordHeaders headers)
    {
        return offer(partition, clock.epochMs(), key, value, headers);
    }

    /**
     * Publishes a record with all there is to it.
     *
     * @param partition   of the topic.
     * @param timestampMs in ms since 1970, 0 or more.
     * @param key         all of the buffer, which is copied; null for a record without a key.
     * @param value       all of the buffer, which is copied; null for a tombstone.
     * @param headers     which are copied; null for none.
     * @return the position of the record, or a code of {@link OfferResult}.
     */
    public long offer(
        final int partition,
        final long timestampMs,
        final DirectBuffer key,
        final DirectBuffer value,
        final RecordHeaders headers)
    {
        if (!guard.beginOffer())
        {
            return OfferResult.CLOSED;
        }
        final PartitionQueue queue = openQueue(partition);
        if (queue == null)
        {
            return OfferResult.NOT_CONNECTED;
        }
        final int keyLength = key == null ? NULL_LENGTH : key.capacity();
        final int valueLength = value == null ? NULL_LENGTH : value.capacity();
        final int headersLength = headers == null ? 0 : headers.length();
        final long result = queue.claim(
            timestampMs, keyLength, valueLength, headers == null ? 0 : headers.count(), headersLength);
        if (result < 0)
        {
            return result;
        }
        boolean isWritten = false;
        try
        {
            put(queue.encoder().keyIndex(), key, 0, keyLength, queue);
            put(queue.encoder().valueIndex(), value, 0, valueLength, queue);
            if (headersLength > 0)
            {
                queue.encoder().headers(headers.buffer(), 0, headersLength);
            }
            isWritten = true;
        }
        finally
        {
            abortUnless(isWritten, queue);
        }
        return queue.commit();
    }

    /** After wrong bounds: the exception must not leave the batch in the middle of a record. */
    private static void abortUnless(final boolean isWritten, final PartitionQueue queue)
    {
        if (!isWritten)
        {
            queue.abort();
        }
    }

    private static void put(
        final int at, final DirectBuffer buffer, final int index, final int length, final PartitionQueue queue)
    {
        if (length > 0)
        {
            final UnsafeBuffer memory = queue.encoder().memory().buffer();
            buffer.boundsCheck(index, length);
            memory.putBytes(at, buffer, index, length);
        }
    }

    /**
     * Begins a record without headers, to be written in place; its timestamp is now.
     *
     * @param partition   of the topic.
     * @param keyLength   exactly, in bytes; {@link #NULL_LENGTH} for null.
     * @param valueLength exactly, in bytes; {@link #NULL_LENGTH} for null.
     * @return the position that the record will have, or a code of {@link OfferResult}. With a position {@link
     * #claim()} is open, and nothing else may be done with the publisher until it is committed or aborted.
     */
    public long tryClaim(final int partition, final int keyLength, final int valueLength)
    {
        return tryClaim(partition, clock.epochMs(), keyLength, valueLength, 0, 0);
    }

    /**
     * Begins a record, to be written in place.
     *
     * @param partition     of the topic.
     * @param timestampMs   in ms since 1970, 0 or more, or {@link #NO_TIMESTAMP}.
     * @param keyLength     exactly, in bytes; {@link #NULL_LENGTH} for null.
     * @param valueLength   exactly, in bytes; {@link #NULL_LENGTH} for null.
     * @param headerCount   how many headers will be added.
     * @param headersLength sum of {@link #headerLength} over them.
     * @return as {@link #tryClaim(int, int, int)}.
     */
    public long tryClaim(
        final int partition,
        final long timestampMs,
        final int keyLength,
        final int valueLength,
        final int headerCount,
        final int headersLength)
    {
        if (!guard.beginClaim())
        {
            return OfferResult.CLOSED;
        }
        final PartitionQueue queue = openQueue(partition);
        if (queue == null)
        {
            return OfferResult.NOT_CONNECTED;
        }
        final long result = queue.claim(timestampMs, keyLength, valueLength, headerCount, headersLength);
        if (result > 0)
        {
            claim.begin(queue, keyLength, valueLength);
        }
        return result;
    }

    /** The record that {@link #tryClaim} has begun; the same object for all topics of the publisher. */
    public RecordClaim claim()
    {
        return claim;
    }

    /**
     * The bytes that one header of a record takes.
     *
     * @param keyLength   in bytes.
     * @param valueLength in bytes; {@link #NULL_LENGTH} for null.
     */
    public static int headerLength(final int keyLength, final int valueLength)
    {
        return RecordBatchEncoder.headerLength(keyLength, valueLength);
    }

    /** The queue of a partition that takes records, or null while the partitions are not known. */
    private PartitionQueue openQueue(final int partition)
    {
        return queues.exists(partition) ? queues.get(partition) : notFound(partition);
    }

    /** The queue of a partition, which need not exist any more, or null while the partitions are not known. */
    private PartitionQueue queue(final int partition)
    {
        return queues.has(partition) ? queues.get(partition) : notFound(partition);
    }

    private PartitionQueue notFound(final int partition)
    {
        if (partition != OfferResult.NOT_CONNECTED && (partition < 0 || partitionCount() > 0))
        {
            throw new IllegalArgumentException("partition " + partition + " of topic " + topic() +
                " does not exist: it must be from 0 to " + (partitionCount() - 1));
        }
        return null;
    }

    /** The position of the last record that was accepted for a partition; 0 before the first. */
    public long acceptedPosition(final int partition)
    {
        guard.checkThread();
        final PartitionQueue queue = queue(partition);
        return queue == null ? 0 : queue.acceptedPosition();
    }

    /**
     * The position up to which all records of a partition were acknowledged, in their order; 0 before the first. It
     * does not move beyond a batch that was given up before {@link #skipFailed} has been called.
     */
    public long acknowledgedPosition(final int partition)
    {
        guard.checkThread();
        final PartitionQueue queue = queue(partition);
        return queue == null ? 0 : queue.acknowledgedPosition();
    }

    /** Returns true if a batch of the partition was given up: nothing of it is sent or accepted. */
    public boolean isStopped(final int partition)
    {
        guard.checkThread();
        final PartitionQueue queue = queue(partition);
        return queue != null && queue.isStopped();
    }

    /**
     * Goes on after the batch that was given up last: its records count as acknowledged from now on, and those after
     * it are sent. The time for which the partition had stopped does not count towards the delivery timeout; a record
     * that joins a batch which has begun before has the time of that batch. Does nothing if the partition has not
     * stopped.
     */
    public void skipFailed(final int partition)
    {
        guard.checkOpen();
        final PartitionQueue queue = queue(partition);
        if (queue != null)
        {
            queue.skipFailed();
        }
    }

    /**
     * As {@link #skipFailed}, but also gives up all other records that were accepted for the partition, with {@link
     * FailureReason#SKIPPED}: none of them has been sent, and their memory is free at once. What the listener offers
     * meanwhile is given up, too, if it joins the last of these batches.
     */
    public void skipAll(final int partition)
    {
        guard.checkOpen();
        final PartitionQueue queue = queue(partition);
        if (queue != null)
        {
            queue.skipAll();
        }
    }

    @Override
    public String toString()
    {
        return "publisher of topic " + topic();
    }
}
