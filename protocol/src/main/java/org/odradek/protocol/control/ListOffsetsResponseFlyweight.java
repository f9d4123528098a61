// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireReader;

/**
 * Offsets by timestamp, versions 1 to 11, read in place: {@link #wrap} reads up to the first partition, every {@link
 * #nextPartition} the next one, over all topics. What it gives is valid until the next partition is read or the frame's
 * buffer is filled again. Bytes after the end of the response are ignored, as Kafka does.
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
public final class ListOffsetsResponseFlyweight
{
    public static final int NULL_EPOCH = -1;

    /** The offset when there is no record at or after the timestamp, which is not an error. */
    public static final long NULL_OFFSET = -1;

    private static final int MIN_TOPIC_LENGTH = 3;
    private static final int MIN_PARTITION_LENGTH = 22;

    private final WireReader reader = new WireReader();
    private int version;
    private int throttleTimeMs;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean isInTopic;
    private boolean isAtEnd;
    private int topicIndex;
    private int topicLength;
    private int partition;
    private short partitionErrorCode;
    private long timestamp;
    private long offset;
    private int leaderEpoch;

    /** @param index first byte after the correlation id. */
    public ListOffsetsResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.version = version;
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isAtEnd = true;
        ResponseHeader.wrapBody(reader, ApiKey.LIST_OFFSETS, version, buffer, index, limit);
        throttleTimeMs = version >= 2 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
        topicsLeft = reader.arrayCount(Field.TOPICS, MIN_TOPIC_LENGTH);
        isAtEnd = false;
        return this;
    }

    /** @return false after the last partition; then all that ends the response has been read too. */
    public boolean nextPartition()
    {
        while (0 == partitionsLeft)
        {
            if (isInTopic)
            {
                isInTopic = false;
                reader.skipTags();
            }
            if (0 == topicsLeft)
            {
                readEnd();
                return false;
            }
            topicsLeft--;
            topicLength = reader.string(Field.NAME);
            topicIndex = reader.valueIndex();
            partitionsLeft = reader.arrayCount(Field.PARTITIONS, MIN_PARTITION_LENGTH);
            isInTopic = true;
        }
        partitionsLeft--;
        partition = reader.int32(Field.PARTITION_INDEX);
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        timestamp = reader.int64(Field.TIMESTAMP);
        offset = reader.int64(Field.OFFSET);
        leaderEpoch = version >= 4 ? reader.int32(Field.LEADER_EPOCH) : NULL_EPOCH;
        reader.skipTags();
        return true;
    }

    public DirectBuffer buffer()
    {
        return reader.buffer();
    }

    public int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    public int topicIndex()
    {
        return topicIndex;
    }

    public int topicLength()
    {
        return topicLength;
    }

    public int partition()
    {
        return partition;
    }

    public short partitionErrorCode()
    {
        return partitionErrorCode;
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

    int index()
    {
        return reader.index();
    }

    private void readEnd()
    {
        if (!isAtEnd)
        {
            isAtEnd = true;
            reader.skipTags();
        }
    }
}
