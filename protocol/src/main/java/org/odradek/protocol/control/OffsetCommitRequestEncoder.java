// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireError;
import org.odradek.protocol.WireWriter;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Encodes OffsetCommit requests, versions 2 to 10, which store offsets of one topic under a group id without being a
 * member of the group. {@link #build} writes a frame at index 0 of a buffer; then every entry is stored in it. Neither
 * allocates.
 * <pre>
 *  RequestHeader
 *  groupId             string
 *  generationId        int32            -1: no member
 *  memberId            string           empty: no member
 *  groupInstanceId     nullable string  from 7   null
 *  retentionTimeMs     int64            2 to 4   -1: the setting of the broker
 *  topics              array of 0 or 1
 *    name              string           up to 9
 *    topicId           uuid             from 10
 *    partitions        array of 14 to 18 bytes each
 *      partitionIndex        int32               patched
 *      committedOffset       int64               patched
 *      committedLeaderEpoch  int32      from 6   patched
 *      committedMetadata     nullable string     empty
 *      tags                             from 8   none
 *    tags                               from 8   none
 *  tags                                 from 8   none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_OffsetCommit">OffsetCommit in the protocol
 *     guide</a>
 */
public final class OffsetCommitRequestEncoder
{
    /** From this version on the topic is given by its id only. */
    public static final int FIRST_VERSION_WITH_TOPIC_ID = 10;

    private static final int NO_GENERATION = -1;
    private static final long DEFAULT_RETENTION = -1;
    private static final byte[] EMPTY = {};
    private static final int MAX_ENTRY_LENGTH = 18;

    /** generationId, memberId, groupInstanceId, retentionTimeMs; topic id; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 4 + 2 + 2 + 8 + 16 + 2 * 5 + 2;

    private final byte[] clientId;
    private final byte[] groupId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;
    private int version;
    private int frameLength;
    private int entriesIndex;
    private int entryLength;
    private int entryCount;
    private MutableDirectBuffer buffer;

    /** @param clientId may be null. */
    public OffsetCommitRequestEncoder(final String clientId, final String groupId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** Must be set before {@link #build} from version 10 on. */
    public OffsetCommitRequestEncoder topicId(final long mostSignificantBits, final long leastSignificantBits)
    {
        topicIdMostSignificantBits = mostSignificantBits;
        topicIdLeastSignificantBits = leastSignificantBits;
        return this;
    }

    /** Writes the frame. Every entry must be stored before it is sent. */
    public OffsetCommitRequestEncoder build(final MutableDirectBuffer buffer, final int version, final int entryCount)
    {
        if (entryCount < 0)
        {
            throw WireError.ENTRY_COUNT.argument(entryCount);
        }
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.OFFSET_COMMIT, version, clientId);
        this.buffer = buffer;
        this.version = version;
        this.entryCount = entryCount;

        writer.string(groupId).int32(NO_GENERATION).string(EMPTY);
        if (version >= 7)
        {
            writer.string(null);
        }
        if (version <= 4)
        {
            writer.int64(DEFAULT_RETENTION);
        }
        writeTopics();
        writer.noTags();
        frameLength = RequestHeaderEncoder.end(writer);
        return this;
    }

    public void correlationId(final int correlationId)
    {
        RequestHeaderEncoder.correlationId(buffer, correlationId);
    }

    /**
     * @param nextOffset  offset of the next record to read.
     * @param leaderEpoch of the last record that was read, or -1; not sent below version 6.
     */
    public void entry(final int slot, final int partition, final long nextOffset, final int leaderEpoch)
    {
        assert slot >= 0 && slot < entryCount;

        final int index = entriesIndex + slot * entryLength;
        buffer.putInt(index, partition, BIG_ENDIAN);
        buffer.putLong(index + Integer.BYTES, nextOffset, BIG_ENDIAN);
        if (version >= 6)
        {
            buffer.putInt(index + Integer.BYTES + Long.BYTES, leaderEpoch, BIG_ENDIAN);
        }
    }

    public int frameLength()
    {
        return frameLength;
    }

    /** Largest length of a frame with this number of entries, in any version. */
    public int maxFrameLength(final int entryCount)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId) +
                WireWriter.maxStringLength(topic),
            Math.multiplyExact(entryCount, MAX_ENTRY_LENGTH));
    }

    private void writeTopics()
    {
        writer.arrayCount(0 == entryCount ? 0 : 1);
        if (0 == entryCount)
        {
            return;
        }
        if (version >= FIRST_VERSION_WITH_TOPIC_ID)
        {
            writer.uuid(topicIdMostSignificantBits, topicIdLeastSignificantBits);
        }
        else
        {
            writer.string(topic);
        }
        writer.arrayCount(entryCount);
        entriesIndex = writer.index();
        for (int i = 0; i < entryCount; i++)
        {
            writer.int32(0).int64(0);
            if (version >= 6)
            {
                writer.int32(-1);
            }
            writer.string(EMPTY).noTags();
        }
        entryLength = (writer.index() - entriesIndex) / entryCount;
        writer.noTags();
    }
}
