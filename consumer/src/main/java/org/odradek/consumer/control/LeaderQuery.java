// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.ErrorCode;

/**
 * A query for one partition that its leader answers, with its result. It is an offset query of the user, the
 * lookup of the offset at which an assigned partition starts or is reset to, or the validation of an offset after the
 * leader has changed (KIP-320).
 */
final class LeaderQuery implements OffsetQuery
{
    private enum Kind
    {
        USER, START, VALIDATION
    }

    private final Kind kind;
    private final int partition;
    /** Of the lookup, or the generation that is validated: if the partition has another one, the query is stale. */
    private final int stamp;
    private final int requestedEpoch;
    private final long timestamp;

    boolean isInFlight;
    /** Whether the leader has answered with {@link #resultCode}, and the result has not been applied. */
    boolean hasResult;
    /** Whether the leader has answered with an error, so that the query is to be sent again. */
    boolean isRetry;
    /** The leader that the query was sent to last. */
    int leaderId;
    short resultCode;
    private boolean isDone;
    private int leaderEpoch = PartitionTable.NULL_EPOCH;
    private long offset = NULL_OFFSET;
    private long offsetTimestamp = -1;

    private LeaderQuery(
        final Kind kind,
        final int partition,
        final int stamp,
        final int requestedEpoch,
        final long timestamp)
    {
        this.kind = kind;
        this.partition = partition;
        this.stamp = stamp;
        this.requestedEpoch = requestedEpoch;
        this.timestamp = timestamp;
    }

    static LeaderQuery ofUser(final int partition, final long timestamp)
    {
        return new LeaderQuery(Kind.USER, partition, 0, 0, timestamp);
    }

    /** A query for what a partition waits for: an offset or its validation. */
    static LeaderQuery of(final int partition, final PartitionTable table)
    {
        return table.state(partition) == PartitionTable.AWAITING_OFFSET ?
            new LeaderQuery(Kind.START, partition, table.partition(partition).lookupId(), 0,
                table.partition(partition).lookupTimestamp()) :
            new LeaderQuery(Kind.VALIDATION, partition, table.generation(partition), table.offsetEpoch(partition), 0);
    }

    /** Whether the result is no longer wanted: the partition was sought, paused, unassigned, or has another leader. */
    boolean isStale(final PartitionTable table)
    {
        switch (kind)
        {
            case START:
                return table.state(partition) != PartitionTable.AWAITING_OFFSET ||
                    table.partition(partition).lookupId() != stamp;
            case VALIDATION:
                return table.state(partition) != PartitionTable.AWAITING_VALIDATION ||
                    table.generation(partition) != stamp;
            default:
                return false;
        }
    }

    boolean isOfUser()
    {
        return kind == Kind.USER;
    }

    boolean isStart()
    {
        return kind == Kind.START;
    }

    boolean isValidation()
    {
        return kind == Kind.VALIDATION;
    }

    /** The leader epoch whose end offset is requested by a validation. */
    int requestedEpoch()
    {
        return requestedEpoch;
    }

    void onOffset(final long newOffset, final long newOffsetTimestamp, final int newLeaderEpoch)
    {
        offset = newOffset;
        offsetTimestamp = newOffsetTimestamp;
        leaderEpoch = newLeaderEpoch;
        isInFlight = false;
        hasResult = true;
        resultCode = ErrorCode.NONE;
    }

    void onError(final short errorCode)
    {
        isInFlight = false;
        hasResult = true;
        resultCode = errorCode;
    }

    void retry()
    {
        hasResult = false;
        isRetry = true;
    }

    /** Show the result to the user. */
    void end()
    {
        isDone = true;
    }

    @Override
    public int partition()
    {
        return partition;
    }

    @Override
    public long timestamp()
    {
        return timestamp;
    }

    @Override
    public boolean isDone()
    {
        return isDone;
    }

    @Override
    public boolean isFailed()
    {
        return isDone && resultCode != ErrorCode.NONE;
    }

    @Override
    public long offset()
    {
        return offset;
    }

    @Override
    public long offsetTimestamp()
    {
        return offsetTimestamp;
    }

    @Override
    public int leaderEpoch()
    {
        return leaderEpoch;
    }

    @Override
    public short errorCode()
    {
        return isDone ? resultCode : ErrorCode.NONE;
    }

    @Override
    public String toString()
    {
        return "OffsetQuery{partition=" + partition + ", timestamp=" + timestamp + ", isDone=" + isDone +
            ", offset=" + offset + ", errorCode=" + errorCode() + "}";
    }
}
