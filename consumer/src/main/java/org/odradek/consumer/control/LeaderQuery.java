// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.ErrorCode;

/**
 * An offset query and its state, which the offset lookup writes.
 */
final class LeaderQuery implements OffsetQuery
{
    private final int partition;
    private final long timestamp;
    private boolean isDone;
    private int leaderEpoch = -1;
    private short errorCode;
    private long offset = NULL_OFFSET;
    private long offsetTimestamp = -1;

    LeaderQuery(final int partition, final long timestamp)
    {
        this.partition = partition;
        this.timestamp = timestamp;
    }

    void onAnswer(final long newOffset, final long newOffsetTimestamp, final int newLeaderEpoch)
    {
        offset = newOffset;
        offsetTimestamp = newOffsetTimestamp;
        leaderEpoch = newLeaderEpoch;
        isDone = true;
    }

    void onFailed(final short newErrorCode)
    {
        errorCode = newErrorCode;
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
        return errorCode != ErrorCode.NONE;
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
        return errorCode;
    }

    @Override
    public String toString()
    {
        return "OffsetQuery{partition=" + partition + ", timestamp=" + timestamp + ", isDone=" + isDone +
            ", offset=" + offset + ", errorCode=" + errorCode + "}";
    }
}
