// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordMemory;

/**
 * What is done with a batch whose bytes cannot be what they claim: its partition stops, or the batch is skipped if that
 * is wanted and where it ends is known. A broker finds the batch for an offset by the same headers, so what is asked
 * for within a batch is answered with that batch again: each skip therefore ends behind all that may be of the bad
 * batch, or it is none.
 */
final class CorruptBatches
{
    private final boolean isSkipping;
    private final PartitionErrors errors;
    private final PartitionTable table;
    private final ConsumerEnvironment environment;
    private final RecordBatchFlyweight following = new RecordBatchFlyweight();

    CorruptBatches(final boolean isSkipping, final PartitionErrors errors, final PartitionTable table)
    {
        this.isSkipping = isSkipping;
        this.errors = errors;
        this.table = table;
        environment = errors.environment();
    }

    /**
     * Skip a batch if that can be, else stop its partition.
     *
     * @param nodeId     of the broker it came from.
     * @param partition  whose it is.
     * @param fromOffset of the first record that will not be delivered.
     * @param toOffset   first offset behind the batch, or {@link PartitionTable#NULL_OFFSET} if that is not known.
     * @param what       was found where what was expected.
     * @return true if no offset was skipped, because the partition stands behind all of the batch that is wanted: then
     * the record set can be read on behind the batch.
     */
    boolean skipOrStop(
        final int nodeId, final int partition, final long fromOffset, final long toOffset, final String what)
    {
        if (!isSkipping)
        {
            errors.onCorrupt(nodeId, partition, what);
            return false;
        }
        final long highWatermark = table.partition(partition).highWatermark();
        if (toOffset == PartitionTable.NULL_OFFSET || highWatermark >= 0 && toOffset > highWatermark)
        {
            errors.onCorrupt(nodeId, partition, what + "; it cannot be skipped because where it ends is not known");
            return false;
        }
        environment.counters().add(ConsumerCounters.PARTITION_ERRORS, 1);
        if (toOffset <= fromOffset)
        {
            environment.error(errors.where(nodeId, partition) + " skips no offset: " + what + ".");
            // What has been asked for beyond this batch was learnt from its header.
            table.invalidate(partition);
            return true;
        }
        environment.error(errors.where(nodeId, partition) + " goes on at offset " + toOffset + ": " + what + ".");
        table.delivered(partition, toOffset, PartitionTable.NULL_EPOCH);
        // Asked for anew, because the list of aborted transactions may lean on a marker within the batch.
        table.invalidate(partition);
        environment.counters().add(ConsumerCounters.GAPS, 1);
        environment.counters().add(ConsumerCounters.OFFSETS_SKIPPED, toOffset - fromOffset);
        environment.listener().onGap(partition, fromOffset, toOffset, GapReason.CORRUPT_BATCH);
        return false;
    }

    /**
     * Index behind a batch whose header is malformed.
     *
     * @param limit of the record set.
     * @return the index, or -1 if its length cannot be what it claims.
     */
    static int limitOf(final RecordBatchFlyweight malformed, final int limit)
    {
        final int length = malformed.batchLength();
        final int begin = malformed.index() + RecordBatchFlyweight.LENGTH_OVERHEAD;
        final boolean isSound = length >= RecordBatchFlyweight.HEADER_LENGTH - RecordBatchFlyweight.LENGTH_OVERHEAD &&
            length <= limit - begin;
        return isSound ? begin + length : -1;
    }

    /**
     * First offset behind a batch whose header is in doubt: where the next batch begins, if it can be seen, and else
     * what the header says.
     *
     * @param index behind the batch.
     * @param limit of the record set.
     * @return the offset, or {@link PartitionTable#NULL_OFFSET}.
     */
    long offsetBehind(final RecordBatchFlyweight doubtful, final int index, final int limit)
    {
        final boolean isFormatKnown = doubtful.magic() == RecordBatchFlyweight.MAGIC_V2;
        final long next = offsetAt(doubtful.memory(), index, limit, isFormatKnown);
        if (next != PartitionTable.NULL_OFFSET || !isFormatKnown)
        {
            return next;
        }
        final boolean isSound = (doubtful.baseOffset() | doubtful.lastOffsetDelta() | doubtful.lastOffset()) >= 0;
        return isSound ? doubtful.lastOffset() + 1 : PartitionTable.NULL_OFFSET;
    }

    /**
     * @param isHeaderEnough false if only a whole batch tells that one begins here.
     */
    private long offsetAt(final RecordMemory memory, final int index, final int limit, final boolean isHeaderEnough)
    {
        final int status = following.wrap(memory, index, limit);
        final boolean isBatch = status == RecordBatchFlyweight.COMPLETE || isHeaderEnough &&
            status == RecordBatchFlyweight.CUT_OFF && limit - index > RecordBatchFlyweight.MAGIC_FIELD_OFFSET;
        return isBatch && following.baseOffset() >= 0 ? following.baseOffset() : PartitionTable.NULL_OFFSET;
    }
}
