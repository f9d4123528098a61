// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireReader;

/**
 * A view of a Produce response, versions 3 to 13. {@link #wrap} reads up to the first partition, and each call of
 * {@link #nextPartition} reads the next partition, over all topics. The values are valid until the next call or until
 * the buffer is filled again. Bytes after the end of the response are ignored, as by Kafka.
 * <pre>
 *  responses             array
 *    name | topicId      string up to 12, uuid from 13
 *    partitionResponses  array
 *      index             int32
 *      errorCode         int16
 *      baseOffset        int64
 *      logAppendTimeMs   int64
 *      logStartOffset    int64            from 5
 *      recordErrors      array            from 8   {batchIndex int32, message nullable string, tags}; the first is kept
 *      errorMessage      nullable string  from 8
 *      tags              from 9; from 10: 0 currentLeader
 *    tags                from 9
 *  throttleTimeMs        int32
 *  tags                  from 9; from 10: 0 nodeEndpoints
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Produce">Produce in the protocol guide</a>
 */
public final class ProduceResponseFlyweight
{
    public static final int NULL_NODE_ID = -1;
    public static final int NULL_EPOCH = -1;
    public static final long NULL_OFFSET = -1;
    public static final int NULL_RECORD = -1;

    private static final int FIRST_VERSION_WITH_LEADERS = 10;
    private static final int CURRENT_LEADER_TAG = 0;
    private static final int NODE_ENDPOINTS_TAG = 0;

    private static final int NULL_INDEX = -1;
    private static final int MIN_TOPIC_LENGTH = 3;
    private static final int MIN_PARTITION_LENGTH = 22;
    private static final int MIN_RECORD_ERROR_LENGTH = 6;

    private int version;
    private int limit;
    private int throttleTimeMs;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean isInTopic;
    private boolean isAtEnd;

    private int topicIndex;
    private int topicLength;
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;

    private int partition;
    private short partitionErrorCode;
    private long baseOffset;
    private long logAppendTimeMs;
    private long logStartOffset;
    private int currentLeaderId;
    private int currentLeaderEpoch;
    private int refusedRecord;
    private int messageIndex;
    private int messageLength;

    private DirectBuffer buffer;
    private final WireReader reader = new WireReader();
    private final NodeEndpointsFlyweight nodeEndpoints = new NodeEndpointsFlyweight();
    private int nodeEndpointsIndex;

    /** @param index first byte after the correlation id. */
    public ProduceResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.buffer = buffer;
        this.limit = limit;
        this.version = version;
        throttleTimeMs = 0;
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isAtEnd = true;
        nodeEndpointsIndex = NULL_INDEX;

        ResponseHeader.wrapBody(reader, ApiKey.PRODUCE, version, buffer, index, limit);
        topicsLeft = reader.arrayCount(Field.RESPONSES, MIN_TOPIC_LENGTH);
        isAtEnd = false;
        return this;
    }

    /** @return false after the last partition; then the end of the response has been read too. */
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
            readTopic();
        }
        partitionsLeft--;
        readPartition();
        return true;
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    /** 0 until {@link #nextPartition} has returned false. */
    public int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    /** Index of the name of the topic, up to version 12. */
    public int topicIndex()
    {
        return topicIndex;
    }

    /** 0 from version 13 on, which has the id of the topic instead. */
    public int topicLength()
    {
        return topicLength;
    }

    public long topicIdMostSignificantBits()
    {
        return topicIdMostSignificantBits;
    }

    public long topicIdLeastSignificantBits()
    {
        return topicIdLeastSignificantBits;
    }

    /** May be negative or repeated: the broker is not trusted to send each partition once. */
    public int partition()
    {
        return partition;
    }

    public short partitionErrorCode()
    {
        return partitionErrorCode;
    }

    /** The offset of the first record of the batch. Brokers send -1 with an error and for some duplicates. */
    public long baseOffset()
    {
        return baseOffset;
    }

    /** The timestamp that the broker has given to the records, or -1 if they keep their own. */
    public long logAppendTimeMs()
    {
        return logAppendTimeMs;
    }

    /** {@link #NULL_OFFSET} below version 5. */
    public long logStartOffset()
    {
        return logStartOffset;
    }

    /** The leader to which the broker refers, or {@link #NULL_NODE_ID}. */
    public int currentLeaderId()
    {
        return currentLeaderId;
    }

    public int currentLeaderEpoch()
    {
        return currentLeaderEpoch;
    }

    /**
     * The first record that the broker names as the reason of an error, counted from 0 in its batch, or {@link
     * #NULL_RECORD}. Any number may come from the wire.
     */
    public int refusedRecord()
    {
        return refusedRecord;
    }

    /** Index of what the broker says about that record, or else about the batch. */
    public int messageIndex()
    {
        return messageIndex;
    }

    /** Length of that text in bytes; 0 or less if there is none. */
    public int messageLength()
    {
        return messageLength;
    }

    /**
     * The addresses of leaders; empty until {@link #nextPartition} has returned false. Each call returns the same
     * object.
     */
    public NodeEndpointsFlyweight nodeEndpoints()
    {
        return NULL_INDEX == nodeEndpointsIndex ?
            nodeEndpoints.clear() : nodeEndpoints.wrap(buffer, nodeEndpointsIndex, limit);
    }

    int index()
    {
        return reader.index();
    }

    private void readTopic()
    {
        topicsLeft--;
        if (version >= ProduceRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID)
        {
            reader.uuid(Field.TOPIC_ID);
            topicIdMostSignificantBits = reader.mostSignificantBits();
            topicIdLeastSignificantBits = reader.leastSignificantBits();
            topicLength = 0;
        }
        else
        {
            topicIdMostSignificantBits = 0;
            topicIdLeastSignificantBits = 0;
            topicLength = reader.string(Field.NAME);
            topicIndex = reader.valueIndex();
        }
        partitionsLeft = reader.arrayCount(
            Field.PARTITION_RESPONSES, MIN_PARTITION_LENGTH, WireLimits.MAX_PARTITIONS);
        isInTopic = true;
    }

    private void readPartition()
    {
        partition = reader.int32(Field.INDEX);
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        baseOffset = reader.int64(Field.BASE_OFFSET);
        logAppendTimeMs = reader.int64(Field.LOG_APPEND_TIME_MS);
        logStartOffset = version >= 5 ? reader.int64(Field.LOG_START_OFFSET) : NULL_OFFSET;
        refusedRecord = NULL_RECORD;
        messageLength = 0;
        if (version >= 8)
        {
            readErrors();
        }
        readPartitionTags();
    }

    private void readErrors()
    {
        final int count = reader.arrayCount(Field.RECORD_ERRORS, MIN_RECORD_ERROR_LENGTH);
        for (int i = 0; i < count; i++)
        {
            final int batchIndex = reader.int32(Field.BATCH_INDEX);
            final int length = reader.nullableString(Field.BATCH_INDEX_ERROR_MESSAGE);
            if (0 == i)
            {
                refusedRecord = batchIndex;
                message(length);
            }
            reader.skipTags();
        }
        final int length = reader.nullableString(Field.ERROR_MESSAGE);
        if (messageLength <= 0)
        {
            message(length);
        }
    }

    private void message(final int length)
    {
        messageLength = length;
        messageIndex = reader.valueIndex();
    }

    private void readPartitionTags()
    {
        currentLeaderId = NULL_NODE_ID;
        currentLeaderEpoch = NULL_EPOCH;
        final int count = reader.tagCount();
        for (int i = 0; i < count; i++)
        {
            final int tag = reader.uvarint(Field.TAG);
            final int end = reader.tagEnd();
            if (CURRENT_LEADER_TAG == tag && version >= FIRST_VERSION_WITH_LEADERS)
            {
                currentLeaderId = reader.int32(Field.LEADER_ID);
                currentLeaderEpoch = reader.int32(Field.LEADER_EPOCH);
                reader.skipTags();
                reader.checkTagEnd(Field.CURRENT_LEADER, end);
            }
            else
            {
                reader.index(end);
            }
        }
    }

    private void readEnd()
    {
        if (isAtEnd)
        {
            return;
        }
        isAtEnd = true;
        final int throttle = reader.int32(Field.THROTTLE_TIME_MS);
        int endpointsIndex = NULL_INDEX;
        final int count = reader.tagCount();
        for (int i = 0; i < count; i++)
        {
            final int tag = reader.uvarint(Field.TAG);
            final int end = reader.tagEnd();
            if (NODE_ENDPOINTS_TAG == tag && version >= FIRST_VERSION_WITH_LEADERS)
            {
                endpointsIndex = reader.index();
                reader.index(nodeEndpoints.end(buffer, endpointsIndex, limit));
                reader.checkTagEnd(Field.NODE_ENDPOINTS, end);
            }
            else
            {
                reader.index(end);
            }
        }
        throttleTimeMs = throttle;
        nodeEndpointsIndex = endpointsIndex;
    }
}
