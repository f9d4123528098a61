// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The captured frames that are replayed: those with records that the capturing consumer delivered. Each of these frames
 * is a step; steps are numbered from 0. Successive steps with the same Fetch version and topic id form a run.
 */
final class ReplayPlan
{
    private final CapturedFrames frames;
    private final int[] steps;
    private final int[][] unwanted;
    private final FetchResponseFlyweight response = new FetchResponseFlyweight();

    ReplayPlan(final CapturedFrames frames)
    {
        this.frames = frames;
        final List<int[]> found = new ArrayList<>();
        steps = IntStream.range(0, frames.count()).filter((frame) -> add(frame, found)).toArray();
        unwanted = found.toArray(new int[0][]);
    }

    private boolean add(final int frame, final List<int[]> found)
    {
        if (frames.setCount(frame) == 0)
        {
            return false;
        }
        try
        {
            final int index = frames.frameIndex(frame);
            response.wrap(frames.buffer(), index + ResponseHeader.LENGTH, index + frames.frameLength(frame),
                frames.version(frame));
            final IntStream.Builder partitions = IntStream.builder();
            while (response.nextPartition())
            {
                if (isUnwanted(frame))
                {
                    partitions.add(response.partition());
                }
            }
            found.add(partitions.build().toArray());
            return true;
        }
        catch (final WireFormatException ignore)
        {
            return false;
        }
    }

    /**
     * Returns true if the current partition of the response must not reach the consumer: it has an error, redirects to
     * a replica, or has records that the capturing consumer discarded.
     */
    private boolean isUnwanted(final int frame)
    {
        final boolean isError = response.partitionErrorCode() != ErrorCode.NONE;
        if (isError || response.recordsLength() == 0)
        {
            return isError || response.preferredReadReplica() >= 0;
        }
        for (int set = 0; set < frames.setCount(frame); set++)
        {
            if (frames.partition(frame, set) == response.partition())
            {
                return false;
            }
        }
        return true;
    }

    int count()
    {
        return steps.length;
    }

    int frame(final int step)
    {
        return steps[step];
    }

    int[] unwanted(final int step)
    {
        return unwanted[step];
    }

    int runEnd(final int step)
    {
        int end = step + 1;
        while (end < steps.length && isSameRun(steps[step], steps[end]))
        {
            end++;
        }
        return end;
    }

    private boolean isSameRun(final int frame, final int other)
    {
        return frames.version(frame) == frames.version(other) &&
            frames.topicIdMostSignificantBits(frame) == frames.topicIdMostSignificantBits(other) &&
            frames.topicIdLeastSignificantBits(frame) == frames.topicIdLeastSignificantBits(other);
    }

    /** Returns the delivered partitions of the steps from {@code from} to {@code to - 1}, in ascending order. */
    int[] partitions(final int from, final int to)
    {
        return Arrays.stream(steps, from, to)
            .flatMap((frame) -> IntStream.range(0, frames.setCount(frame)).map((set) -> frames.partition(frame, set)))
            .distinct().sorted().toArray();
    }

    int partitionCount(final int from, final int to)
    {
        return Arrays.stream(partitions(from, to)).max().orElse(-1) + 1;
    }

    int maxFrameLength(final int from, final int to)
    {
        return Arrays.stream(steps, from, to).map(frames::frameLength).max().orElse(0);
    }
}
