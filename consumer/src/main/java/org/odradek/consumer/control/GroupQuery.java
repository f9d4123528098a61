// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.status.CommittedOffsets;
import org.odradek.protocol.ErrorCode;

import java.util.Arrays;

/**
 * A request for committed offsets and its result, which the requests to the group's coordinator write.
 */
final class GroupQuery implements CommittedOffsets
{
    private final String groupId;
    private boolean isDone;
    private short errorCode;
    private long[] offsets = {};
    private int[] leaderEpochs = {};

    GroupQuery(final String groupId)
    {
        this.groupId = groupId;
    }

    void onAsked(final int partitionCount)
    {
        offsets = new long[partitionCount];
        leaderEpochs = new int[partitionCount];
        Arrays.fill(offsets, NULL_OFFSET);
        Arrays.fill(leaderEpochs, NULL_EPOCH);
    }

    void onOffset(final int partition, final long offset, final int leaderEpoch)
    {
        if (partition >= 0 && partition < offsets.length && offset >= 0)
        {
            offsets[partition] = offset;
            leaderEpochs[partition] = leaderEpoch;
        }
    }

    void onAnswered()
    {
        isDone = true;
    }

    void onFailed(final short newErrorCode)
    {
        errorCode = newErrorCode;
        isDone = true;
    }

    @Override
    public String groupId()
    {
        return groupId;
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
    public int partitionCount()
    {
        return offsets.length;
    }

    @Override
    public long offset(final int partition)
    {
        return partition >= 0 && partition < offsets.length ? offsets[partition] : NULL_OFFSET;
    }

    @Override
    public int leaderEpoch(final int partition)
    {
        return partition >= 0 && partition < leaderEpochs.length ? leaderEpochs[partition] : NULL_EPOCH;
    }

    @Override
    public short errorCode()
    {
        return errorCode;
    }

    @Override
    public String toString()
    {
        return "CommittedOffsets{groupId=" + groupId + ", isDone=" + isDone + ", offsets=" +
            Arrays.toString(offsets) + ", errorCode=" + errorCode + "}";
    }
}
