// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.core.Start;

import java.util.Objects;

/**
 * The position at which the consumer begins to read a partition.
 */
public final class StartPosition
{
    private static final StartPosition EARLIEST = new StartPosition(Start.EARLIEST);
    private static final StartPosition LATEST = new StartPosition(Start.LATEST);

    final Start start;

    private StartPosition(final Start start)
    {
        this.start = start;
    }

    static StartPosition of(final Start start)
    {
        return start == null ? null : start == Start.EARLIEST ? EARLIEST : start == Start.LATEST ? LATEST :
            new StartPosition(start);
    }

    static Start start(final StartPosition position)
    {
        return position == null ? null : position.start;
    }

    /** Begins at the first record of the log. */
    public static StartPosition earliest()
    {
        return EARLIEST;
    }

    /**
     * Begins at the end that the log has when the consumer looks up the offset: at the high watermark or, with {@link
     * IsolationLevel#READ_COMMITTED}, at the last stable offset.
     */
    public static StartPosition latest()
    {
        return LATEST;
    }

    /**
     * Begins at an offset. If the log does not hold this offset, the {@link
     * org.odradek.consumer.handler.OffsetResetPolicy} determines what happens to the partition.
     *
     * @param offset the offset of the first record to read, 0 or more.
     * @throws IllegalArgumentException if the argument is negative.
     */
    public static StartPosition offset(final long offset)
    {
        if (offset < 0)
        {
            throw new IllegalArgumentException("start offset " + offset + " is negative: an offset is 0 or more");
        }
        return new StartPosition(Start.offset(offset, Start.NULL_EPOCH));
    }

    /**
     * Begins at the first record whose timestamp is the given one or a later one, or at the end of the log if there is
     * no such record.
     *
     * @param timestampMs the timestamp in milliseconds since 1970, 0 or more.
     * @throws IllegalArgumentException if the argument is negative.
     */
    public static StartPosition timestamp(final long timestampMs)
    {
        if (timestampMs < 0)
        {
            throw new IllegalArgumentException(
                "start timestamp " + timestampMs + " is negative: it is in milliseconds since 1970");
        }
        return new StartPosition(Start.timestamp(timestampMs, "timestamp " + timestampMs));
    }

    /**
     * Begins at the offset that a file holds for the partition. The call that assigns the partition, which may be a
     * poll, throws an IllegalArgumentException if the file belongs to another topic.
     *
     * @param file      the offset file of the topic.
     * @param otherwise the position of a partition for which the file holds no offset.
     */
    public static StartPosition stored(final OffsetFile file, final StartPosition otherwise)
    {
        Objects.requireNonNull(file, "file");
        final Start other = Objects.requireNonNull(otherwise, "otherwise").start;
        return new StartPosition(Start.foundBy("as in " + file.path() + ", else " + other, other,
            (partition, topic, clock) ->
            {
                checkTopic(file, topic);
                final long offset = file.offset(partition);
                return offset == OffsetFile.NULL_OFFSET ? other : Start.offset(offset, file.leaderEpoch(partition));
            }));
    }

    /**
     * Begins at the offset that is committed under a group id. The consumer does not join the group.
     *
     * @param otherwise the position of a partition without a committed offset.
     */
    public static StartPosition committed(final String groupId, final StartPosition otherwise)
    {
        return new StartPosition(Start.committed(
            Objects.requireNonNull(groupId, "groupId"), Objects.requireNonNull(otherwise, "otherwise").start));
    }

    static void checkTopic(final OffsetFile file, final String topic)
    {
        if (!file.topic().equals(topic))
        {
            throw new IllegalArgumentException(
                "offset file " + file.path() + " is of topic " + file.topic() + ", not of " + topic);
        }
    }

    @Override
    public String toString()
    {
        return start.toString();
    }
}
