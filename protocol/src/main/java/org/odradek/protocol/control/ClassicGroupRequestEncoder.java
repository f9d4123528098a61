// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes the requests of a member of a classic group that reads one topic: JoinGroup (versions 5 to 9), SyncGroup (3
 * to 5), Heartbeat (3 and 4) and LeaveGroup (1 to 5), each at index 0 of a buffer. A heartbeat allocates nothing.
 * <pre>
 *  JoinGroup                                 SyncGroup                             LeaveGroup
 *   RequestHeader                             RequestHeader                         RequestHeader
 *   groupId            string                 groupId        string                 groupId       string
 *   sessionTimeoutMs   int32                  generationId   int32                  members       array of 1 from 3
 *   rebalanceTimeoutMs int32                  memberId       string                   memberId    string
 *   memberId           string, empty at first instanceId     nullable string          instanceId  nullable string
 *   instanceId         nullable string        protocolType   string from 5            reason      string from 5, null
 *   protocolType       string, consumer       protocolName   string from 5            tags
 *   protocols          array of 1             assignments    array, of a leader     tags
 *     name             string, range            memberId     string
 *     metadata         bytes: Subscription      assignment   bytes: Assignment     Heartbeat
 *     tags                                      tags                                RequestHeader
 *   reason             string from 8, null    tags                                  groupId       string
 *   tags                                                                            generationId  int32
 *                                                                                   memberId      string
 *  Subscription, not flexible                Assignment, not flexible               instanceId    nullable string
 *   version            int16, 3               version        int16, 0               tags
 *   topics             array of one string    topics         array
 *   userData           bytes, null              topic        string
 *   ownedPartitions    array, empty             partitions   array of int32
 *   generationId       int32, -1              userData       bytes, null
 *   rackId             nullable string
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_JoinGroup">JoinGroup in the protocol guide</a>
 */
public final class ClassicGroupRequestEncoder
{
    /** Before this version of LeaveGroup the id of the one member follows that of the group. */
    private static final int FIRST_LEAVE_OF_SEVERAL = 3;
    private static final int SUBSCRIPTION_VERSION = 3;
    private static final int ASSIGNMENT_VERSION = 0;
    private static final int NULL_LENGTH = -1;
    private static final int NO_GENERATION = -1;

    /** version, number of topics, userData. */
    private static final int ASSIGNMENT_FIXED_LENGTH = 2 + 4 + 4;
    /** sessionTimeoutMs, rebalanceTimeoutMs; array count; length and fixed fields of the subscription; tags. */
    private static final int MAX_FIXED_LENGTH = 4 + 4 + 5 + 5 + 2 + 4 * 4 + 3 * 2;

    private final byte[] clientId;
    private final byte[] groupId;
    private final byte[] topic;
    private final byte[] instanceId;
    private final byte[] rackId;
    private final byte[] protocolType = WireWriter.encode("consumer");
    private final byte[] assignor = WireWriter.encode("range");
    private final WireWriter writer = new WireWriter();
    private byte[] memberId = WireWriter.encode("");

    /**
     * @param clientId   may be null.
     * @param instanceId of a static member, or null.
     * @param rackId     of the member, or null.
     */
    public ClassicGroupRequestEncoder(
        final String clientId,
        final String groupId,
        final String topic,
        final String instanceId,
        final String rackId)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
        this.topic = WireWriter.encodeTopic(topic);
        this.instanceId = WireWriter.encode(instanceId);
        this.rackId = WireWriter.encode(rackId);
    }

    /** The id that the coordinator has given to the member; empty, as unless set, for none. */
    public void memberId(final String id)
    {
        memberId = WireWriter.encode(id);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int join(
        final MutableDirectBuffer buffer, final int version, final int sessionTimeoutMs, final int rebalanceTimeoutMs)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.JOIN_GROUP, version, clientId);
        writer.string(groupId).int32(sessionTimeoutMs).int32(rebalanceTimeoutMs).string(memberId).string(instanceId)
            .string(protocolType).arrayCount(1).string(assignor)
            .arrayCount(2 + 4 + 2 + topic.length + 4 + 4 + 4 + 2 + (rackId == null ? 0 : rackId.length))
            .int16(SUBSCRIPTION_VERSION).int32(1).classicString(topic).int32(NULL_LENGTH).int32(0)
            .int32(NO_GENERATION).classicString(rackId).noTags();
        if (version >= 8)
        {
            writer.string(null);
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int heartbeat(final MutableDirectBuffer buffer, final int version, final int generationId)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.HEARTBEAT, version, clientId);
        writer.string(groupId).int32(generationId).string(memberId).string(instanceId).noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int leave(final MutableDirectBuffer buffer, final int version)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.LEAVE_GROUP, version, clientId);
        writer.string(groupId);
        if (version < FIRST_LEAVE_OF_SEVERAL)
        {
            writer.string(memberId);
            return RequestHeaderEncoder.end(writer);
        }
        writer.arrayCount(1).string(memberId).string(instanceId);
        if (version >= 5)
        {
            writer.string(null);
        }
        writer.noTags().noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** @param memberCount number of assignments to follow, each begun by {@link #assignment}; 0 unless a leader. */
    public void beginSync(
        final MutableDirectBuffer buffer, final int version, final int generationId, final int memberCount)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.SYNC_GROUP, version, clientId);
        writer.string(groupId).int32(generationId).string(memberId).string(instanceId);
        if (version >= 5)
        {
            writer.string(protocolType).string(assignor);
        }
        writer.arrayCount(memberCount);
    }

    /**
     * Begins the assignment of a member.
     *
     * @param topicCount of calls of {@link #partitions} to follow, before {@link #endAssignment}.
     * @param length     of the assignment in bytes, the sum of their {@link #partitionsLength}.
     */
    public void assignment(final byte[] ofMemberId, final int topicCount, final int length)
    {
        writer.string(ofMemberId).arrayCount(ASSIGNMENT_FIXED_LENGTH + length).int16(ASSIGNMENT_VERSION)
            .int32(topicCount);
    }

    /** The partitions of a topic from {@code first} on. */
    public void partitions(final byte[] ofTopic, final int first, final int count)
    {
        writer.classicString(ofTopic).int32(count);
        for (int i = 0; i < count; i++)
        {
            writer.int32(first + i);
        }
    }

    /** Ends the assignment of a member. */
    public void endAssignment()
    {
        writer.int32(NULL_LENGTH).noTags();
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int endSync()
    {
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** The length of the partitions of a topic in an assignment. */
    public static int partitionsLength(final byte[] ofTopic, final int count)
    {
        return 2 + ofTopic.length + 4 + count * Integer.BYTES;
    }

    /** Largest length that the assignment of a member adds to a frame. */
    public static int maxAssignmentLength(final byte[] ofMemberId, final int length)
    {
        return WireWriter.maxStringLength(ofMemberId) + 5 + ASSIGNMENT_FIXED_LENGTH + length + 1;
    }

    /** Largest length of a frame, without assignments. */
    public int maxFrameLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId) +
            WireWriter.maxStringLength(memberId) + WireWriter.maxStringLength(instanceId) +
            WireWriter.maxStringLength(protocolType) + WireWriter.maxStringLength(assignor) +
            WireWriter.maxStringLength(topic) + WireWriter.maxStringLength(rackId);
    }
}
