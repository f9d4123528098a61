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
 * What an application has acknowledged of each partition, and what may be committed because of that. The threads of the
 * application write one number for each partition with an ordered store; the polling thread reads it at a commit.
 * <pre>
 *  epoch of the ownership, 16 bits | next offset, its low 48 bits
 * </pre>
 * The low bits are enough: the signed distance from the end of what was delivered gives the offset. So a writer needs
 * to know nothing that the polling thread changes.
 * <p>
 * A number that is below an earlier one of its epoch replaces only others that are below, because what it acknowledges
 * is acknowledged already, unless the earlier one is false. The polling thread finds that out, and removes a false one.
 */
final class AcknowledgedOffsets implements Acknowledgements
{
    private static final int OFFSET_BITS = 48;
    private static final int EPOCH_BITS = Long.SIZE - OFFSET_BITS;
    private static final int MAX_EPOCH = (1 << EPOCH_BITS) - 1;
    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    /** A partition has an array of its own, in which a cache line is free before what is written often, and after. */
    private static final int ACKNOWLEDGED = 8;
    /** The offset whose acknowledgement wakes the poller. The writer reads it each time, and it rarely changes. */
    private static final int AWAITED = ACKNOWLEDGED + 1;
    /** The highest of the numbers that were below the one that was acknowledged, and how many such there were. */
    private static final int LOWER = AWAITED + 1;
    private static final int LOWER_COUNT = LOWER + 1;
    /** How many of those have been counted; only the polling thread uses it, and what follows. */
    private static final int COUNTED = LOWER_COUNT + 8;
    /** The offset before which everything was done when it was last committed, and its epoch. */
    private static final int DONE = COUNTED + 1;
    private static final int DONE_EPOCH = DONE + 1;
    private static final int LENGTH = DONE_EPOCH + 1;
    private static final long NOT_AWAITED = Long.MAX_VALUE;

    /** Volatile because it grows; the arrays of partitions stay. */
    private volatile AtomicLongArray[] partitions = {};
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
        if (!isBelow(packed, state.getOpaque(ACKNOWLEDGED)))
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
            environment.poller().wakeup();
        }
    }

    /** Returns true if both are of one epoch, and the first is the lower one. */
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

    /** Makes room for partitions 0 to size - 1, before a record of them is delivered. */
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
     * Returns the offset to commit: all of what was delivered before it is acknowledged.
     *
     * @param nextOffset of the partition. It is returned if nothing that was delivered is not acknowledged.
     * @return {@link PartitionTable#NULL_OFFSET} if nothing may be committed.
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
     * Returns an offset that is acknowledged, or {@link PartitionTable#NULL_OFFSET} if that is of another epoch, or of
     * what was not delivered, which is reported.
     *
     * @param index of its number, which is removed if the offset does not count.
     */
    private long take(final int partition, final int index, final long nextOffset)
    {
        final PartitionState delivered = table.partition(partition);
        final long packed = partitions[partition].getAcquire(index);
        final int epoch = (int)(packed >>> OFFSET_BITS);
        if (epoch != delivered.deliveredEpoch())
        {
            // Long after, its epoch may be given again.
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

    /** Another thread may have replaced it meanwhile. */
    private void remove(final int partition, final int index, final long packed)
    {
        if (packed != 0)
        {
            partitions[partition].compareAndSet(index, packed, 0);
        }
    }

    /**
     * Commits must not go back: not before markers after the last record, which no acknowledgement passes, and not
     * before what was acknowledged and then replaced by a false number.
     */
    private long done(final int partition, final int epoch, final long nextOffset)
    {
        partitions[partition].setPlain(DONE, nextOffset);
        partitions[partition].setPlain(DONE_EPOCH, epoch);
        return nextOffset;
    }

    /**
     * Returns true if nothing that was delivered of a partition is not acknowledged. Otherwise the acknowledgement that
     * is missing wakes the poller. One that another thread stores at this moment may neither be seen nor wake: it is
     * seen a little later.
     */
    boolean await(final int partition, final long nextOffset)
    {
        // Before the acknowledgement is read, which may come in between.
        partitions[partition].set(AWAITED, table.partition(partition).deliveredEnd());
        final boolean isDone = committable(partition, nextOffset) == nextOffset;
        if (isDone)
        {
            endAwait(partition);
        }
        return isDone;
    }

    /** No acknowledgement of the partition wakes the poller any more. */
    void endAwait(final int partition)
    {
        partitions[partition].setRelease(AWAITED, NOT_AWAITED);
    }
}
