// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.record.RecordBatchEncoder;

/**
 * A publisher's handle for one topic. Only the thread of the publisher may use this object.
 * <p>
 * Each accepted record has a position: the number of records, including this one, that the publisher has accepted for
 * the partition. The position is not the offset in Kafka's log, which is not known before the acknowledgement.
 * <p>
 * A partition that the topic does not have causes an IllegalArgumentException once the partitions are known. The value
 * {@link OfferResult#NOT_CONNECTED}, which {@link #partitionForKey} and {@link #nextPartition} may return instead of a
 * partition, is allowed: an offer or a claim then returns the same code.
 */
public final class TopicPublisher
{
    /** The length of a null key or value. */
    public static final int NULL_LENGTH = RecordBatchEncoder.NULL_LENGTH;
    /** The timestamp of a record without a timestamp, for {@link #tryClaim(int, long, int, int, int, int)}. */
    public static final long NO_TIMESTAMP = RecordBatchEncoder.NO_TIMESTAMP;

    private static final int NO_PARTITION = -1;

    private int currentPartition = NO_PARTITION;
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

    /** Returns the name of the topic. */
    public String topic()
    {
        return queues.topic().name();
    }

    /** Returns the number of partitions of the topic; 0 until the number is known. */
    public int partitionCount()
    {
        return queues.metadata().partitionCount();
    }

    /**
     * Returns the partition to which Kafka's producer writes records with the given key by default.
     *
     * @param buffer a buffer that holds the key.
     * @param index  the index of the first byte of the key.
     * @param length the length of the key in bytes, 0 or more.
     * @return the id of the partition, or {@link OfferResult#NOT_CONNECTED} while the partitions are not known.
     */
    public int partitionForKey(final DirectBuffer buffer, final int index, final int length)
    {
        guard.checkThread();
        final int count = partitionCount();
        return count == 0 ? (int)OfferResult.NOT_CONNECTED : KeyHash.partition(buffer, index, length, count);
    }

    /**
     * Chooses the partition of records without a key: the same partition until it has accepted about as many bytes as a
     * batch holds, and then the next partition in turn. Partitions that have stopped or have no leader are left out,
     * unless there is no other partition.
     *
     * @return the id of the partition, or {@link OfferResult#NOT_CONNECTED} while the partitions are not known.
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
        // The bytes that were added after the last call would not fit again.
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
     * Publishes a record without headers, whose timestamp is the current time.
     *
     * @param keyBuffer   a buffer that holds the key, which is copied; not read if the key is null.
     * @param keyIndex    the index of the first byte of the key.
     * @param keyLength   the length of the key in bytes; {@link #NULL_LENGTH} for a null key.
     * @param valueBuffer a buffer that holds the value, which is copied; not read if the value is null.
     * @param valueIndex  the index of the first byte of the value.
     * @param valueLength the length of the value in bytes; {@link #NULL_LENGTH} for a null value.
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
     * Publishes a record whose timestamp is the current time.
     *
     * @param key       a buffer with the key, all of which is copied; null for a record without a key.
     * @param value     a buffer with the value, all of which is copied; null for a tombstone.
     * @param headers   the headers, which are copied; null for none.
     * @return the position of the record, or a code of {@link OfferResult}.
     */
    public long offer(
        final int partition, final DirectBuffer key, final DirectBuffer value, final RecordHeaders headers)
    {
        return offer(partition, clock.epochMs(), key, value, headers);
    }

    /**
     * Publishes a record with a given timestamp.
     *
     * @param timestampMs the timestamp in milliseconds since 1970, 0 or more.
     * @param key         a buffer with the key, all of which is copied; null for a record without a key.
     * @param value       a buffer with the value, all of which is copied; null for a tombstone.
     * @param headers     the headers, which are copied; null for none.
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
     * Begins a record without headers, which the caller writes in place. The timestamp is the current time.
     *
     * @param keyLength   the exact length of the key in bytes; {@link #NULL_LENGTH} for a null key.
     * @param valueLength the exact length of the value in bytes; {@link #NULL_LENGTH} for a null value.
     * @return the position that the record will have, or a code of {@link OfferResult}. If a position is returned,
     *         {@link #claim()} is open.
     */
    public long tryClaim(final int partition, final int keyLength, final int valueLength)
    {
        return tryClaim(partition, clock.epochMs(), keyLength, valueLength, 0, 0);
    }

    /**
     * Begins a record, which the caller writes in place.
     *
     * @param timestampMs   the timestamp in milliseconds since 1970, 0 or more, or {@link #NO_TIMESTAMP}.
     * @param keyLength     the exact length of the key in bytes; {@link #NULL_LENGTH} for a null key.
     * @param valueLength   the exact length of the value in bytes; {@link #NULL_LENGTH} for a null value.
     * @param headerCount   the number of headers that will be added.
     * @param headersLength the sum of {@link #headerLength} over these headers, in bytes.
     * @return the position that the record will have, or a code of {@link OfferResult}.
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

    /** Returns the object for the record that {@link #tryClaim} has begun: the same for all topics. */
    public RecordClaim claim()
    {
        return claim;
    }

    /**
     * Returns the number of bytes that one header of a record takes.
     *
     * @param keyLength   the length of the key in bytes.
     * @param valueLength the length of the value in bytes; {@link #NULL_LENGTH} for a null value.
     */
    public static int headerLength(final int keyLength, final int valueLength)
    {
        return RecordBatchEncoder.headerLength(keyLength, valueLength);
    }

    private PartitionQueue openQueue(final int partition)
    {
        return queues.exists(partition) ? queues.get(partition) : notFound(partition);
    }

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

    /** Returns the position of the last record that was accepted for a partition; 0 before the first. */
    public long acceptedPosition(final int partition)
    {
        guard.checkThread();
        final PartitionQueue queue = queue(partition);
        return queue == null ? 0 : queue.acceptedPosition();
    }

    /**
     * Returns the position up to which all records of a partition were acknowledged or skipped; 0 if there are none.
     * The position does not move beyond a batch that was given up until {@link #skipFailed} or {@link #skipAll}
     * is called.
     */
    public long acknowledgedPosition(final int partition)
    {
        guard.checkThread();
        final PartitionQueue queue = queue(partition);
        return queue == null ? 0 : queue.acknowledgedPosition();
    }

    /**
     * Returns true if a partition has stopped because a batch was given up. Records of a stopped partition are neither
     * sent nor accepted.
     */
    public boolean isStopped(final int partition)
    {
        guard.checkThread();
        final PartitionQueue queue = queue(partition);
        return queue != null && queue.isStopped();
    }

    /**
     * Continues after the batch that was given up last: {@link #acknowledgedPosition} becomes the position of the last
     * record of that batch, and later records are sent. If the partition has not stopped, this method does nothing. The
     * time for which the partition had stopped does not count towards the delivery timeout.
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
     * Gives up all other records that were accepted for the partition, with {@link FailureReason#SKIPPED}, and then
     * does the same as {@link #skipFailed}. If the partition has not stopped, this method does nothing. None of these
     * records has been sent.
     */
    public void skipAll(final int partition)
    {
        guard.checkOpen();
        final PartitionQueue queue = queue(partition);
        if (queue != null)
        {
            final boolean isWorking = guard.beginEvents();
            try
            {
                queue.skipAll();
            }
            finally
            {
                guard.endEvents(isWorking);
            }
        }
    }

    @Override
    public String toString()
    {
        return "publisher of topic " + topic();
    }
}
