// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionState;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.Acknowledgements;
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
    /** What was refused last; only the polling thread uses it, and those that follow. */
    private static final int REFUSED = AWAITED + 8;
    /** The offset before which everything was done when it was last committed, and its epoch. */
    private static final int DONE = REFUSED + 1;
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
        state.setRelease(ACKNOWLEDGED, (long)ownershipEpoch << OFFSET_BITS | nextOffset & OFFSET_MASK);
        if (nextOffset >= state.get(AWAITED))
        {
            environment.poller().wakeup();
        }
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
        if (delivered.deliveredEpoch() == 0)
        {
            return done(partition, delivered.ownershipEpoch(), nextOffset);
        }
        final long packed = partitions[partition].getAcquire(ACKNOWLEDGED);
        final int epoch = (int)(packed >>> OFFSET_BITS);
        if (epoch != delivered.deliveredEpoch())
        {
            return PartitionTable.NULL_OFFSET;
        }
        final long endOffset = delivered.deliveredEnd();
        final long acknowledged = endOffset + (packed - endOffset << EPOCH_BITS >> EPOCH_BITS);
        final boolean isSought = epoch != delivered.ownershipEpoch();
        final long limit = isSought ? endOffset : nextOffset;
        if (acknowledged > limit || !isSought && acknowledged < delivered.firstOffset())
        {
            refuse(partition, packed, acknowledged, limit);
            return PartitionTable.NULL_OFFSET;
        }
        if (acknowledged >= endOffset)
        {
            return done(partition, delivered.ownershipEpoch(), nextOffset);
        }
        return isSought ? PartitionTable.NULL_OFFSET :
            partitions[partition].getPlain(DONE_EPOCH) != epoch ? acknowledged :
            Math.max(acknowledged, partitions[partition].getPlain(DONE));
    }

    /** After the last record may be markers, which no acknowledgement passes: commits must not go back before them. */
    private long done(final int partition, final int epoch, final long nextOffset)
    {
        partitions[partition].setPlain(DONE, nextOffset);
        partitions[partition].setPlain(DONE_EPOCH, epoch);
        return nextOffset;
    }

    /** Reports an acknowledgement of what was not delivered, once. */
    private void refuse(final int partition, final long packed, final long acknowledged, final long nextOffset)
    {
        if (partitions[partition].getPlain(REFUSED) != packed)
        {
            partitions[partition].setPlain(REFUSED, packed);
            environment.counters().add(ConsumerCounters.ACKNOWLEDGEMENTS_REFUSED, 1);
            environment.listener().onAcknowledgementRefused(partition, acknowledged, nextOffset);
        }
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
