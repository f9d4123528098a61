// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.NodeEndpointsFlyweight;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireReader;

/**
 * A view of a Fetch response, versions 4 to 18. {@link #wrap} reads up to the first partition, and each call of
 * {@link #nextPartition} reads the next partition, over all topics. The values are valid until the next call or until
 * the buffer is filled again. Bytes after the end of the response are ignored, as by Kafka.
 * <pre>
 *  throttleTimeMs      int32
 *  errorCode           int16   from 7
 *  sessionId           int32   from 7
 *  responses           array
 *    topic | topicId   string up to 12, uuid from 13
 *    partitions        array
 *      partitionIndex        int32
 *      errorCode             int16
 *      highWatermark         int64
 *      lastStableOffset      int64
 *      logStartOffset        int64   from 5
 *      abortedTransactions   nullable array {producerId int64, firstOffset int64, tags}
 *      preferredReadReplica  int32   from 11
 *      records               nullable bytes
 *      tags                  from 12: 0 divergingEpoch (skipped), 1 currentLeader, 2 snapshotId (skipped)
 *    tags              from 12
 *  tags                from 12; from 16: 0 nodeEndpoints
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Fetch">Fetch in the protocol guide</a>
 */
public final class FetchResponseFlyweight
{
    public static final int NULL_PARTITION = -1;
    public static final int NULL_NODE_ID = -1;
    public static final int NULL_EPOCH = -1;
    public static final long NULL_OFFSET = -1;

    private static final int CURRENT_LEADER_TAG = 1;
    private static final int NODE_ENDPOINTS_TAG = 0;

    private static final int NULL_INDEX = -1;
    private static final int MIN_TOPIC_LENGTH = 3;
    private static final int MIN_PARTITION_LENGTH = 30;
    private static final int ABORTED_TRANSACTION_LENGTH = 2 * Long.BYTES;

    private int version;
    private int limit;
    private int throttleTimeMs;
    private short errorCode;
    private int sessionId;
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
    private long highWatermark;
    private long lastStableOffset;
    private long logStartOffset;
    private int abortedTransactionCount;
    private int abortedTransactionsIndex;
    private int preferredReadReplica;
    private int recordsIndex;
    private int recordsLength;
    private int currentLeaderId;
    private int currentLeaderEpoch;

    private DirectBuffer buffer;
    private final WireReader reader = new WireReader();
    private final NodeEndpointsFlyweight nodeEndpoints = new NodeEndpointsFlyweight();
    private int nodeEndpointsIndex;

    /**
     * @param index first byte after the correlation id.
     * @param limit first index after the frame, or after the part of it that has been received.
     */
    public FetchResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.buffer = buffer;
        this.limit = limit;
        this.version = version;
        topicsLeft = 0;
        partitionsLeft = 0;
        isInTopic = false;
        isAtEnd = true;
        nodeEndpointsIndex = NULL_INDEX;
        clearPartition();

        ResponseHeader.wrapBody(reader, ApiKey.FETCH, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        errorCode = version >= 7 ? reader.int16(Field.ERROR_CODE) : 0;
        sessionId = version >= 7 ? reader.int32(Field.SESSION_ID) : 0;
        topicsLeft = reader.arrayCount(Field.RESPONSES, MIN_TOPIC_LENGTH);
        isAtEnd = false;
        return this;
    }

    /**
     * Reads the next partition. If its record set is longer than the bytes left, {@link #partition()} and
     * {@link #recordsLength()} are set and {@link #isRecordSetCutOff()} is true when the exception is thrown, so that a
     * caller that has received only a part of the frame can report the partition and the size that did not fit.
     *
     * @return false after the last partition; then the end of the response has been read too.
     */
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
        clearPartition();
        readPartition();
        return true;
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    public int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    /** The error of the whole response; 0 below version 7. */
    public short errorCode()
    {
        return errorCode;
    }

    /** 0 if there is no session. */
    public int sessionId()
    {
        return sessionId;
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

    public int partition()
    {
        return partition;
    }

    public short partitionErrorCode()
    {
        return partitionErrorCode;
    }

    public long highWatermark()
    {
        return highWatermark;
    }

    public long lastStableOffset()
    {
        return lastStableOffset;
    }

    public long logStartOffset()
    {
        return logStartOffset;
    }

    /** 0 for null and for empty. */
    public int abortedTransactionCount()
    {
        return abortedTransactionCount;
    }

    public int abortedTransactionsIndex()
    {
        return abortedTransactionsIndex;
    }

    public int preferredReadReplica()
    {
        return preferredReadReplica;
    }

    public int recordsIndex()
    {
        return recordsIndex;
    }

    /** 0 for null and for empty. */
    public int recordsLength()
    {
        return recordsLength;
    }

    /** True after {@link #nextPartition} has thrown because the record set ends after the limit. */
    public boolean isRecordSetCutOff()
    {
        return recordsLength > limit - recordsIndex;
    }

    public int currentLeaderId()
    {
        return currentLeaderId;
    }

    public int currentLeaderEpoch()
    {
        return currentLeaderEpoch;
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

    private void clearPartition()
    {
        partition = NULL_PARTITION;
        partitionErrorCode = 0;
        abortedTransactionCount = 0;
        abortedTransactionsIndex = 0;
        recordsIndex = 0;
        recordsLength = 0;
        currentLeaderId = NULL_NODE_ID;
        currentLeaderEpoch = NULL_EPOCH;
    }

    private void readTopic()
    {
        topicsLeft--;
        if (version >= 13)
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
            topicLength = reader.string(Field.TOPIC);
            topicIndex = reader.valueIndex();
        }
        partitionsLeft = reader.arrayCount(Field.PARTITIONS, MIN_PARTITION_LENGTH, WireLimits.MAX_PARTITIONS);
        isInTopic = true;
    }

    private void readPartition()
    {
        partition = reader.int32(Field.PARTITION_INDEX);
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        highWatermark = reader.int64(Field.HIGH_WATERMARK);
        lastStableOffset = reader.int64(Field.LAST_STABLE_OFFSET);
        logStartOffset = version >= 5 ? reader.int64(Field.LOG_START_OFFSET) : NULL_OFFSET;
        readAbortedTransactions();
        preferredReadReplica = version >= 11 ? reader.int32(Field.PREFERRED_READ_REPLICA) : NULL_NODE_ID;
        readRecords();
        readPartitionTags();
    }

    private void readAbortedTransactions()
    {
        final int count =
            Math.max(0, reader.nullableArrayCount(Field.ABORTED_TRANSACTIONS, ABORTED_TRANSACTION_LENGTH));
        abortedTransactionsIndex = reader.index();
        abortedTransactionCount = count;
        if (!reader.isFlexible())
        {
            reader.skip(Field.ABORTED_TRANSACTIONS, count * ABORTED_TRANSACTION_LENGTH);
            return;
        }
        for (int i = 0; i < count; i++)
        {
            reader.skip(Field.ABORTED_TRANSACTIONS, ABORTED_TRANSACTION_LENGTH);
            reader.skipTags();
        }
    }

    private void readRecords()
    {
        final int length = Math.max(0, reader.nullableLength(Field.RECORDS));
        recordsIndex = reader.index();
        recordsLength = length;
        reader.skip(Field.RECORDS, length);
    }

    private void readPartitionTags()
    {
        final int count = reader.tagCount();
        for (int i = 0; i < count; i++)
        {
            final int tag = reader.uvarint(Field.TAG);
            final int end = reader.tagEnd();
            switch (tag)
            {
                case CURRENT_LEADER_TAG:
                    currentLeaderId = reader.int32(Field.CURRENT_LEADER_ID);
                    currentLeaderEpoch = reader.int32(Field.CURRENT_LEADER_EPOCH);
                    reader.skipTags();
                    reader.checkTagEnd(Field.CURRENT_LEADER, end);
                    break;

                default:
                    reader.index(end);
                    break;
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
        int endpointsIndex = NULL_INDEX;
        final int count = reader.tagCount();
        for (int i = 0; i < count; i++)
        {
            final int tag = reader.uvarint(Field.TAG);
            final int end = reader.tagEnd();
            if (NODE_ENDPOINTS_TAG == tag && version >= 16)
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
        nodeEndpointsIndex = endpointsIndex;
    }
}
