// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes OffsetCommit requests, versions 2 to 10, which store offsets of one topic under a group id, as a member of
 * the group or without one. {@link #begin} begins a frame at index 0 of a buffer, {@link #entry} adds one partition,
 * and {@link #end} ends the frame. None of them allocates.
 * <pre>
 *  RequestHeader
 *  groupId             string
 *  memberEpoch         int32            -1: no member; the generation of a classic member
 *  memberId            string           empty: no member
 *  groupInstanceId     nullable string  from 7   null: no member, or a dynamic one
 *  retentionTimeMs     int64            2 to 4   -1: the setting of the broker
 *  topics              array of 1
 *    name              string           up to 9
 *    topicId           uuid             from 10
 *    partitions        array of 14 to 18 bytes each
 *      partitionIndex        int32
 *      committedOffset       int64
 *      committedLeaderEpoch  int32      from 6
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

    private static final int NO_EPOCH = -1;
    private static final long DEFAULT_RETENTION = -1;
    private static final byte[] EMPTY = {};
    private static final int MAX_ENTRY_LENGTH = 18;

    /** memberEpoch, retentionTimeMs; topic id; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 4 + 8 + 16 + 2 * 5 + 2;

    private final byte[] clientId;
    private final byte[] groupId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;
    private int version;
    private int memberEpoch = NO_EPOCH;
    private byte[] memberId = EMPTY;
    private byte[] instanceId;

    /** @param clientId may be null. */
    public OffsetCommitRequestEncoder(final String clientId, final String groupId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** Must be set before {@link #begin} from version 10 on. */
    public OffsetCommitRequestEncoder topicId(final long mostSignificantBits, final long leastSignificantBits)
    {
        topicIdMostSignificantBits = mostSignificantBits;
        topicIdLeastSignificantBits = leastSignificantBits;
        return this;
    }

    /**
     * Makes later requests those of a member of a consumer group. Brokers refuse them below version 9.
     *
     * @param newInstanceId of a static member, or null.
     */
    public OffsetCommitRequestEncoder member(final String newMemberId, final String newInstanceId)
    {
        memberId = WireWriter.encodeMemberId(newMemberId);
        instanceId = WireWriter.encode(newInstanceId);
        return this;
    }

    /** Must be set before {@link #begin} if there is a member. */
    public OffsetCommitRequestEncoder memberEpoch(final int epoch)
    {
        memberEpoch = epoch;
        return this;
    }

    /** @param entryCount number of partitions to follow, 1 or more. */
    public OffsetCommitRequestEncoder begin(final MutableDirectBuffer buffer, final int version, final int entryCount)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.OFFSET_COMMIT, version, clientId);
        this.version = version;
        writer.string(groupId).int32(memberEpoch).string(memberId);
        if (version >= 7)
        {
            writer.string(instanceId);
        }
        if (version <= 4)
        {
            writer.int64(DEFAULT_RETENTION);
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

    /**
     * @param nextOffset  offset of the next record to read.
     * @param leaderEpoch of the last record that was read, or -1; not sent below version 6.
     */
    public void entry(final int partition, final long nextOffset, final int leaderEpoch)
    {
        writer.int32(partition).int64(nextOffset);
        if (version >= 6)
        {
            writer.int32(leaderEpoch);
        }
        writer.string(EMPTY).noTags();
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int end()
    {
        writer.noTags().noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame with this number of entries, in any version. */
    public int maxFrameLength(final int entryCount)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId) +
                WireWriter.maxStringLength(topic) + WireWriter.maxStringLength(memberId) +
                WireWriter.maxStringLength(instanceId),
            Math.multiplyExact(entryCount, MAX_ENTRY_LENGTH));
    }
}
