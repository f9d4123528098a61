// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.agrona.concurrent.EpochClock;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.time.Duration;
import java.util.Set;

/**
 * Where a partition begins to be read: at an offset, at the offset of a timestamp, at the offset that a group has
 * committed, or at what is found out when the partition is assigned.
 *
 * @param value   the offset, or the timestamp as ListOffsets takes it.
 * @param groupId the group whose committed offset is meant, or null.
 */
public record Start(
    boolean isOffset, long value, int leaderEpoch, String groupId, Start otherwise, Finder finder, String text)
{
    public static final Start EARLIEST = timestamp(ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP, "earliest");
    public static final Start LATEST = timestamp(ListOffsetsRequestEncoder.LATEST_TIMESTAMP, "latest");
    public static final int NULL_EPOCH = -1;

    /** Finds out where a partition begins. */
    public interface Finder
    {
        Start find(int partition, String topic, EpochClock clock);
    }

    public static Start offset(final long offset, final int leaderEpoch)
    {
        return new Start(true, offset, leaderEpoch, null, null, null, "offset " + offset);
    }

    /** @param timestamp as ListOffsets takes it. */
    public static Start timestamp(final long timestamp, final String text)
    {
        return new Start(false, timestamp, NULL_EPOCH, null, null, null, text);
    }

    /** The time when the partition is assigned less a duration. */
    public static Start byDuration(final Duration duration)
    {
        return foundBy("by duration " + duration, null, (partition, topic, clock) ->
        {
            final long timestampMs = Math.max(0, clock.time() - duration.toMillis());
            return timestamp(timestampMs, "timestamp " + timestampMs);
        });
    }

    /** @param otherwise where a partition begins for which the group has committed nothing. */
    public static Start committed(final String groupId, final Start otherwise)
    {
        return new Start(
            false, -1, NULL_EPOCH, groupId, otherwise, null, "committed by group " + groupId + ", else " + otherwise);
    }

    /** @param otherwise that the finder may return, or null. */
    public static Start foundBy(final String text, final Start otherwise, final Finder finder)
    {
        return new Start(false, -1, NULL_EPOCH, null, otherwise, finder, text);
    }

    /** Replaces a start that has to be found out by what is true now. */
    public Start at(final int partition, final String topic, final EpochClock clock)
    {
        Start start = this;
        while (start.finder != null)
        {
            start = start.finder.find(partition, topic, clock);
        }
        return start;
    }

    /** Adds the group of this start, if it has one, and those of the starts that it falls back to. */
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
