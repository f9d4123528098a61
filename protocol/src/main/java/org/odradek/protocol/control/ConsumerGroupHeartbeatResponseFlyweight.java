// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireReader;

/**
 * A view of a ConsumerGroupHeartbeat response, version 1. {@link #wrap} reads up to the first assigned partition, and
 * each call of {@link #nextPartition} reads the next one, over all topics. A response without an assignment
 * ({@link #hasAssignment()} is false) means that the assignment has not changed; an assignment without partitions means
 * that the member must give up all. The values are valid until the next call or until the buffer is filled again. Bytes
 * after the end of the response are ignored, as by Kafka.
 * <pre>
 *  throttleTimeMs       int32
 *  errorCode            int16
 *  errorMessage         nullable string
 *  memberId             nullable string
 *  memberEpoch          int32
 *  heartbeatIntervalMs  int32
 *  assignment           int8   -1: none; else the struct follows:
 *    topicPartitions    array
 *      topicId          uuid
 *      partitions       array of int32
 *      tags
 *    tags
 *  tags
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_ConsumerGroupHeartbeat">ConsumerGroupHeartbeat in
 *     the protocol guide</a>
 */
public final class ConsumerGroupHeartbeatResponseFlyweight extends PartitionsResponseFlyweight
{
    private int errorMessageIndex;
    private int errorMessageLength;
    private int memberIdIndex;
    private int memberIdLength;
    private int memberEpoch;
    private int heartbeatIntervalMs;
    private boolean hasAssignment;
    private boolean isInAssignment;

    public ConsumerGroupHeartbeatResponseFlyweight()
    {
        super(Field.NAME, Integer.BYTES);
    }

    /** @param index first byte after the correlation id. */
    public ConsumerGroupHeartbeatResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        hasAssignment = false;
        isInAssignment = false;
        wrapPartitions(ApiKey.CONSUMER_GROUP_HEARTBEAT, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        errorCode = reader.int16(Field.ERROR_CODE);
        errorMessageLength = reader.nullableString(Field.ERROR_MESSAGE);
        errorMessageIndex = reader.valueIndex();
        memberIdLength = reader.nullableString(Field.MEMBER_ID);
        memberIdIndex = reader.valueIndex();
        memberEpoch = reader.int32(Field.MEMBER_EPOCH);
        heartbeatIntervalMs = reader.int32(Field.HEARTBEAT_INTERVAL_MS);
        if (reader.int8(Field.ASSIGNMENT) < 0)
        {
            reader.skipTags();
        }
        else
        {
            beginTopics(true);
            hasAssignment = true;
            isInAssignment = true;
        }
        return this;
    }

    /** @return false after the last partition; then the end of the response has been read too. */
    public boolean nextPartition()
    {
        if (!isInAssignment)
        {
            return false;
        }
        if (next())
        {
            partition = reader.int32(Field.PARTITION);
            return true;
        }
        isInAssignment = false;
        reader.skipTags();
        end();
        return false;
    }

    public int errorMessageIndex()
    {
        return errorMessageIndex;
    }

    /** {@link WireReader#NULL_LENGTH} for null. */
    public int errorMessageLength()
    {
        return errorMessageLength;
    }

    public int memberIdIndex()
    {
        return memberIdIndex;
    }

    /** {@link WireReader#NULL_LENGTH} for null, as with an error. */
    public int memberIdLength()
    {
        return memberIdLength;
    }

    /** Negative in the answer to a leave. */
    public int memberEpoch()
    {
        return memberEpoch;
    }

    /** 0 with an error. */
    public int heartbeatIntervalMs()
    {
        return heartbeatIntervalMs;
    }

    /** False if nothing has changed; true even if no partition is assigned. */
    public boolean hasAssignment()
    {
        return hasAssignment;
    }
}
