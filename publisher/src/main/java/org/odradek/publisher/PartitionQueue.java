// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.produce.ProduceResponseFlyweight;
import org.odradek.protocol.record.RecordBatchEncoder;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.util.Arrays;

/**
 * The batches of one partition in the order of their records, with the partition's own producer id, epoch and next
 * sequence. Only the first batch is ever in flight, and it stays the first until it is acknowledged or given up.
 * <pre>
 *  claim, commit ─▶ | last, open | … | first | ─▶ take ─▶ in flight ─▶ acknowledge
 *                                        ▲                    ├──▶ resend, bumpEpoch (first again, after a backoff)
 *                                        └────────────────────┘    fail (the partition stops until skipFailed)
 * </pre>
 */
final class PartitionQueue
{
    /**
     * The partitions of one broker that have something to send, each at most once. A partition that has become idle
     * stays in the list until {@link #removeIdle()} or {@link #clear()}.
     */
    static final class Ready
    {
        private int count;
        private PartitionQueue[] queues = new PartitionQueue[16];
        private boolean hasFull;

        private void add(final PartitionQueue queue)
        {
            if (count == queues.length)
            {
                queues = Arrays.copyOf(queues, 2 * count);
            }
            queues[count++] = queue;
        }

        int count()
        {
            return count;
        }

        PartitionQueue get(final int index)
        {
            return queues[index];
        }

        boolean hasFull()
        {
            return hasFull;
        }

        void removeIdle()
        {
            int kept = 0;
            hasFull = false;
            for (int i = 0; i < count; i++)
            {
                final PartitionQueue queue = queues[i];
                queue.isListed = !queue.isIdle();
                if (queue.isListed)
                {
                    queues[kept++] = queue;
                    hasFull |= queue.isFull();
                }
            }
            truncate(kept);
        }

        private void truncate(final int newCount)
        {
            Arrays.fill(queues, newCount, count, null);
            count = newCount;
        }

        void clear()
        {
            for (int i = 0; i < count; i++)
            {
                queues[i].isListed = false;
            }
            truncate(0);
            hasFull = false;
        }
    }

    private static final long NO_PRODUCER_ID = -1;

    private final PublishedTopic topic;
    private final int partition;
    private final Backoff backoff;
    private final BatchPool pool;
    private final PublisherEvents events;
    private final DutyClock clock;

    private int leaderId = PartitionLeaders.NULL_LEADER;
    /** The leader to which the first batch was sent last. */
    private int triedId = PartitionLeaders.NULL_LEADER;
    private int leaderEpoch = PartitionLeaders.NULL_EPOCH;
    /** The list of the leader's connection; null while there is no such connection. */
    private Ready ready;
    private boolean isListed;
    /** True if the delay after a failure was ended early, because the partition has another leader. */
    private boolean isOtherTried;

    private long acceptedPosition;
    /** The bytes of all records that were accepted, before compression. */
    private long acceptedBytes;
    private long acknowledgedPosition;
    /** The accepted position when the topic was found to have been created again. */
    private long formerPosition;
    /** The position of the last record that was given up, while the partition has stopped. */
    private long failedPosition;
    private boolean isStopped;
    private boolean isSkipping;
    private long stoppedNs;
    private Batch first;
    private Batch last;
    /** The sender that has sent the first batch and waits for the answer, or null. */
    private Object flight;

    private long producerId = NO_PRODUCER_ID;
    private short epoch;
    private int nextSequence;
    /** A producer id whose last epoch has been used up, or for which the brokers know a later epoch. */
    private long exhaustedId = NO_PRODUCER_ID;

    PartitionQueue(
        final PublishedTopic topic,
        final int partition,
        final Backoff backoff,
        final BatchPool pool,
        final PublisherEvents events,
        final DutyClock clock)
    {
        this.topic = topic;
        this.partition = partition;
        this.backoff = backoff;
        this.pool = pool;
        this.events = events;
        this.clock = clock;
    }

    /** @return the position of the record, or a code of {@link OfferResult}. */
    long claim(
        final long timestamp,
        final int keyLength,
        final int valueLength,
        final int headerCount,
        final int headersLength)
    {
        RecordBatchEncoder.check(timestamp, keyLength, valueLength, headerCount, headersLength);
        if (isStopped)
        {
            return OfferResult.STOPPED;
        }
        if (RecordBatchEncoder.maxRecordLength(keyLength, valueLength, headersLength) >
            pool.batchLength() - RecordBatchFlyweight.HEADER_LENGTH)
        {
            return OfferResult.TOO_LARGE;
        }
        if (last == null || last.isClosed || RecordBatchEncoder.NO_ROOM ==
            last.encoder.claim(timestamp, keyLength, valueLength, headerCount, headersLength))
        {
            final Batch next = pool.take();
            if (next == null)
            {
                events.counters().add(PublisherCounters.BACK_PRESSURED, 1);
                return OfferResult.BACK_PRESSURED;
            }
            append(next);
            next.encoder.claim(timestamp, keyLength, valueLength, headerCount, headersLength);
        }
        assert isConsistent();
        return acceptedPosition + 1;
    }

    private void append(final Batch next)
    {
        next.firstPosition = acceptedPosition + 1;
        if (last == null)
        {
            first = next;
        }
        else
        {
            last.next = next;
        }
        last = next;
    }

    RecordBatchEncoder encoder()
    {
        return last.encoder;
    }

    long commit()
    {
        final int lengthBefore = last.encoder.length();
        last.encoder.commit();
        acceptedBytes += last.encoder.length() - lengthBefore;
        if (last.count() == 1)
        {
            // The last duty cycle may be long ago.
            last.beginNs = clock.readNs();
        }
        acceptedPosition++;
        events.counters().add(PublisherCounters.RECORDS, 1);
        list();
        assert isConsistent();
        return acceptedPosition;
    }

    void abort()
    {
        last.encoder.abort();
        if (last.count() == 0)
        {
            removeLast();
        }
        assert areInOrder();
    }

    private void removeLast()
    {
        final Batch removed = last;
        last = null;
        for (Batch batch = first; batch != removed; batch = batch.next)
        {
            last = batch;
        }
        if (last == null)
        {
            first = null;
        }
        else
        {
            last.next = null;
        }
        pool.release(removed);
    }

    private void list()
    {
        if (ready != null && !isIdle())
        {
            if (!isListed)
            {
                isListed = true;
                ready.add(this);
            }
            ready.hasFull |= first.isFull();
        }
    }

    /** @param newReady the list of the leader's connection, or null; the partition must not be in another list. */
    void ready(final Ready newReady)
    {
        assert !isListed || newReady == ready;
        ready = newReady;
        list();
        assert isConsistent();
    }

    private boolean hasRecords()
    {
        return first != null && first.count() > 0;
    }

    boolean isIdle()
    {
        return flight != null || isStopped || !hasRecords();
    }

    void wantMetadata()
    {
        topic.wantMetadata(
            backoff.failures() == 0 ? PartitionLeaders.Need.FIRST_ERROR : PartitionLeaders.Need.ERROR);
    }

    boolean isBackingOff(final long nowNs)
    {
        return !backoff.hasExpired(nowNs);
    }

    long backoffEndNs()
    {
        return backoff.deadlineNs();
    }

    boolean needsIdAfter(final long currentId)
    {
        return !first.hasSequence && producerId == NO_PRODUCER_ID &&
            (currentId == NO_PRODUCER_ID || currentId == exhaustedId);
    }

    boolean isFull()
    {
        return first.isFull();
    }

    /** @return the length of the first batch in bytes; 0 if the batch must wait for the next duty cycle. */
    int closeFirst()
    {
        return close(first) ? first.encoder.length() : 0;
    }

    /** @param isOpenDue true to close the batch that is sent next even if it is not full. */
    boolean closeAhead(final boolean isOpenDue)
    {
        final Batch ahead = first == null || flight == null ? first : first.next;
        return ahead != null && !ahead.isClosed && (isOpenDue || ahead.isFull()) && close(ahead);
    }

    private boolean close(final Batch batch)
    {
        final int length = batch.isClosed ? 0 : batch.encoder.length();
        final boolean isClosed = pool.close(batch);
        events.counters().add(PublisherCounters.BYTES_BATCHED, isClosed ? length : 0);
        return isClosed;
    }

    /** @param currentId the producer id for a partition that has none; ignored without idempotence. */
    Batch take(final Object sender, final long currentId, final short currentEpoch, final boolean isSequence)
    {
        final Batch batch = first;
        assert !isIdle() && batch.isClosed;
        flight = sender;
        triedId = leaderId;
        if (batch.hasSequence)
        {
            events.counters().add(PublisherCounters.BATCHES_RESENT, 1);
            return batch;
        }
        if (!isSequence)
        {
            batch.seal(RecordBatchEncoder.NO_PRODUCER, (short)RecordBatchEncoder.NO_PRODUCER,
                RecordBatchEncoder.NO_PRODUCER);
            return batch;
        }
        if (producerId == NO_PRODUCER_ID)
        {
            producerId = currentId;
            epoch = currentEpoch;
            nextSequence = 0;
        }
        batch.seal(producerId, epoch, nextSequence);
        nextSequence = sequenceAfter(batch);
        assert areInOrder();
        return batch;
    }

    /** Returns the sequence of the next batch; 0 follows {@link Integer#MAX_VALUE}. */
    private static int sequenceAfter(final Batch batch)
    {
        return batch.sequence + batch.count() & Integer.MAX_VALUE;
    }

    boolean isInFlightWith(final Object sender)
    {
        return flight == sender;
    }

    void acknowledge(final long baseOffset)
    {
        assert flight != null;
        flight = null;
        succeeded();
        final Batch batch = first;
        final long firstPosition = batch.firstPosition;
        final int count = batch.count();
        acknowledgedPosition = firstPosition + count - 1;
        removeFirst();
        list();
        assert areInOrder();
        events.acknowledged(topic.name(), partition, firstPosition, count, baseOffset);
    }

    private void succeeded()
    {
        backoff.succeeded();
        isOtherTried = false;
    }

    private void removeFirst()
    {
        final Batch removed = first;
        first = removed.next;
        last = first == null ? null : last;
        pool.release(removed);
    }

    /** @param errorCode the error code of the answer; 0 if there was no answer. */
    void resend(final short errorCode, final boolean isMaybeWritten, final long nowNs)
    {
        flight = null;
        first.errorCode = errorCode == ErrorCode.NONE ? first.errorCode : errorCode;
        first.isMaybeWritten |= isMaybeWritten;
        backoff.failed(nowNs);
        if (leaderId != triedId && leaderId >= 0)
        {
            tryOther();
        }
        list();
        assert areInOrder();
    }

    void bumpEpoch(final short errorCode, final long nowNs)
    {
        first.hasSequence = false;
        beginEpoch();
        resend(errorCode, false, nowNs);
        first.isMaybeWritten = false;
    }

    private void beginEpoch()
    {
        events.counters().add(PublisherCounters.EPOCH_BUMPS, 1);
        if (epoch == Short.MAX_VALUE)
        {
            endId();
        }
        else
        {
            epoch++;
        }
        nextSequence = 0;
    }

    private void endId()
    {
        exhaustedId = producerId;
        producerId = NO_PRODUCER_ID;
    }

    /** Brokers of another cluster do not know the producer id, so the first batch gets another id and sequence. */
    void onOtherCluster()
    {
        producerId = NO_PRODUCER_ID;
        exhaustedId = NO_PRODUCER_ID;
        if (first != null)
        {
            first.hasSequence = false;
        }
    }

    /**
     * Gives up the first batch and stops the partition. If this batch may be in the log, the next epoch begins, because
     * a broker that has a batch of the next epoch refuses this batch.
     *
     * @param isAttemptWritten true if the last attempt may have written the batch.
     */
    void fail(final FailureReason reason, final short errorCode, final boolean isAttemptWritten)
    {
        fail(reason, errorCode, isAttemptWritten, ProduceResponseFlyweight.NULL_RECORD, null);
    }

    /** @param refusedRecord the index of a record in the batch, as received: the index may be out of range. */
    void refuse(
        final short errorCode, final boolean isAttemptWritten, final int refusedRecord, final String message)
    {
        fail(FailureReason.REFUSED, errorCode, isAttemptWritten, refusedRecord, message);
    }

    private void fail(
        final FailureReason reason,
        final short errorCode,
        final boolean isAttemptWritten,
        final int refusedRecord,
        final String message)
    {
        final Batch batch = first;
        final long firstPosition = batch.firstPosition;
        final int count = batch.count();
        final boolean isMaybeWritten = batch.isMaybeWritten || isAttemptWritten;
        if (batch.hasSequence && producerId != NO_PRODUCER_ID)
        {
            nextSequence = batch.sequence;
            if (errorCode == ErrorCode.INVALID_PRODUCER_EPOCH)
            {
                endId();
            }
            else if (isMaybeWritten)
            {
                beginEpoch();
            }
        }
        flight = null;
        if (!isStopped)
        {
            stoppedNs = clock.nowNs();
            isStopped = true;
            events.counters().add(PublisherCounters.STOPPED_PARTITIONS, 1);
        }
        failedPosition = firstPosition + count - 1;
        succeeded();
        removeFirst();
        assert areInOrder();
        final boolean isOnlyOne = count == 1 && PublisherEvents.isTooLarge(reason, errorCode);
        final boolean isNamed = refusedRecord >= 0 && refusedRecord < count;
        events.failed(new FailedBatch(topic.name(), partition, firstPosition, count, reason, errorCode, isMaybeWritten,
            isOnlyOne ? firstPosition : isNamed ? firstPosition + refusedRecord : FailedBatch.NO_POSITION, message),
            batch.length, pool.batchLength());
    }

    void onRecreated()
    {
        formerPosition = acceptedPosition;
    }

    /**
     * Gives up the batches whose first record was accepted before this call or, for {@code TOPIC_RECREATED}, before
     * {@link #onRecreated}.
     */
    void failAll(final FailureReason reason, final short errorCode)
    {
        final long end = reason == FailureReason.TOPIC_RECREATED ? formerPosition : acceptedPosition;
        while (hasRecords() && first.firstPosition <= end)
        {
            final boolean isUnanswered = flight != null;
            fail(reason, errorCode == ErrorCode.NONE ? first.errorCode : errorCode, isUnanswered);
        }
        if (reason == FailureReason.TOPIC_RECREATED && producerId != NO_PRODUCER_ID && nextSequence != 0)
        {
            // A batch in flight may still be written into the new topic, so its sequences are not used again.
            beginEpoch();
        }
    }

    void onIdRefused(final short errorCode)
    {
        if (producerId == NO_PRODUCER_ID)
        {
            failAll(FailureReason.NO_PRODUCER_ID, errorCode);
        }
    }

    void expire(final long nowNs, final long timeoutNs)
    {
        boolean isExpired = !isIdle() && nowNs - first.beginNs > timeoutNs;
        while (isExpired)
        {
            fail(FailureReason.EXPIRED, first.errorCode, false);
            isExpired = flight == null && hasRecords() && nowNs - first.beginNs > timeoutNs;
        }
    }

    void skipFailed()
    {
        if (isStopped)
        {
            final long excusedNs = Math.max(0, clock.readNs() - stoppedNs);
            isStopped = false;
            events.counters().add(PublisherCounters.STOPPED_PARTITIONS, -1);
            acknowledgedPosition = failedPosition;
            for (Batch batch = first; batch != null; batch = batch.next)
            {
                batch.beginNs += excusedNs;
            }
            list();
        }
        assert areInOrder();
    }

    /** The listener may call this method again for each batch that is given up. */
    void skipAll()
    {
        if (isStopped && !isSkipping)
        {
            isSkipping = true;
            try
            {
                failAll(FailureReason.SKIPPED, ErrorCode.NONE);
            }
            finally
            {
                isSkipping = false;
            }
            skipFailed();
        }
    }

    boolean leader(final int newLeaderId, final int newLeaderEpoch)
    {
        final boolean isOther = newLeaderId != leaderId;
        if (!isOther && newLeaderEpoch == leaderEpoch)
        {
            return false;
        }
        leaderId = newLeaderId;
        leaderEpoch = newLeaderEpoch;
        if (isOther)
        {
            topic.isAssignmentChanged = true;
        }
        if (isOther && backoff.failures() > 0)
        {
            tryOther();
        }
        return true;
    }

    /** Tries another broker at once, but only one: brokers may refer to each other for ever. */
    private void tryOther()
    {
        if (!isOtherTried)
        {
            isOtherTried = true;
            backoff.endDelay();
        }
    }

    int leaderId()
    {
        return leaderId;
    }

    int leaderEpoch()
    {
        return leaderEpoch;
    }

    PublishedTopic topic()
    {
        return topic;
    }

    int partition()
    {
        return partition;
    }

    boolean isStopped()
    {
        return isStopped;
    }

    long acceptedPosition()
    {
        return acceptedPosition;
    }

    long acceptedBytes()
    {
        return acceptedBytes;
    }

    long acknowledgedPosition()
    {
        return acknowledgedPosition;
    }

    private boolean isConsistent()
    {
        // A record is accepted before it is acknowledged or given up.
        return acknowledgedPosition <= acceptedPosition && failedPosition <= acceptedPosition &&
            formerPosition <= acceptedPosition &&
            // A stopped partition has nothing in flight, and continues after its last failed record.
            (!isStopped || flight == null && acknowledgedPosition < failedPosition) &&
            // Only a first batch that was closed is ever in flight.
            (flight == null || first != null && first.isClosed) &&
            // The partition is in the list of the leader's broker as long as there is something to send.
            (isListed ? ready != null : ready == null || isIdle()) &&
            // After the largest sequence comes 0, and an id that is used up is not used.
            nextSequence >= 0 && (producerId == NO_PRODUCER_ID || producerId != exhaustedId);
    }

    /** Checks the batches; the caller must not have an open claim. */
    private boolean areInOrder()
    {
        boolean isConsistent = isConsistent() && (first == null) == (last == null);
        long position = isStopped ? failedPosition : acknowledgedPosition;
        for (Batch batch = first; batch != null && isConsistent; batch = batch.next)
        {
            // The batches hold what was accepted and has neither been acknowledged nor given up, without a hole.
            isConsistent = batch.firstPosition == position + 1 && (batch.next != null || batch == last) &&
                // Only the first batch is ever sent, so no other batch has a sequence.
                (batch == first || !batch.hasSequence);
            position += batch.count();
        }
        return isConsistent && position == acceptedPosition;
    }

    @Override
    public String toString()
    {
        return topic.name() + "-" + partition + " accepted " + acceptedPosition + ", acknowledged " +
            acknowledgedPosition + (isStopped ? ", stopped" : flight != null ? ", in flight" : "") +
            ", leader " + leaderId;
    }
}
