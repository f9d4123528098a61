// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

/**
 * A question for an offset, and its answer once the consumer has been polled long enough for a broker to give it. Of
 * the polling thread.
 */
public final class OffsetQuery
{
    public static final int PENDING = 0;
    public static final int DONE = 1;
    public static final int FAILED = 2;

    /**
     * The offset where there is none: no record has the timestamp asked for, or a later one.
     */
    public static final long NULL_OFFSET = -1;

    private final int partition;
    private final long timestamp;
    private int state = PENDING;
    private int leaderEpoch = -1;
    private short errorCode;
    private long offset = NULL_OFFSET;
    private long offsetTimestamp = -1;

    /**
     * @param partition asked about.
     * @param timestamp as ListOffsets takes it: milliseconds since 1970, -1 for the end, -2 for the beginning.
     */
    public OffsetQuery(final int partition, final long timestamp)
    {
        this.partition = partition;
        this.timestamp = timestamp;
    }

    /**
     * The answer came.
     *
     * @param newOffset          found, or {@link #NULL_OFFSET}.
     * @param newOffsetTimestamp of the record there, or -1.
     * @param newLeaderEpoch     of the record there, or -1.
     */
    public void onAnswer(final long newOffset, final long newOffsetTimestamp, final int newLeaderEpoch)
    {
        offset = newOffset;
        offsetTimestamp = newOffsetTimestamp;
        leaderEpoch = newLeaderEpoch;
        state = DONE;
    }

    /**
     * The broker will not answer.
     *
     * @param newErrorCode why.
     */
    public void onFailed(final short newErrorCode)
    {
        errorCode = newErrorCode;
        state = FAILED;
    }

    public int partition()
    {
        return partition;
    }

    public long timestamp()
    {
        return timestamp;
    }

    public boolean isPending()
    {
        return state == PENDING;
    }

    public boolean isDone()
    {
        return state == DONE;
    }

    public boolean isFailed()
    {
        return state == FAILED;
    }

    /**
     * The offset, once {@link #isDone()}; {@link #NULL_OFFSET} if no record is that late.
     */
    public long offset()
    {
        return offset;
    }

    /**
     * Timestamp of the record at the offset, where a timestamp was asked for; else -1.
     */
    public long offsetTimestamp()
    {
        return offsetTimestamp;
    }

    public int leaderEpoch()
    {
        return leaderEpoch;
    }

    /**
     * The broker's error, once {@link #isFailed()}.
     */
    public short errorCode()
    {
        return errorCode;
    }

    @Override
    public String toString()
    {
        return "OffsetQuery{partition=" + partition + ", timestamp=" + timestamp + ", state=" + state + ", offset=" +
            offset + ", errorCode=" + errorCode + "}";
    }
}
