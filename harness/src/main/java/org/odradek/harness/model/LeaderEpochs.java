// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import java.util.Arrays;

/** The leader epochs of a {@link ModelLog} and the offsets at which they start, as brokers keep them; both ascend. */
final class LeaderEpochs
{
    private int[] epochs = new int[4];
    private long[] startOffsets = new long[4];
    private int count;

    /** Starts an epoch at an offset, unless this or a later one has started. An epoch without a batch is replaced. */
    void start(final int epoch, final long offset)
    {
        if (count > 0 && epochs[count - 1] >= epoch)
        {
            return;
        }
        truncate(offset);
        if (count == epochs.length)
        {
            epochs = Arrays.copyOf(epochs, count * 2);
            startOffsets = Arrays.copyOf(startOffsets, count * 2);
        }
        epochs[count] = epoch;
        startOffsets[count++] = offset;
    }

    /** Removes the epochs that start at the log end or after it. */
    void truncate(final long endOffset)
    {
        while (count > 0 && startOffsets[count - 1] >= endOffset)
        {
            count--;
        }
    }

    /** Removes the epochs that end before the log start. */
    void deleteBefore(final long startOffset)
    {
        int removed = 0;
        while (removed < count - 1 && startOffsets[removed + 1] <= startOffset)
        {
            removed++;
        }
        count -= removed;
        System.arraycopy(epochs, removed, epochs, 0, count);
        System.arraycopy(startOffsets, removed, startOffsets, 0, count);
        if (count > 0)
        {
            startOffsets[0] = Math.max(startOffsets[0], startOffset);
        }
    }

    /** Returns the largest epoch that is not above the requested one, or -1 if the log has not reached that. */
    int floor(final int requested)
    {
        if (count == 0 || requested < 0 || requested > epochs[count - 1])
        {
            return ModelLog.NONE;
        }
        for (int i = count - 1; i >= 0; i--)
        {
            if (epochs[i] <= requested)
            {
                return epochs[i];
            }
        }
        return requested; // before the first epoch: as brokers do
    }

    /** Returns the end of the epoch that {@link #floor} returns, or -1. */
    long endOffset(final int requested, final long logEndOffset)
    {
        if (floor(requested) == ModelLog.NONE)
        {
            return ModelLog.NONE;
        }
        for (int i = 0; i < count; i++)
        {
            if (epochs[i] > requested)
            {
                return startOffsets[i];
            }
        }
        return logEndOffset;
    }

    /** Returns the epoch of an offset, or -1. */
    int at(final long offset)
    {
        for (int i = count - 1; i >= 0; i--)
        {
            if (startOffsets[i] <= offset)
            {
                return epochs[i];
            }
        }
        return ModelLog.NONE;
    }
}
