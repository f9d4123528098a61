// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.client.Acknowledgements;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionState;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The offsets that an application has acknowledged. A thread of the application stores one number for each partition;
 * the polling thread reads this number at a commit:
 * <pre>
 *  epoch of the ownership, 16 bits | next offset, its low 48 bits
 * </pre>
 * The low bits are enough, because the polling thread computes the offset from their signed distance to the end of the
 * delivered records.
 * <p>
 * A number that is lower than an earlier number of the same epoch does not replace that number, but the highest of the
 * lower numbers is kept in another element, because the polling thread removes an earlier number that is invalid.
 */
final class AcknowledgedOffsets implements Acknowledgements
{
    private static final int OFFSET_BITS = 48;
    private static final int EPOCH_BITS = Long.SIZE - OFFSET_BITS;
    private static final int MAX_EPOCH = (1 << EPOCH_BITS) - 1;
    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    private static final int ACKNOWLEDGED = 8;
    /** The index of the offset whose acknowledgement wakes the poller. */
    private static final int AWAITED = ACKNOWLEDGED + 1;
    /**
     * The indexes of the highest number that was lower than the acknowledged number, and of the count of such numbers.
     */
    private static final int LOWER = AWAITED + 1;
    private static final int LOWER_COUNT = LOWER + 1;
    /**
     * The index of the part of {@link #LOWER_COUNT} that has been added to the counter. Only the polling thread uses
     * the elements from this one on.
     */
    private static final int COUNTED = LOWER_COUNT + 8;
    /** The indexes of the last offset to commit and of its epoch. */
    private static final int DONE = COUNTED + 1;
    private static final int DONE_EPOCH = DONE + 1;
    private static final int LENGTH = DONE_EPOCH + 1;
    private static final long NOT_AWAITED = Long.MAX_VALUE;

    /** This array is volatile because it grows; the arrays of the partitions stay the same. */
    private volatile AtomicLongArray[] partitions = {};
    /** True if an awaited acknowledgement was stored after the acknowledgements were read. */
    private volatile boolean hasArrived;
    private final PartitionTable table;
    private final Environment environment;

    AcknowledgedOffsets(final PartitionTable table, final Environment environment)
    {
        this.table = table;
        this.environment = environment;
    }

    @Override
    public void acknowledge(final int partition, final int ownershipEpoch, final long nextOffset)
    {
        final AtomicLongArray[] partitions = this.partitions;
        if (partition < 0 || partition >= partitions.length || ownershipEpoch < 1 || ownershipEpoch > MAX_EPOCH ||
            nextOffset < 0)
        {
            throw impossible(partition, ownershipEpoch, nextOffset);
        }
        final AtomicLongArray state = partitions[partition];
        final long packed = (long)ownershipEpoch << OFFSET_BITS | nextOffset & OFFSET_MASK;
        final long earlier = state.getOpaque(ACKNOWLEDGED);
        if (isOfEarlierEpoch(ownershipEpoch, earlier))
        {
            return;
        }
        if (!isBelow(packed, earlier))
        {
            state.setRelease(ACKNOWLEDGED, packed);
        }
        else
        {
            state.setRelease(LOWER_COUNT, state.getPlain(LOWER_COUNT) + 1);
            if (!isBelow(packed, state.getOpaque(LOWER)))
            {
                state.setRelease(LOWER, packed);
            }
        }
        if (nextOffset >= state.get(AWAITED))
        {
            hasArrived = true;
            environment.poller().wakeup();
        }
    }

    /**
     * Returns true if the epoch is before that of a number; epochs begin at 1 again after the last one, and 0 is no
     * epoch.
     */
    private static boolean isOfEarlierEpoch(final int epoch, final long packed)
    {
        final int packedEpoch = (int)(packed >>> OFFSET_BITS);
        return packedEpoch != 0 && (short)(epoch - packedEpoch) < 0;
    }

    private static boolean isBelow(final long packed, final long earlier)
    {
        return packed >>> OFFSET_BITS == earlier >>> OFFSET_BITS && packed - earlier << EPOCH_BITS < 0;
    }

    private IllegalArgumentException impossible(final int partition, final int ownershipEpoch, final long nextOffset)
    {
        return new IllegalArgumentException("offset " + nextOffset + " of partition " + partition + " and epoch " +
            ownershipEpoch + " cannot be acknowledged: an offset is 0 or more, the consumer has owned the partition, " +
            "and its records name the epoch, from 1 to " + MAX_EPOCH);
    }

    void ensureSize(final int size)
    {
        final int oldSize = partitions.length;
        if (size > oldSize)
        {
            final AtomicLongArray[] more = Arrays.copyOf(partitions, size);
            for (int p = oldSize; p < size; p++)
            {
                more[p] = new AtomicLongArray(LENGTH);
                more[p].setPlain(AWAITED, NOT_AWAITED);
            }
            partitions = more;
        }
    }

    /**
     * @return an offset before which all delivered records are acknowledged, or {@link PartitionTable#NULL_OFFSET} if
     *         nothing may be committed.
     */
    long committable(final int partition, final long nextOffset)
    {
        final PartitionState delivered = table.partition(partition);
        final AtomicLongArray state = partitions[partition];
        countLower(state);
        if (delivered.deliveredEpoch() == 0)
        {
            return done(partition, delivered.ownershipEpoch(), nextOffset);
        }
        final long acknowledged =
            Math.max(take(partition, ACKNOWLEDGED, nextOffset), take(partition, LOWER, nextOffset));
        if (acknowledged == PartitionTable.NULL_OFFSET)
        {
            return PartitionTable.NULL_OFFSET;
        }
        if (acknowledged >= delivered.deliveredEnd())
        {
            return done(partition, delivered.ownershipEpoch(), nextOffset);
        }
        final int epoch = delivered.deliveredEpoch();
        return epoch != delivered.ownershipEpoch() ? PartitionTable.NULL_OFFSET : done(partition, epoch,
            state.getPlain(DONE_EPOCH) != epoch ? acknowledged : Math.max(acknowledged, state.getPlain(DONE)));
    }

    private void countLower(final AtomicLongArray state)
    {
        final long count = state.getAcquire(LOWER_COUNT);
        if (count != state.getPlain(COUNTED))
        {
            environment.counters().add(
                ConsumerCounters.ACKNOWLEDGEMENTS_IGNORED, count - state.getPlain(COUNTED));
            state.setPlain(COUNTED, count);
        }
    }

    /**
     * Returns the acknowledged offset of an element, or {@link PartitionTable#NULL_OFFSET} if the acknowledgement
     * belongs to another epoch or names an offset that was not delivered. Such a number is removed.
     */
    private long take(final int partition, final int index, final long nextOffset)
    {
        final PartitionState delivered = table.partition(partition);
        final long packed = partitions[partition].getAcquire(index);
        final int epoch = (int)(packed >>> OFFSET_BITS);
        if (epoch != delivered.deliveredEpoch())
        {
            // The epoch may be used again much later, so the number is removed.
            remove(partition, index, packed);
            return PartitionTable.NULL_OFFSET;
        }
        final long endOffset = delivered.deliveredEnd();
        final long acknowledged = endOffset + (packed - endOffset << EPOCH_BITS >> EPOCH_BITS);
        final boolean isSought = epoch != delivered.ownershipEpoch();
        final long limit = isSought ? endOffset : nextOffset;
        if (acknowledged > limit || !isSought && acknowledged < delivered.firstOffset())
        {
            remove(partition, index, packed);
            environment.counters().add(ConsumerCounters.ACKNOWLEDGEMENTS_REFUSED, 1);
            environment.listener().onAcknowledgementRefused(partition, acknowledged, limit);
            return PartitionTable.NULL_OFFSET;
        }
        return acknowledged;
    }

    /** Removes a number, unless another thread has replaced it meanwhile. */
    private void remove(final int partition, final int index, final long packed)
    {
        if (packed != 0)
        {
            partitions[partition].compareAndSet(index, packed, 0);
        }
    }

    /** Stores and returns an offset to commit, so that no later commit of the same epoch has a lower offset. */
    private long done(final int partition, final int epoch, final long nextOffset)
    {
        partitions[partition].setPlain(DONE, nextOffset);
        partitions[partition].setPlain(DONE_EPOCH, epoch);
        return nextOffset;
    }

    /**
     * Returns true if all delivered records of a partition are acknowledged. Otherwise the missing acknowledgement
     * wakes the poller, unless the acknowledgement is stored during this call; a later call then sees it.
     */
    boolean await(final int partition, final long nextOffset)
    {
        // This store precedes the read of the acknowledgement, because the acknowledgement may arrive between the two.
        partitions[partition].set(AWAITED, table.partition(partition).deliveredEnd());
        final boolean isDone = committable(partition, nextOffset) == nextOffset;
        if (isDone)
        {
            endAwait(partition);
        }
        return isDone;
    }

    /** Returns true if an awaited acknowledgement has arrived; another client of the poller then ends its wait. */
    boolean hasArrived()
    {
        return hasArrived;
    }

    /** Precedes the calls of {@link #await}. */
    void forgetArrived()
    {
        hasArrived = false;
    }

    void endAwait(final int partition)
    {
        partitions[partition].setRelease(AWAITED, NOT_AWAITED);
    }
}
