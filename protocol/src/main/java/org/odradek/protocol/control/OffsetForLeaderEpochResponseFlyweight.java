// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;

/**
 * A view of an OffsetForLeaderEpoch response, versions 3 and 4. {@link #wrap} reads up to the first partition, and each
 * call of {@link #nextPartition} reads the next partition, over all topics. The values are valid until the next call or
 * until the buffer is filled again. Bytes after the end of the response are ignored, as by Kafka.
 * <pre>
 *  throttleTimeMs      int32
 *  topics              array
 *    topic             string
 *    partitions        array
 *      errorCode       int16
 *      partition       int32
 *      leaderEpoch     int32
 *      endOffset       int64
 *      tags            from 4
 *    tags              from 4
 *  tags                from 4
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_OffsetForLeaderEpoch">OffsetForLeaderEpoch in the
 * protocol guide</a>
 */
public final class OffsetForLeaderEpochResponseFlyweight extends PartitionsResponseFlyweight
{
    /** The epoch if the leader knows no epoch up to the requested one, which is not an error. */
    public static final int NULL_EPOCH = -1;

    /** The end offset in that case. */
    public static final long NULL_OFFSET = -1;

    private static final int MIN_PARTITION_LENGTH = 18;

    private int leaderEpoch;
    private long endOffset;

    public OffsetForLeaderEpochResponseFlyweight()
    {
        super(Field.TOPIC, MIN_PARTITION_LENGTH);
    }

    /** @param index first byte after the correlation id. */
    public OffsetForLeaderEpochResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapPartitions(ApiKey.OFFSET_FOR_LEADER_EPOCH, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        beginTopics(false);
        return this;
    }

    /** @return false after the last partition; then the end of the response has been read too. */
    public boolean nextPartition()
    {
        if (!nextOrEnd())
        {
            return false;
        }
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        partition = reader.int32(Field.PARTITION);
        leaderEpoch = reader.int32(Field.LEADER_EPOCH);
        endOffset = reader.int64(Field.END_OFFSET);
        reader.skipTags();
        return true;
    }

    /** The largest epoch in the log of the leader that is not greater than the requested one. */
    public int leaderEpoch()
    {
        return leaderEpoch;
    }

    /** The offset after the last record of that epoch. */
    public long endOffset()
    {
        return endOffset;
    }
}
