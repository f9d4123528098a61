// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.odradek.consumer.capture.CapturedFrames;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.fetch.FetchResponseFlyweight;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Which captured frames are replayed: those of which something was taken in to be delivered. They fall into runs, in
 * each of which the version of Fetch and the id of the topic are the same, so that one consumer can read it. Made once.
 */
final class ReplayPlan
{
    private final CapturedFrames frames;
    private final int[] order;
    private final boolean[] isMixed;
    private final FetchResponseFlyweight response = new FetchResponseFlyweight();

    ReplayPlan(final CapturedFrames frames)
    {
        this.frames = frames;
        order = IntStream.range(0, frames.count()).filter(this::hasRecords).toArray();
        isMixed = new boolean[order.length];
        for (int i = 0; i < order.length; i++)
        {
            final int place = i;
            forEachUnwanted(i, (partition) -> isMixed[place] = true);
        }
    }

    private boolean hasRecords(final int frame)
    {
        try
        {
            wrap(frame);
            while (response.nextPartition())
            {
                continue;
            }
            return frames.setCount(frame) > 0;
        }
        catch (final WireFormatException ignore)
        {
            return false;
        }
    }

    private void wrap(final int frame)
    {
        final int index = frames.frameIndex(frame);
        response.wrap(frames.buffer(), index + ResponseHeader.LENGTH, index + frames.frameLength(frame),
            frames.version(frame));
    }

    /**
     * How many frames there are to replay.
     */
    int count()
    {
        return order.length;
    }

    /**
     * The number of the frame at a place.
     */
    int frame(final int place)
    {
        return order[place];
    }

    /**
     * Whether a frame holds partitions that must not reach the consumer.
     */
    boolean isMixed(final int place)
    {
        return isMixed[place];
    }

    /**
     * Name the partitions of a frame that must not reach the consumer: what was dropped then, because the consumer had
     * gone elsewhere meanwhile, errors, and the names of replicas, of which there are none here.
     */
    void forEachUnwanted(final int place, final IntConsumer partitions)
    {
        wrap(order[place]);
        while (response.nextPartition())
        {
            if (response.partitionErrorCode() != ErrorCode.NONE || response.recordsLength() == 0 ?
                response.partitionErrorCode() != ErrorCode.NONE || response.preferredReadReplica() >= 0 :
                !isTaken(order[place], response.partition()))
            {
                partitions.accept(response.partition());
            }
        }
    }

    private boolean isTaken(final int frame, final int partition)
    {
        for (int set = 0; set < frames.setCount(frame); set++)
        {
            if (frames.partition(frame, set) == partition)
            {
                return true;
            }
        }
        return false;
    }

    /**
     * The first place behind the run that a place is in.
     */
    int runEnd(final int place)
    {
        int end = place + 1;
        while (end < order.length && isAlike(order[place], order[end]))
        {
            end++;
        }
        return end;
    }

    private boolean isAlike(final int frame, final int other)
    {
        return frames.version(frame) == frames.version(other) &&
            frames.topicIdMostSignificantBits(frame) == frames.topicIdMostSignificantBits(other) &&
            frames.topicIdLeastSignificantBits(frame) == frames.topicIdLeastSignificantBits(other);
    }

    /**
     * The partitions of the frames from one place to before another, in order.
     */
    int[] partitions(final int from, final int to)
    {
        return Arrays.stream(order, from, to)
            .flatMap((frame) -> IntStream.range(0, frames.setCount(frame)).map((set) -> frames.partition(frame, set)))
            .distinct().sorted().toArray();
    }

    /**
     * The largest frame from one place to before another, in bytes.
     */
    int maxFrameLength(final int from, final int to)
    {
        return Arrays.stream(order, from, to).map(frames::frameLength).max().orElse(0);
    }
}
