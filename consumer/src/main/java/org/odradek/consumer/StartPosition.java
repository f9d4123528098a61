// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.EpochClock;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.protocol.control.ListOffsetsRequestEncoder;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * The position at which a partition begins to be read.
 */
public final class StartPosition
{
    private static final StartPosition EARLIEST =
        new StartPosition(false, ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP, PartitionTable.NULL_EPOCH, "earliest");
    private static final StartPosition LATEST =
        new StartPosition(false, ListOffsetsRequestEncoder.LATEST_TIMESTAMP, PartitionTable.NULL_EPOCH, "latest");

    private final boolean isOffset;
    private final long value;
    private final int leaderEpoch;
    private final String text;
    private final OffsetFile file;
    private final String groupId;
    private final StartPosition otherwise;
    private final Duration duration;

    private StartPosition(final boolean isOffset, final long value, final int leaderEpoch, final String text)
    {
        this.isOffset = isOffset;
        this.value = value;
        this.leaderEpoch = leaderEpoch;
        this.text = text;
        file = null;
        groupId = null;
        otherwise = null;
        duration = null;
    }

    private StartPosition(final OffsetFile file, final String groupId, final StartPosition otherwise)
    {
        this.file = file;
        this.groupId = groupId;
        this.otherwise = Objects.requireNonNull(otherwise, "otherwise");
        isOffset = false;
        value = -1;
        leaderEpoch = PartitionTable.NULL_EPOCH;
        duration = null;
        text = (file == null ? "committed by group " + groupId : "as in " + file.path()) + ", else " + otherwise;
    }

    private StartPosition(final Duration duration)
    {
        this.duration = duration;
        file = null;
        groupId = null;
        otherwise = null;
        isOffset = false;
        value = -1;
        leaderEpoch = PartitionTable.NULL_EPOCH;
        text = "by duration " + duration;
    }

    /** The first record of the log. */
    public static StartPosition earliest()
    {
        return EARLIEST;
    }

    /** The end of the log: only records that are written later are read. */
    public static StartPosition latest()
    {
        return LATEST;
    }

    /**
     * An offset. If the log does not hold it, the {@link org.odradek.consumer.handler.OffsetResetPolicy} decides.
     *
     * @param offset 0 or more.
     */
    public static StartPosition offset(final long offset)
    {
        if (offset < 0)
        {
            throw new IllegalArgumentException("start offset " + offset + " is negative: an offset is 0 or more");
        }
        return offset(offset, PartitionTable.NULL_EPOCH);
    }

    static StartPosition offset(final long offset, final int leaderEpoch)
    {
        return new StartPosition(true, offset, leaderEpoch, "offset " + offset);
    }

    /**
     * The first record that is not older than a timestamp, or the end of the log if there is none.
     *
     * @param timestampMs milliseconds since 1970.
     */
    public static StartPosition timestamp(final long timestampMs)
    {
        if (timestampMs < 0)
        {
            throw new IllegalArgumentException(
                "start timestamp " + timestampMs + " is negative: it is in milliseconds since 1970");
        }
        return new StartPosition(false, timestampMs, PartitionTable.NULL_EPOCH, "timestamp " + timestampMs);
    }

    /** As {@link #timestamp}, with the time when the partition is assigned less a duration. */
    static StartPosition byDuration(final Duration duration)
    {
        return new StartPosition(duration);
    }

    /**
     * The offset that a file holds for the partition when it is assigned.
     *
     * @param file      of the topic.
     * @param otherwise the position of a partition for which the file holds no offset. With {@link #earliest()}
     *                  nothing is missed of partitions that were added to the topic meanwhile.
     */
    public static StartPosition stored(final OffsetFile file, final StartPosition otherwise)
    {
        return new StartPosition(Objects.requireNonNull(file, "file"), null, otherwise);
    }

    /**
     * The offset that is committed under a group id when the partition is assigned. The group is not joined.
     *
     * @param groupId   of the group.
     * @param otherwise the position of a partition without a committed offset. With {@link #earliest()} nothing is
     *                  missed of partitions that were added to the topic meanwhile.
     */
    public static StartPosition committed(final String groupId, final StartPosition otherwise)
    {
        return new StartPosition(null, Objects.requireNonNull(groupId, "groupId"), otherwise);
    }

    /**
     * Replaces a position that is stored in a file by the offset that the file holds now, and a duration by a
     * timestamp.
     *
     * @param partition of the topic.
     * @param topic     whose offsets the file must hold.
     * @param clock     that a duration counts back from.
     */
    StartPosition at(final int partition, final String topic, final EpochClock clock)
    {
        StartPosition position = this;
        while (position.file != null)
        {
            checkTopic(position.file, topic);
            final long offset = position.file.offset(partition);
            position = offset == OffsetFile.NULL_OFFSET ? position.otherwise :
                offset(offset, position.file.leaderEpoch(partition));
        }
        return position.duration == null ? position :
            timestamp(Math.max(0, clock.time() - position.duration.toMillis()));
    }

    static void checkTopic(final OffsetFile file, final String topic)
    {
        if (!file.topic().equals(topic))
        {
            throw new IllegalArgumentException(
                "offset file " + file.path() + " is of topic " + file.topic() + ", not of " + topic);
        }
    }

    boolean isCommitted()
    {
        return groupId != null;
    }

    String groupId()
    {
        return groupId;
    }

    /** Adds the group of this position, if it has one, and those of the positions that it falls back to. */
    void addGroupsTo(final Set<String> groupIds)
    {
        for (StartPosition position = this; position != null; position = position.otherwise)
        {
            if (position.groupId != null)
            {
                groupIds.add(position.groupId);
            }
        }
    }

    StartPosition otherwise()
    {
        return otherwise;
    }

    boolean isOffset()
    {
        return isOffset;
    }

    int leaderEpoch()
    {
        return leaderEpoch;
    }

    long value()
    {
        return value;
    }

    @Override
    public String toString()
    {
        return text;
    }
}
