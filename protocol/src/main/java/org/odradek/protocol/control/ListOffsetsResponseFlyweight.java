// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;

/**
 * A view of a ListOffsets response, versions 1 to 11. {@link #wrap} reads up to the first partition, and each call of
 * {@link #nextPartition} reads the next partition, over all topics. The values are valid until the next call or until
 * the buffer is filled again. Bytes after the end of the response are ignored, as by Kafka.
 * <pre>
 *  throttleTimeMs      int32   from 2
 *  topics              array
 *    name              string
 *    partitions        array
 *      partitionIndex  int32
 *      errorCode       int16
 *      timestamp       int64
 *      offset          int64
 *      leaderEpoch     int32   from 4
 *      tags            from 6
 *    tags              from 6
 *  tags                from 6
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_ListOffsets">ListOffsets in the protocol guide</a>
 */
public final class ListOffsetsResponseFlyweight extends PartitionsResponseFlyweight
{
    public static final int NULL_EPOCH = -1;

    /** The offset if there is no record at or after the timestamp, which is not an error. */
    public static final long NULL_OFFSET = -1;

    private static final int MIN_PARTITION_LENGTH = 22;

    private int version;
    private long timestamp;
    private long offset;
    private int leaderEpoch;

    public ListOffsetsResponseFlyweight()
    {
        super(Field.NAME, MIN_PARTITION_LENGTH);
    }

    /** @param index first byte after the correlation id. */
    public ListOffsetsResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.version = version;
        wrapPartitions(ApiKey.LIST_OFFSETS, version, buffer, index, limit);
        throttleTimeMs = version >= 2 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
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
        partition = reader.int32(Field.PARTITION_INDEX);
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        timestamp = reader.int64(Field.TIMESTAMP);
        offset = reader.int64(Field.OFFSET);
        leaderEpoch = version >= 4 ? reader.int32(Field.LEADER_EPOCH) : NULL_EPOCH;
        reader.skipTags();
        return true;
    }

    public long timestamp()
    {
        return timestamp;
    }

    public long offset()
    {
        return offset;
    }

    public int leaderEpoch()
    {
        return leaderEpoch;
    }
}
