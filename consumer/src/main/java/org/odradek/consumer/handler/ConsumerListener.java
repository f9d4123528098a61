// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientListener;

/**
 * Receives the events of a consumer: those of its connections, and these. Its methods are called on the polling
 * thread, inside a call that polls, waits or closes, and in order with the records of the partition concerned. By
 * default each method does nothing.
 * <p>
 * A method may call the consumer, except to poll, to wait, to assign or to close: these calls throw. If the method
 * throws an exception, it is counted and passed to the error handler, and the poll continues. Only an {@link Error}
 * ends it.
 */
public interface ConsumerListener extends ClientListener
{
    /** Ignores all events. */
    ConsumerListener NONE = new ConsumerListener()
    {
    };

    /**
     * The number of connections over which the partitions of a broker may be fetched has changed. It is opened, one
     * after the other, only for partitions that lag.
     *
     * @param nodeId    of the broker.
     * @param fromCount before, from 1 to 8.
     * @param toCount   from now on, from 1 to 8.
     * @param reason    as the end of a sentence.
     */
    default void onFetchConnections(
        final int nodeId, final int fromCount, final int toCount, final String reason)
    {
    }

    /**
     * The capture file has no room for a fetch response. Neither this response nor any later one is captured; {@code
     * ConsumerCounters.FRAMES_NOT_CAPTURED} counts them. Called once.
     *
     * @param file   path of the capture file.
     * @param frames number of responses in it.
     * @param bytes  of the file that are used.
     */
    default void onCaptureFull(final String file, final long frames, final long bytes)
    {
    }

    /**
     * A duty cycle worked for longer than {@code StatusSettings.stallThresholdNs}, or a wait ended too late by that
     * time.
     * {@code ConsumerCounters.STALLS} counts both. Called after the stall has ended.
     *
     * @param topic     that the consumer reads.
     * @param clientId  of the consumer.
     * @param phase     in which most of the time was spent.
     * @param stalledNs length of the duty cycle, or of the wait beyond its end.
     */
    default void onStall(final String topic, final String clientId, final StallPhase phase, final long stalledNs)
    {
    }

    /**
     * A partition was found and is now read, because the consumer reads all partitions of the topic.
     *
     * @param partition id.
     */
    default void onPartitionAdded(final int partition)
    {
    }

    /**
     * A partition has a new leader, or the same leader with a new epoch.
     *
     * @param partition   id.
     * @param leaderId    node id, or -1 if there is no leader at present.
     * @param leaderEpoch or -1 if it is not known.
     */
    default void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
    {
    }

    /**
     * Offsets that are or were in the log will not be delivered. Holes inside the log (from compaction, transaction
     * markers and aborted transactions) are not gaps; {@code ConsumerCounters.OFFSET_HOLES} counts them.
     *
     * @param partition  id.
     * @param fromOffset the first skipped offset.
     * @param toOffset   the first offset that is not skipped: {@code toOffset - fromOffset} offsets are skipped.
     * @param reason     why they are skipped.
     */
    default void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
    }

    /**
     * The reset policy moved a partition to another offset, because the log does not contain the requested offset or
     * was truncated below it. If the partition moved forward, {@link #onGap} follows with the same offsets. If it moved
     * back, offsets that were delivered before are delivered again.
     *
     * @param partition  id.
     * @param fromOffset the offset that was requested.
     * @param toOffset   the next offset to deliver.
     */
    default void onReset(final int partition, final long fromOffset, final long toOffset)
    {
    }

    /**
     * The log of a partition was truncated below the next offset: records that were delivered are no longer in it,
     * because the log of a new leader diverges from the one that was read (KIP-320). Then the reset policy applies and
     * {@link #onReset} follows; the default policy stops the partition. If this method seeks the partition, neither
     * happens.
     *
     * @param partition       id.
     * @param nextOffset      that would have been delivered next.
     * @param divergentOffset the first offset at which the logs differ, or -1 if the new leader does not know the epoch
     *                        that was read.
     * @param leaderEpoch     of the last record that both logs contain, or -1 if it is not known.
     */
    default void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
    }

    /**
     * A partition was read up to the end of its log as the broker reported it, for the first time since it was
     * assigned, sought or reset.
     *
     * @param partition  id.
     * @param nextOffset to deliver.
     */
    default void onCaughtUp(final int partition, final long nextOffset)
    {
    }

    /**
     * A partition has stopped: it delivers nothing until it is sought, unassigned and assigned again, or, after a stop
     * by the handler, resumed. The error handler has received the reason.
     *
     * @param partition  id.
     * @param nextOffset that would have been delivered next.
     * @param errorCode  of the broker, or -1 if the cause is in the records or the log.
     */
    default void onPartitionStopped(final int partition, final long nextOffset, final short errorCode)
    {
    }

    /**
     * The consumer group has assigned a partition to this consumer, and its first offset is known. Its first record
     * follows.
     *
     * @param nextOffset of that record, or of one after it if the log has a hole there.
     */
    default void onPartitionAssigned(final int partition, final long nextOffset)
    {
    }

    /**
     * A partition was revoked, and another member of the group may read it from now on.
     *
     * @param committedOffset the last confirmed one, at which the other member continues; -1 if this member has
     *                        committed none.
     */
    default void onPartitionRevoked(final int partition, final long committedOffset)
    {
    }

    /**
     * A partition was lost, because the group has removed this consumer. Another member may have read it already, from
     * the last committed offset, so records that this consumer has not committed are delivered twice. Partitions of a
     * topic that was deleted and created again are lost, too. So are those that should have been revoked while the
     * coordinator did not respond (see {@link #onDeliveryFenced}): it may have removed this consumer.
     *
     * @param nextOffset one more than that of the last record delivered; -1 for a partition that was being revoked when
     *                   its topic was created again.
     */
    default void onPartitionLost(final int partition, final long nextOffset)
    {
    }

    /**
     * The application has acknowledged an offset that it cannot be done with: records before it have not been
     * delivered, or it is before the offset at which the epoch began. It is not committed, and counts as not
     * acknowledged. Acknowledgements are checked at a commit; each is reported once.
     *
     * @param acknowledgedOffset as the application passed it to {@link Acknowledgements#acknowledge}.
     * @param nextOffset         of the partition, or of the epoch before a seek: all that was delivered is before it.
     */
    default void onAcknowledgementRefused(final int partition, final long acknowledgedOffset, final long nextOffset)
    {
    }

    /**
     * The state of the membership in the group has changed.
     *
     * @param memberEpoch 0 while the consumer is not a member.
     * @param reason      in one sentence.
     */
    default void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
    }

    /**
     * The consumer has joined the group for the first time.
     *
     * @param protocol by which it is a member: CONSUMER or CLASSIC.
     * @param reason   in one sentence.
     */
    default void onGroupProtocol(final String groupId, final GroupProtocol protocol, final String reason)
    {
    }

    /**
     * The first join of this consumer has converted a classic group with members, which are now members of the consumer
     * group. The values are those that the coordinator reported directly before the join. There is no event if the
     * coordinator refused to describe the group, or its response was lost.
     *
     * @param protocolType of the group: {@code consumer}.
     * @param groupState   such as {@code Stable} or {@code PreparingRebalance}.
     * @param memberCount  1 or more.
     */
    default void onClassicGroupConverted(
        final String groupId, final String protocolType, final String groupState, final int memberCount)
    {
    }

    /**
     * Delivery has stopped, because the coordinator may have assigned the partitions to other members: it has confirmed
     * no heartbeat for longer than the group's settings allow, or partitions were not revoked within the revocation
     * timeout. Delivery continues after the next confirmed heartbeat, or when the coordinator knows which partitions
     * were revoked, unless its response shows that the partitions are lost.
     *
     * @param unconfirmedNs time since the last confirmed heartbeat was sent.
     */
    default void onDeliveryFenced(final long unconfirmedNs)
    {
    }

    /**
     * A heartbeat was confirmed after {@link #onDeliveryFenced}.
     *
     * @param fencedNs time since that event.
     */
    default void onDeliveryUnfenced(final long fencedNs)
    {
    }
}
