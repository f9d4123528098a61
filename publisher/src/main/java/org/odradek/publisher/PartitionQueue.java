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
 * The batches of one partition in the order of their records, and its numbers as an idempotent producer. Records are
 * added to the last batch, only the first is ever in flight, and it stays the first until it is acknowledged or given
 * up. So batches are neither reordered nor acknowledged out of turn.
 * <pre>
 *  claim, commit ─▶ | last, open | … | first | ─▶ take ─▶ in flight ─▶ acknowledge
 *                                        ▲                    ├──▶ resend, bumpEpoch (first again, after a backoff)
 *                                        └────────────────────┘    fail (the partition stops until skipFailed)
 * </pre>
 * A sequence is assigned by the first {@link #take}, and a resend has the same. The next epoch begins for this
 * partition only: after an answer that refuses the numbers of its first batch, after a batch was given up that may have
 * been written, and in a topic that was created again. If the brokers know a later epoch, which another producer has
 * begun, the partition goes on with another id.
 */
final class PartitionQueue
{
    /** Partitions of one broker that have something to send, each at most once. */
    static final class Ready
    {
        private int count;
        private PartitionQueue[] queues = new PartitionQueue[16];
        /** Whether the first batch of one of them may be full. */
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

        /** Whether one of them may have a full batch that can be sent. */
        boolean hasFull()
        {
            return hasFull;
        }

        /** Those that did not fit, or must wait, stay in the list, in front of what is added later. */
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
    private int leaderEpoch = PartitionLeaders.NULL_EPOCH;
    /** Of the leader's broker; null while there is none. */
    private Ready ready;
    private boolean isListed;
    /** Whether the first batch was sent to another leader without delay after a failure. */
    private boolean isOtherTried;

    private long acceptedPosition;
    /** Of all records that were accepted, before compression. */
    private long acceptedBytes;
    private long acknowledgedPosition;
    /** The accepted position when the topic was found to be another one. */
    private long formerPosition;
    /** The position of the last record that was given up, while the partition has stopped. */
    private long failedPosition;
    private boolean isStopped;
    /** When it has stopped. */
    private long stoppedNs;
    private Batch first;
    private Batch last;
    /** Whoever has sent the first batch and awaits the answer, or null. */
    private Object flight;

    private long producerId = NO_PRODUCER_ID;
    private short epoch;
    private int nextSequence;
    /** An id whose last epoch has been used up, or of which the brokers know a later epoch. */
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

    /**
     * Begins a record, in the last batch or a new one.
     *
     * @return its position, or a code of {@link OfferResult}.
     * @throws IllegalArgumentException if no record can have these lengths; nothing has changed then.
     */
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

    /** That of the last batch, which the claimed record is written with. */
    RecordBatchEncoder encoder()
    {
        return last.encoder;
    }

    /** Accepts the claimed record, and returns its position. */
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

    /** Removes the claimed record, and its batch if that holds no other: another partition may need the slab. */
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

    /** Has the broker of the leader look at this partition, if there is something to send. */
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

    /** Moves to the broker of the leader, or to none. The lists of all brokers have been cleared. */
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

    /** Returns true if nothing of it can be sent now. */
    boolean isIdle()
    {
        return flight != null || isStopped || !hasRecords();
    }

    /** Another broker may lead the partition: a first error since the last good answer is more urgent than repeats. */
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

    /** Whether the first batch needs a newer producer id than this one, or the first one. */
    boolean needsIdAfter(final long currentId)
    {
        return !first.hasSequence && producerId == NO_PRODUCER_ID &&
            (currentId == NO_PRODUCER_ID || currentId == exhaustedId);
    }

    /** Whether the first batch, which is not in flight, need not wait for further records. */
    boolean isFull()
    {
        return first.isFull();
    }

    /**
     * Closes the first batch for further records, because it is about to be sent.
     *
     * @return its length in bytes; 0 if it must wait for the next duty cycle.
     */
    int closeFirst()
    {
        return close(first) ? first.encoder.length() : 0;
    }

    /**
     * Closes the batch that is sent next if that has not been done.
     *
     * @param isOpenDue whether also if it is not full.
     * @return true if it was closed now.
     */
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

    /**
     * Lends the first batch, which is closed, for a request, until one of the methods below ends that.
     *
     * @param sender     that gives itself back.
     * @param currentId  of the producer, for a partition without one; ignored without idempotence.
     * @param isSequence false without idempotence.
     */
    Batch take(final Object sender, final long currentId, final short currentEpoch, final boolean isSequence)
    {
        final Batch batch = first;
        assert !isIdle() && batch.isClosed;
        flight = sender;
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

    /** After the largest sequence comes 0. */
    private static int sequenceAfter(final Batch batch)
    {
        return batch.sequence + batch.count() & Integer.MAX_VALUE;
    }

    boolean isInFlightWith(final Object sender)
    {
        return flight == sender;
    }

    /** @param baseOffset or {@link PublisherListener#NULL_OFFSET}. */
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

    /** The next batch has its own failures. */
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

    /**
     * Has the first batch sent again, with the same numbers, after a backoff.
     *
     * @param errorCode      of the answer; 0 if there was none.
     * @param isMaybeWritten whether the batch may be in the log.
     */
    void resend(final short errorCode, final boolean isMaybeWritten, final long nowNs)
    {
        flight = null;
        first.errorCode = errorCode == ErrorCode.NONE ? first.errorCode : errorCode;
        first.isMaybeWritten |= isMaybeWritten;
        backoff.failed(nowNs);
        list();
        assert areInOrder();
    }

    /**
     * The leader has refused the first batch because of its sequence under its own epoch: it is not in the log, and
     * what the leader knows of the sequences does not fit. The partition begins again at sequence 0 of the next epoch.
     */
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

    /** The next batch begins with another id. */
    private void endId()
    {
        exhaustedId = producerId;
        producerId = NO_PRODUCER_ID;
    }

    /** The brokers do not know the producer id. What was sent to those of before is sent again with other numbers. */
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
     * Gives the first batch up and stops. The next batch takes its sequence if it is not in the log for certain.
     * Otherwise the next epoch begins: a broker may execute a request of a lost connection at any time, and with it the
     * following sequences of the same epoch, which it has refused before. The newer epoch fences such a request off.
     *
     * @param isAttemptWritten whether the last attempt may have written it; earlier ones are known.
     */
    void fail(final FailureReason reason, final short errorCode, final boolean isAttemptWritten)
    {
        fail(reason, errorCode, isAttemptWritten, ProduceResponseFlyweight.NULL_RECORD, null);
    }

    /**
     * Gives the first batch up because its broker has refused it.
     *
     * @param refusedRecord that the broker names, counted from 0 in the batch; any number.
     * @param message       of the broker, or null.
     */
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
        stoppedNs = isStopped ? stoppedNs : clock.nowNs();
        isStopped = true;
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

    /** The topic is another one now: what has been accepted so far is about to be given up. */
    void onRecreated()
    {
        formerPosition = acceptedPosition;
    }

    /**
     * Gives up all batches; of a topic that is another one now, those from before {@link #onRecreated}. The listener
     * may go on meanwhile; what it offers then stays, unless it is in the last of these batches.
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
            // What is on its way may still be written into the new topic: its numbers are not used again.
            beginEpoch();
        }
    }

    /** Gives up all batches if the partition has no producer id, and the brokers give none. */
    void onIdRefused(final short errorCode)
    {
        if (producerId == NO_PRODUCER_ID)
        {
            failAll(FailureReason.NO_PRODUCER_ID, errorCode);
        }
    }

    /** Gives up the batches that have waited for too long, unless the first one is in flight. */
    void expire(final long nowNs, final long timeoutNs)
    {
        boolean isExpired = !isIdle() && nowNs - first.beginNs > timeoutNs;
        while (isExpired)
        {
            fail(FailureReason.EXPIRED, first.errorCode, false);
            isExpired = flight == null && hasRecords() && nowNs - first.beginNs > timeoutNs;
        }
    }

    /** Goes on after the records that were given up. The time for which it has stopped does not count. */
    void skipFailed()
    {
        if (isStopped)
        {
            final long excusedNs = Math.max(0, clock.readNs() - stoppedNs);
            isStopped = false;
            acknowledgedPosition = failedPosition;
            for (Batch batch = first; batch != null; batch = batch.next)
            {
                batch.beginNs += excusedNs;
            }
            list();
        }
        assert areInOrder();
    }

    /** Gives up what else was accepted until now, too, and goes on after that. Nothing of it was sent. */
    void skipAll()
    {
        if (isStopped)
        {
            failAll(FailureReason.SKIPPED, ErrorCode.NONE);
            skipFailed();
        }
    }

    /** @return true if the leader or its epoch has changed. */
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
        if (isOther && !isOtherTried && backoff.failures() > 0)
        {
            // Another broker is tried at once, but only one: brokers may refer to each other for ever.
            isOtherTried = true;
            backoff.endDelay();
        }
        return true;
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
            // A partition that has stopped awaits nothing, and goes on after its first failure.
            (!isStopped || flight == null && acknowledgedPosition < failedPosition) &&
            // Only a first batch that was closed is ever in flight.
            (flight == null || first != null && first.isClosed) &&
            // The broker of the leader looks at it as long as there is something to send.
            (isListed ? ready != null : ready == null || isIdle()) &&
            // After the largest sequence comes 0, and an id that is used up is not used.
            nextSequence >= 0 && (producerId == NO_PRODUCER_ID || producerId != exhaustedId);
    }

    /** Between claims. */
    private boolean areInOrder()
    {
        boolean isConsistent = isConsistent() && (first == null) == (last == null);
        long position = isStopped ? failedPosition : acknowledgedPosition;
        for (Batch batch = first; batch != null && isConsistent; batch = batch.next)
        {
            // The batches hold what was accepted and has neither been acknowledged nor given up, without a hole.
            isConsistent = batch.firstPosition == position + 1 && (batch.next != null || batch == last) &&
                // The first batch stays the first until then, so no other one has been sent.
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
