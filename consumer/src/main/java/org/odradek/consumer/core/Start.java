// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.agrona.concurrent.EpochClock;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.time.Duration;
import java.util.Set;

/**
 * The position at which the consumer begins to read a partition.
 *
 * @param value   the offset, or the timestamp in the form of a ListOffsets request.
 * @param groupId the group at whose committed offset the partition begins, or null.
 */
public record Start(
    boolean isOffset, long value, int leaderEpoch, String groupId, Start otherwise, Finder finder, String text)
{
    public static final Start EARLIEST = timestamp(ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP, "earliest");
    public static final Start LATEST = timestamp(ListOffsetsRequestEncoder.LATEST_TIMESTAMP, "latest");
    public static final int NULL_EPOCH = -1;

    public interface Finder
    {
        Start find(int partition, String topic, EpochClock clock);
    }

    public static Start offset(final long offset, final int leaderEpoch)
    {
        return new Start(true, offset, leaderEpoch, null, null, null, "offset " + offset);
    }

    public static Start timestamp(final long timestamp, final String text)
    {
        return new Start(false, timestamp, NULL_EPOCH, null, null, null, text);
    }

    public static Start byDuration(final Duration duration)
    {
        return foundBy("by duration " + duration, null, (partition, topic, clock) ->
        {
            final long timestampMs = Math.max(0, clock.time() - duration.toMillis());
            return timestamp(timestampMs, "timestamp " + timestampMs);
        });
    }

    public static Start committed(final String groupId, final Start otherwise)
    {
        return new Start(
            false, -1, NULL_EPOCH, groupId, otherwise, null, "committed by group " + groupId + ", else " + otherwise);
    }

    /** @param otherwise the start that the finder may return instead, or null. */
    public static Start foundBy(final String text, final Start otherwise, final Finder finder)
    {
        return new Start(false, -1, NULL_EPOCH, null, otherwise, finder, text);
    }

    public Start at(final int partition, final String topic, final EpochClock clock)
    {
        Start start = this;
        while (start.finder != null)
        {
            start = start.finder.find(partition, topic, clock);
        }
        return start;
    }

    void addGroupsTo(final Set<String> groupIds)
    {
        for (Start start = this; start != null; start = start.otherwise)
        {
            if (start.groupId != null)
            {
                groupIds.add(start.groupId);
            }
        }
    }

    @Override
    public String toString()
    {
        return text;
    }
}
