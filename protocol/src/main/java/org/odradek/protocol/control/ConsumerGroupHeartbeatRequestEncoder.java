// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes ConsumerGroupHeartbeat requests, version 1, of a member of a consumer group that reads one topic (KIP-848).
 * There are four forms, at index 0 of a buffer, and none of them allocates:
 * <ul>
 *     <li>{@link #keepAlive}: nothing has changed;
 *     <li>{@link #leave}: the member leaves the group;
 *     <li>{@link #beginOwned}, {@link #entry}, {@link #end}: acknowledges the partitions that are owned now;
 *     <li>{@link #beginFull}, {@link #entry}, {@link #end}: everything, for a join and after each failure.
 * </ul>
 * <pre>
 *  RequestHeader
 *  groupId               string
 *  memberId              string
 *  memberEpoch           int32            0: join, -1: leave, -2: leave for a while as a static member
 *  instanceId            nullable string  null: a dynamic member
 *  rackId                nullable string         full: the rack, if there is one
 *  rebalanceTimeoutMs    int32            -1     full: the timeout
 *  subscribedTopicNames  nullable array   null   full: of 1
 *  subscribedTopicRegex  nullable string  null
 *  serverAssignor        nullable string         full: the assignor, if there is one
 *  topicPartitions       nullable array   null   owned and full: of 0 or 1
 *    topicId             uuid
 *    partitions          array of int32
 *    tags                                 none
 *  tags                                   none
 * </pre>
 * In a request null means that nothing has changed. The broker answers a full request with the whole assignment.
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_ConsumerGroupHeartbeat">ConsumerGroupHeartbeat in
 *     the protocol guide</a>
 */
public final class ConsumerGroupHeartbeatRequestEncoder
{
    public static final int JOIN_EPOCH = 0;

    private static final int VERSION = ApiKey.CONSUMER_GROUP_HEARTBEAT.maxVersion();
    private static final int LEAVE_EPOCH = -1;
    private static final int STATIC_LEAVE_EPOCH = -2;
    private static final int UNCHANGED_TIMEOUT = -1;
    private static final int NULL_ARRAY = -1;

    /** memberEpoch, rebalanceTimeoutMs; subscribedTopicRegex; topic id; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 4 + 4 + 1 + 16 + 3 * 5 + 2;

    private final byte[] clientId;
    private final byte[] groupId;
    private final byte[] memberId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private byte[] instanceId;
    private byte[] rackId;
    private byte[] assignor;
    private int rebalanceTimeoutMs;
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;
    private int ownedCount;

    /** @param clientId may be null. */
    public ConsumerGroupHeartbeatRequestEncoder(
        final String clientId, final String groupId, final String memberId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.groupId = WireWriter.encodeGroupId(groupId);
        this.memberId = WireWriter.encodeMemberId(memberId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** Makes the member a static one, unless null. */
    public ConsumerGroupHeartbeatRequestEncoder instanceId(final String id)
    {
        instanceId = WireWriter.encode(id);
        return this;
    }

    /** The rack of the member; null for none. Brokers refuse an empty one. */
    public ConsumerGroupHeartbeatRequestEncoder rackId(final String id)
    {
        rackId = WireWriter.encode(id);
        return this;
    }

    /** The assignor of the broker to use; null for the broker's first. */
    public ConsumerGroupHeartbeatRequestEncoder assignor(final String name)
    {
        assignor = WireWriter.encode(name);
        return this;
    }

    /** How long the member may take to give up partitions, in milliseconds. */
    public ConsumerGroupHeartbeatRequestEncoder rebalanceTimeoutMs(final int timeoutMs)
    {
        rebalanceTimeoutMs = timeoutMs;
        return this;
    }

    /** Must be set before a request that has partitions. */
    public ConsumerGroupHeartbeatRequestEncoder topicId(
        final long mostSignificantBits, final long leastSignificantBits)
    {
        topicIdMostSignificantBits = mostSignificantBits;
        topicIdLeastSignificantBits = leastSignificantBits;
        return this;
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int keepAlive(final MutableDirectBuffer buffer, final int memberEpoch)
    {
        return beginMember(buffer, memberEpoch).beginPartitions(NULL_ARRAY).end();
    }

    /**
     * @param isForGood false if a static member will be back: its partitions stay assigned until its session expires.
     *                  A dynamic member always leaves for good.
     * @return length of the frame, which lacks the correlation id.
     */
    public int leave(final MutableDirectBuffer buffer, final boolean isForGood)
    {
        return keepAlive(buffer, isForGood || null == instanceId ? LEAVE_EPOCH : STATIC_LEAVE_EPOCH);
    }

    /** @param count number of partitions to follow, 0 or more, which are all that the member owns. */
    public ConsumerGroupHeartbeatRequestEncoder beginOwned(
        final MutableDirectBuffer buffer, final int memberEpoch, final int count)
    {
        return beginMember(buffer, memberEpoch).beginPartitions(count);
    }

    /**
     * @param memberEpoch {@link #JOIN_EPOCH} to join, with no partitions.
     * @param count       number of partitions to follow, 0 or more, which are all that the member owns.
     */
    public ConsumerGroupHeartbeatRequestEncoder beginFull(
        final MutableDirectBuffer buffer, final int memberEpoch, final int count)
    {
        begin(buffer, memberEpoch);
        writer.string(rackId).int32(rebalanceTimeoutMs).arrayCount(1).string(topic).string(null).string(assignor);
        return beginPartitions(count);
    }

    public void entry(final int partition)
    {
        writer.int32(partition);
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int end()
    {
        if (ownedCount > 0)
        {
            writer.noTags();
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    private ConsumerGroupHeartbeatRequestEncoder beginMember(final MutableDirectBuffer buffer, final int memberEpoch)
    {
        begin(buffer, memberEpoch);
        writer.string(null).int32(UNCHANGED_TIMEOUT).arrayCount(NULL_ARRAY).string(null).string(null);
        return this;
    }

    private void begin(final MutableDirectBuffer buffer, final int memberEpoch)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.CONSUMER_GROUP_HEARTBEAT, VERSION, clientId);
        writer.string(groupId).string(memberId).int32(memberEpoch).string(instanceId);
    }

    private ConsumerGroupHeartbeatRequestEncoder beginPartitions(final int count)
    {
        ownedCount = count;
        if (count > 0)
        {
            writer.arrayCount(1).uuid(topicIdMostSignificantBits, topicIdLeastSignificantBits);
        }
        writer.arrayCount(count);
        return this;
    }

    /** Largest length of a frame with this number of partitions. */
    public int maxFrameLength(final int count)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(groupId) +
                WireWriter.maxStringLength(memberId) + WireWriter.maxStringLength(instanceId) +
                WireWriter.maxStringLength(rackId) + WireWriter.maxStringLength(topic) +
                WireWriter.maxStringLength(assignor),
            Math.multiplyExact(count, Integer.BYTES));
    }
}
