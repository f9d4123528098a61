// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireReader;

/**
 * Where leader epochs end, versions 3 and 4, read in place: {@link #wrap} reads up to the first partition, every {@link
 * #nextPartition} the next one, over all topics. What it gives is valid until the next partition is read or the frame's
 * buffer is filled again. Bytes after the end of the response are ignored, as Kafka does.
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
public final class OffsetForLeaderEpochResponseFlyweight
{
    /** The epoch when the leader knows none up to the one asked for, which is not an error. */
    public static final int NULL_EPOCH = -1;

    /** The end in that case. */
    public static final long NULL_OFFSET = -1;

    private static final int MIN_TOPIC_LENGTH = 3;
    private static final int MIN_PARTITION_LENGTH = 18;

    private final WireReader reader = new WireReader();
    private int throttleTimeMs;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean isInTopic;
    private boolean isAtEnd;
    private int topicIndex;
    private int topicLength;
    private int partition;
    private short partitionErrorCode;
    private int leaderEpoch;
    private long endOffset;

    /** @param index first byte after the correlation id. */
    public OffsetForLeaderEpochResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isAtEnd = true;
        ResponseHeader.wrapBody(reader, ApiKey.OFFSET_FOR_LEADER_EPOCH, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
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
            topicLength = reader.string(Field.TOPIC);
            topicIndex = reader.valueIndex();
            partitionsLeft = reader.arrayCount(Field.PARTITIONS, MIN_PARTITION_LENGTH);
            isInTopic = true;
        }
        partitionsLeft--;
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        partition = reader.int32(Field.PARTITION);
        leaderEpoch = reader.int32(Field.LEADER_EPOCH);
        endOffset = reader.int64(Field.END_OFFSET);
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

    /** The largest epoch in the leader's log that is not above the one asked for. */
    public int leaderEpoch()
    {
        return leaderEpoch;
    }

    /** The offset behind the last record of that epoch. */
    public long endOffset()
    {
        return endOffset;
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
