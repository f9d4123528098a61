// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.status;

import java.util.Arrays;

/**
 * A question for the offsets that are stored under a group id, and the answer once the consumer has been polled long
 * enough for the group's coordinator to give it. Of the polling thread.
 */
public final class CommittedOffsets
{
    /**
     * The offset where none is stored.
     */
    public static final long NULL_OFFSET = -1;
    public static final int NULL_EPOCH = -1;

    private static final int PENDING = 0;
    private static final int DONE = 1;
    private static final int FAILED = 2;

    private final String groupId;
    private int state = PENDING;
    private short errorCode;
    private long[] offsets = {};
    private int[] leaderEpochs = {};

    /**
     * @param groupId asked about.
     */
    public CommittedOffsets(final String groupId)
    {
        this.groupId = groupId;
    }

    /**
     * The question is being asked.
     *
     * @param partitionCount that the topic has.
     */
    public void onAsked(final int partitionCount)
    {
        offsets = new long[partitionCount];
        leaderEpochs = new int[partitionCount];
        Arrays.fill(offsets, NULL_OFFSET);
        Arrays.fill(leaderEpochs, NULL_EPOCH);
    }

    /**
     * One partition has an answer.
     *
     * @param partition   of those asked about; others are ignored.
     * @param offset      stored.
     * @param leaderEpoch stored with it, or {@link #NULL_EPOCH}.
     */
    public void onOffset(final int partition, final long offset, final int leaderEpoch)
    {
        if (partition >= 0 && partition < offsets.length && offset >= 0)
        {
            offsets[partition] = offset;
            leaderEpochs[partition] = leaderEpoch;
        }
    }

    /**
     * All partitions have their answer.
     */
    public void onAnswered()
    {
        state = DONE;
    }

    /**
     * The coordinator will not answer.
     *
     * @param newErrorCode why.
     */
    public void onFailed(final short newErrorCode)
    {
        errorCode = newErrorCode;
        state = FAILED;
    }

    public String groupId()
    {
        return groupId;
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
     * Partitions that the topic had when it was asked; 0 before.
     */
    public int partitionCount()
    {
        return offsets.length;
    }

    /**
     * The offset stored for a partition, once {@link #isDone()}: that of the next record to be read.
     *
     * @param partition any.
     * @return the offset, or {@link #NULL_OFFSET} if none is stored.
     */
    public long offset(final int partition)
    {
        return partition >= 0 && partition < offsets.length ? offsets[partition] : NULL_OFFSET;
    }

    /**
     * The leader epoch stored with the offset of a partition.
     *
     * @param partition any.
     * @return the epoch, or {@link #NULL_EPOCH}.
     */
    public int leaderEpoch(final int partition)
    {
        return partition >= 0 && partition < leaderEpochs.length ? leaderEpochs[partition] : NULL_EPOCH;
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
        return "CommittedOffsets{groupId=" + groupId + ", state=" + state + ", offsets=" + Arrays.toString(offsets) +
            ", errorCode=" + errorCode + "}";
    }
}
