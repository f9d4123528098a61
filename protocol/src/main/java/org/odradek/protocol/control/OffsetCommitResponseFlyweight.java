// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireReader;

/**
 * Which offsets were stored, versions 2 to 10, read in place: {@link #wrap} reads up to the first partition, every
 * {@link #nextPartition} the next one, over all topics. What it gives is valid until the next partition is read or the
 * frame's buffer is filled again. Bytes after the end of the response are ignored, as Kafka does.
 * <pre>
 *  throttleTimeMs      int32   from 3
 *  topics              array
 *    name              string  up to 9
 *    topicId           uuid    from 10
 *    partitions        array
 *      partitionIndex  int32
 *      errorCode       int16
 *      tags            from 8
 *    tags              from 8
 *  tags                from 8
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_OffsetCommit">OffsetCommit in the protocol
 *     guide</a>
 */
public final class OffsetCommitResponseFlyweight
{
    private static final int MIN_TOPIC_LENGTH = 3;
    private static final int MIN_PARTITION_LENGTH = 6;

    private final WireReader reader = new WireReader();
    private final AnsweredTopic topic = new AnsweredTopic();
    private int version;
    private int throttleTimeMs;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean isInTopic;
    private boolean isAtEnd;
    private int partition;
    private short partitionErrorCode;

    /** @param index first byte after the correlation id. */
    public OffsetCommitResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.version = version;
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isAtEnd = true;
        ResponseHeader.wrapBody(reader, ApiKey.OFFSET_COMMIT, version, buffer, index, limit);
        throttleTimeMs = version >= 3 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
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
            topic.read(reader, version >= OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
            partitionsLeft = reader.arrayCount(Field.PARTITIONS, MIN_PARTITION_LENGTH);
            isInTopic = true;
        }
        partitionsLeft--;
        partition = reader.int32(Field.PARTITION_INDEX);
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        reader.skipTags();
        return true;
    }

    public int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    /** The topic of the partition that was read last. */
    public AnsweredTopic topic()
    {
        return topic;
    }

    public int partition()
    {
        return partition;
    }

    public short partitionErrorCode()
    {
        return partitionErrorCode;
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
