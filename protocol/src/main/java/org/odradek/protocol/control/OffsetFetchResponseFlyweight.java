// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.Field;
import org.odradek.protocol.WireReader;

/**
 * A view of an OffsetFetch response, versions 1 to 10. {@link #wrap} reads up to the first partition, and each call of
 * {@link #nextPartition} reads the next partition, over all topics and groups. The values are valid until the next call
 * or until the buffer is filled again. Bytes after the end of the response are ignored, as by Kafka. The error code is
 * that of the group as a whole, known once {@link #nextPartition()} has returned false; in version 1 each partition has
 * it instead.
 * <pre>
 *  throttleTimeMs      int32            from 3
 *  groups              array            from 8; earlier versions have its topics and error directly
 *    groupId           string           from 8
 *    topics            array
 *      name            string           up to 9
 *      topicId         uuid             from 10
 *      partitions      array
 *        partitionIndex        int32
 *        committedOffset       int64            -1: none is stored
 *        committedLeaderEpoch  int32    from 5
 *        metadata              nullable string
 *        errorCode             int16
 *        tags                           from 6
 *      tags                             from 6
 *    errorCode         int16            from 2
 *    tags                               from 8
 *  tags                                 from 6
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_OffsetFetch">OffsetFetch in the protocol guide</a>
 */
public final class OffsetFetchResponseFlyweight extends PartitionsResponseFlyweight
{
    public static final int NULL_EPOCH = -1;

    /** The offset if none is stored, which is not an error. */
    public static final long NULL_OFFSET = -1;

    private static final int FIRST_VERSION_WITH_GROUPS = 8;
    private static final int MIN_GROUP_LENGTH = 5;
    private static final int MIN_PARTITION_LENGTH = 16;

    private int version;
    private int groupsLeft;
    private boolean isInGroup;
    private long committedOffset;
    private int committedLeaderEpoch;
    private int metadataIndex;
    private int metadataLength;

    public OffsetFetchResponseFlyweight()
    {
        super(Field.NAME, MIN_PARTITION_LENGTH);
    }

    /** @param index first byte after the correlation id. */
    public OffsetFetchResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.version = version;
        groupsLeft = 0;
        isInGroup = false;
        errorCode = ErrorCode.NONE;
        wrapPartitions(ApiKey.OFFSET_FETCH, version, buffer, index, limit);
        throttleTimeMs = version >= 3 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
        groupsLeft = version >= FIRST_VERSION_WITH_GROUPS ? reader.arrayCount(Field.GROUPS, MIN_GROUP_LENGTH) : 1;
        expectEnd();
        return this;
    }

    /** @return false after the last partition; then the end of the response has been read too. */
    public boolean nextPartition()
    {
        while (!next())
        {
            endGroup();
            if (0 == groupsLeft)
            {
                end();
                return false;
            }
            beginGroup();
        }
        readPartition();
        return true;
    }

    private void beginGroup()
    {
        groupsLeft--;
        if (version >= FIRST_VERSION_WITH_GROUPS)
        {
            reader.string(Field.GROUP_ID);
        }
        beginTopics(version >= OffsetFetchRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
        isInGroup = true;
    }

    /** Keeps the first error of several groups, which are never requested. */
    private void endGroup()
    {
        if (isInGroup)
        {
            isInGroup = false;
            final short groupErrorCode = version >= 2 ? reader.int16(Field.ERROR_CODE) : ErrorCode.NONE;
            errorCode = errorCode == ErrorCode.NONE ? groupErrorCode : errorCode;
            if (version >= FIRST_VERSION_WITH_GROUPS)
            {
                reader.skipTags();
            }
        }
    }

    private void readPartition()
    {
        partition = reader.int32(Field.PARTITION_INDEX);
        committedOffset = reader.int64(Field.COMMITTED_OFFSET);
        committedLeaderEpoch = version >= 5 ? reader.int32(Field.COMMITTED_LEADER_EPOCH) : NULL_EPOCH;
        metadataLength = reader.nullableString(Field.METADATA);
        metadataIndex = reader.valueIndex();
        partitionErrorCode = reader.int16(Field.ERROR_CODE);
        reader.skipTags();
    }

    public long committedOffset()
    {
        return committedOffset;
    }

    public int committedLeaderEpoch()
    {
        return committedLeaderEpoch;
    }

    /** Index of the text that was stored with the offset. */
    public int metadataIndex()
    {
        return metadataIndex;
    }

    /** {@link WireReader#NULL_LENGTH} for null. */
    public int metadataLength()
    {
        return metadataLength;
    }
}
