// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireReader;

/**
 * A view of a SyncGroup response, versions 3 to 5. {@link #wrap} reads up to the first assigned partition, and each
 * call of {@link #nextPartition} reads the next one, over all topics. The values are valid until the next call or until
 * the buffer is filled again.
 * <pre>
 *  throttleTimeMs   int32
 *  errorCode        int16
 *  protocolType     nullable string  from 5
 *  protocolName     nullable string  from 5
 *  assignment       bytes                     empty: no partition; else not flexible, of any version:
 *    version        int16
 *    topics         array
 *      topic        string
 *      partitions   array of int32
 *    ...                                      not read from here on
 *  tags
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_SyncGroup">SyncGroup in the protocol guide</a>
 */
public final class SyncGroupResponseFlyweight extends ResponseFlyweight
{
    private static final int MIN_TOPIC_LENGTH = 2 + 4;

    private final WireReader assignment = new WireReader();
    private final ResponseTopic topic = new ResponseTopic();
    private int topicsLeft;
    private int partitionsLeft;
    private int partition;

    /** @param index first byte after the correlation id. */
    public SyncGroupResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        topicsLeft = 0;
        partitionsLeft = 0;
        wrapBody(ApiKey.SYNC_GROUP, version, buffer, index, limit);
        throttleTimeMs = reader.int32(Field.THROTTLE_TIME_MS);
        errorCode = reader.int16(Field.ERROR_CODE);
        if (version >= 5)
        {
            reader.nullableString(Field.PROTOCOL_TYPE);
            reader.nullableString(Field.PROTOCOL_NAME);
        }
        final int length = reader.nullableBytes(Field.ASSIGNMENT);
        final int assignmentIndex = reader.valueIndex();
        reader.skipTags();
        if (length > 0)
        {
            assignment.wrap(buffer, assignmentIndex, assignmentIndex + length, false);
            assignment.int16(Field.VERSION);
            topicsLeft = assignment.arrayCount(Field.ASSIGNED_PARTITIONS, MIN_TOPIC_LENGTH);
        }
        return this;
    }

    /** @return false after the last partition. */
    public boolean nextPartition()
    {
        while (0 == partitionsLeft)
        {
            if (0 == topicsLeft)
            {
                return false;
            }
            topicsLeft--;
            topic.read(assignment, false, Field.TOPIC);
            partitionsLeft = assignment.arrayCount(Field.PARTITIONS, Integer.BYTES, WireLimits.MAX_PARTITIONS);
        }
        partitionsLeft--;
        partition = assignment.int32(Field.PARTITION);
        return true;
    }

    /** The topic of the current partition. */
    public ResponseTopic topic()
    {
        return topic;
    }

    /** May be negative or repeated: the leader is not trusted to send each partition once. */
    public int partition()
    {
        return partition;
    }
}
