// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

/**
 * Puts partitions to the places that leaders have answered with, and tells of those that were at another before.
 */
final class PositionResets
{
    private final long retryBackoffNs;
    private final OffsetResetPolicy policy;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerEnvironment environment;

    PositionResets(
        final long retryBackoffNs,
        final PartitionTable table,
        final PartitionErrors errors,
        final ConsumerEnvironment environment)
    {
        this.retryBackoffNs = retryBackoffNs;
        this.table = table;
        this.errors = errors;
        this.environment = environment;
        policy = errors.resetPolicy();
    }

    /**
     * A place has been found for a partition that waits for it.
     */
    void onFound(final LeaderQuery query)
    {
        final int partition = query.partition();
        final long fromOffset = table.nextOffset(partition);
        final boolean isReset = fromOffset != PartitionTable.NULL_OFFSET;
        if (query.offset() < 0)
        {
            // No record is that late: what comes from now on is what was meant.
            table.lookUp(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
        }
        else if (!isReset)
        {
            table.seek(partition, query.offset(), query.leaderEpoch());
        }
        else if (policy.kind() == OffsetResetPolicy.Kind.NEAREST && query.offset() <= fromOffset &&
            query.timestamp() == ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP)
        {
            // It is not below the beginning: then it is beyond the end.
            table.lookUp(partition, ListOffsetsRequestEncoder.LATEST_TIMESTAMP);
        }
        else if (policy.kind() == OffsetResetPolicy.Kind.NEAREST && query.offset() >= fromOffset &&
            query.timestamp() == ListOffsetsRequestEncoder.LATEST_TIMESTAMP)
        {
            // The log has grown that far meanwhile.
            tryAgain(partition, fromOffset);
        }
        else
        {
            reset(partition, fromOffset, query.offset(), query.leaderEpoch());
        }
    }

    private void tryAgain(final int partition, final long offset)
    {
        table.seek(partition, offset);
        table.backOff(
            partition, ErrorCode.OFFSET_OUT_OF_RANGE, environment.clock().nowNs() + retryBackoffNs);
    }

    private void reset(final int partition, final long fromOffset, final long toOffset, final int offsetEpoch)
    {
        if (toOffset == fromOffset)
        {
            // The leader contradicts itself: it is not to be asked as fast as it answers.
            tryAgain(partition, toOffset);
        }
        else
        {
            table.seek(partition, toOffset, offsetEpoch);
        }
        environment.counters().add(ConsumerCounters.RESETS, 1);
        if (toOffset > fromOffset)
        {
            environment.counters().add(ConsumerCounters.GAPS, 1);
            environment.counters().add(ConsumerCounters.OFFSETS_SKIPPED, toOffset - fromOffset);
        }
        // Told of last: a listener may seek elsewhere.
        environment.listener().onReset(partition, fromOffset, toOffset);
        if (toOffset > fromOffset)
        {
            environment.listener().onGap(partition, fromOffset, toOffset, GapReason.OUT_OF_RANGE);
        }
    }

    /**
     * The log of a new leader parts from the one that was read.
     *
     * @param nodeId          of the leader.
     * @param check           that found it.
     * @param divergentOffset where it parts, or {@link PartitionTable#NULL_OFFSET} where the leader does not know.
     * @param leaderEpoch     that both logs have before, or {@link PartitionTable#NULL_EPOCH}.
     */
    void onTruncated(final int nodeId, final PositionCheck check, final long divergentOffset, final int leaderEpoch)
    {
        final int partition = check.partition();
        final long fromOffset = table.nextOffset(partition);
        environment.counters().add(ConsumerCounters.TRUNCATIONS, 1);
        environment.listener().onTruncation(partition, fromOffset, divergentOffset, leaderEpoch);
        if (check.isStale(table))
        {
            // The listener has sought elsewhere.
            return;
        }
        if (policy.kind() == OffsetResetPolicy.Kind.FAIL)
        {
            errors.onTruncated(nodeId, partition, divergentOffset);
        }
        else if (divergentOffset == PartitionTable.NULL_OFFSET)
        {
            table.lookUp(partition, errors.resetTimestamp());
        }
        else
        {
            reset(partition, fromOffset, divergentOffset, leaderEpoch);
        }
    }
}
