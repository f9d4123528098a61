// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes OffsetFetch requests, versions 1 to 10, which read the offsets of one topic that are stored under a group id,
 * without a member of the group. The broker waits for offsets of open transactions (KIP-447). {@link #begin}
 * begins a frame at index 0 of a buffer, {@link #entry} adds one partition, and {@link #end} ends the frame. None of
 * them allocates.
 * <pre>
 *  RequestHeader
 *  groups              array of 1       from 8; earlier versions have its fields directly
 *    groupId           string
 *    memberId          nullable string  from 9   null
 *    memberEpoch       int32            from 9   -1
 *    topics            array of 1
 *      name            string           up to 9
 *      topicId         uuid             from 10
 *      partitionIndexes                 array of int32
 *      tags                             from 6   none
 *    tags                               from 8   none
 *  requireStable       bool             from 7   true
 *  tags                                 from 6   none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_OffsetFetch">OffsetFetch in the protocol guide</a>
 */
public final class OffsetFetchRequestEncoder
{
    /** From this version on the topic is given by its id only. */
    public static final int FIRST_VERSION_WITH_TOPIC_ID = 10;

    private static final int NO_EPOCH = -1;

    /** memberId, memberEpoch, requireStable; topic id; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 1 + 4 + 1 + 16 + 3 * 5 + 3;

    private final byte[] clientId;
    private final byte[] groupId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;
    private int version;

    /** @param clientId may be null. */
    public OffsetFetchRequestEncoder(final String clientId, final String groupId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** Must be set before {@link #begin} from version 10 on. */
    public OffsetFetchRequestEncoder topicId(final long mostSignificantBits, final long leastSignificantBits)
    {
        topicIdMostSignificantBits = mostSignificantBits;
        topicIdLeastSignificantBits = leastSignificantBits;
        return this;
    }

    /** @param entryCount number of partitions to follow, 1 or more. */
    public OffsetFetchRequestEncoder begin(final MutableDirectBuffer buffer, final int version, final int entryCount)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.OFFSET_FETCH, version, clientId);
        this.version = version;
        if (version >= 8)
        {
            writer.arrayCount(1);
        }
        writer.string(groupId);
        if (version >= 9)
        {
            writer.string(null).int32(NO_EPOCH);
        }
        writer.arrayCount(1);
        if (version >= FIRST_VERSION_WITH_TOPIC_ID)
        {
            writer.uuid(topicIdMostSignificantBits, topicIdLeastSignificantBits);
        }
        else
        {
            writer.string(topic);
        }
        writer.entryCount(entryCount);
        return this;
    }

    public void entry(final int partition)
    {
        writer.int32(partition);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int end()
    {
        writer.noTags();
        if (version >= 8)
        {
            writer.noTags();
        }
        if (version >= 7)
        {
            writer.bool(true);
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame with this number of entries, in any version. */
    public int maxFrameLength(final int entryCount)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId) +
                WireWriter.maxStringLength(topic),
            Math.multiplyExact(entryCount, Integer.BYTES));
    }
}
