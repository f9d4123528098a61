// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;

/**
 * A view of an OffsetCommit response, versions 2 to 10. {@link #wrap} reads up to the first partition, and each call of
 * {@link #nextPartition} reads the next partition, over all topics. The values are valid until the next call or until
 * the buffer is filled again. Bytes after the end of the response are ignored, as by Kafka.
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
public final class OffsetCommitResponseFlyweight extends PartitionsResponseFlyweight
{
    private static final int MIN_PARTITION_LENGTH = 6;

    public OffsetCommitResponseFlyweight()
    {
        super(Field.NAME, MIN_PARTITION_LENGTH);
    }

    /** @param index first byte after the correlation id. */
    public OffsetCommitResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        wrapPartitions(ApiKey.OFFSET_COMMIT, version, buffer, index, limit);
        throttleTimeMs = version >= 3 ? reader.int32(Field.THROTTLE_TIME_MS) : 0;
        beginTopics(version >= OffsetCommitRequestEncoder.FIRST_VERSION_WITH_TOPIC_ID);
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
        reader.skipTags();
        return true;
    }
}
