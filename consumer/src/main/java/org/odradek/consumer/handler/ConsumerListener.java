// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.client.Acknowledgements;
import org.odradek.client.ClientListener;

import java.nio.file.Path;

/**
 * Receives the events of a consumer: the events of its connections ({@link ClientListener}), and those that this
 * interface adds. The methods are called on the thread that creates, uses or closes the consumer. The events do
 * not name the consumer: if several consumers have the same listener, the threads of all of them call the listener.
 * <p>
 * A method may call the consumer, except to poll, to wait, to assign or to close: these calls throw an {@link
 * IllegalStateException}. If a method throws an exception, the exception is counted and passed to the error handler,
 * and the poll continues. If a method throws an {@link Error}, the poll throws the same object at its end.
 */
public interface ConsumerListener extends ClientListener
{
    /** Ignores all events. */
    ConsumerListener NONE = new ConsumerListener()
    {
    };

    /**
     * The number of connections over which the partitions of a broker may be fetched has changed.
     *
     * @param fromCount the number before the change, from 1 to 8.
     * @param toCount   the number after the change, from 1 to 8.
     * @param reason    the reason for the change, as the end of a sentence.
     */
    default void onFetchConnections(
        final int nodeId, final int fromCount, final int toCount, final String reason)
    {
    }

    /**
     * The capture file has no room for a fetch response. Neither this response nor any later one is captured.
     *
     * @param file   the capture file.
     * @param frames the number of responses in the file.
     * @param bytes  the number of bytes of the file that are used.
     */
    default void onCaptureFull(final Path file, final long frames, final long bytes)
    {
    }

    /**
     * A duty cycle worked for longer than {@code ConsumerContext.stallThresholdNs}, or a wait ended later than planned
     * by more than that threshold.
     *
     * @param phase     the kind of work that took most of the cycle, or WAITING for a wait.
     * @param stalledNs the length of the duty cycle, or the delay of the end of the wait, in nanoseconds.
     */
    default void onStall(final StallPhase phase, final long stalledNs)
    {
    }

    /**
     * A consumer that reads all partitions of the topic, or a share of them, has found a partition and reads it from
     * now on.
     */
    default void onPartitionAdded(final int partition)
    {
    }

    /**
     * A partition whose leader was known has another leader, another leader epoch, or no leader. This event does not
     * occur when the leader of a partition becomes known that had none. It also occurs for partitions that this
     * consumer does not read.
     *
     * @param leaderId    the node id of the leader, or -1 if there is no leader at present.
     * @param leaderEpoch the epoch of the leader, or -1 if it is not known.
     */
    default void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
    {
    }

    /**
     * The consumer has skipped offsets of a partition. Holes inside the log, such as those of compaction and of aborted
     * transactions, are not gaps.
     *
     * @param fromOffset the first skipped offset.
     * @param toOffset   the first offset after the gap.
     */
    default void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
    }

    /**
     * The reset policy has set the next offset of a partition, because the log does not contain the requested offset,
     * or was truncated below that offset. If {@code toOffset} is greater than {@code fromOffset}, {@link #onGap}
     * follows with the same offsets.
     *
     * @param fromOffset the offset that was requested.
     * @param toOffset   the next offset to deliver.
     */
    default void onReset(final int partition, final long fromOffset, final long toOffset)
    {
    }

    /**
     * The log of a partition was truncated below the next offset, because the log of a new leader diverges from the log
     * that was read (KIP-320). After this call the reset policy applies, unless this method has called {@code seek} or
     * {@code unassign} for the partition.
     *
     * @param nextOffset      the offset that would have been delivered next.
     * @param divergentOffset the first offset at which the logs differ, as the new leader reports it; -1 if the new
     *                        leader has no record of the epoch that was read or of an earlier one.
     * @param leaderEpoch     the largest leader epoch in the log of the new leader that is not above the epoch that was
     *                        read; -1 if there is none.
     */
    default void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
    }

    /**
     * A partition was read up to the end of its log as the broker reported it, for the first time since an assignment,
     * a seek or a reset.
     *
     * @param nextOffset the next offset to deliver.
     */
    default void onCaughtUp(final int partition, final long nextOffset)
    {
    }

    /**
     * A partition has stopped: no record of the partition is delivered until a seek, another assignment or, after an
     * exception of the handler, a resume. The error handler has received the reason, unless the poll throws the
     * exception of the handler.
     *
     * @param nextOffset the offset that would have been delivered next.
     * @param reason     the reason, which determines how the partition can continue.
     * @param errorCode  Kafka's error code if a broker has reported one; otherwise 0.
     */
    default void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
    }

    /**
     * The consumer group has assigned a partition to this consumer, and the offset at which reading begins is known.
     * Records of the partition are delivered only after this call.
     *
     * @param nextOffset the offset at which reading begins.
     */
    default void onPartitionAssigned(final int partition, final long nextOffset)
    {
    }

    /**
     * A partition was revoked, and another member of the group may read it from now on.
     *
     * @param nextOffset      the offset that would have been delivered next.
     * @param committedOffset the last offset whose commit was confirmed since this member began to own the partition;
     *                        -1 if there is none.
     */
    default void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
    {
    }

    /**
     * A partition was lost without a revocation, for example because the group has removed this consumer. Another
     * member may have read the partition already, so records after the last committed offset may be delivered twice.
     *
     * @param nextOffset      the offset that would have been delivered next.
     * @param committedOffset the last offset whose commit was confirmed since this member began to own the partition;
     *                        -1 if there is none, or if the topic was created again.
     */
    default void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
    {
    }

    /**
     * The application has acknowledged an impossible offset: records before the offset have not been delivered, or the
     * offset is before the first offset of the ownership epoch. The consumer ignores this acknowledgement.
     *
     * @param acknowledgedOffset the offset that the application passed to {@link Acknowledgements#acknowledge}.
     * @param nextOffset         the largest offset that could be acknowledged.
     */
    default void onAcknowledgementRefused(final int partition, final long acknowledgedOffset, final long nextOffset)
    {
    }

    /**
     * The state of the membership in the group has changed.
     *
     * @param memberEpoch the epoch of the member, or the generation of a classic group; 0 while the consumer is not a
     *                    member.
     * @param reason      the reason for the change, in one sentence.
     */
    default void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
    }

    /**
     * The consumer has joined the group for the first time.
     *
     * @param protocol CONSUMER or CLASSIC, the protocol by which the consumer is a member.
     * @param reason   the reason for the protocol, in one sentence.
     */
    default void onGroupProtocol(final GroupProtocol protocol, final String reason)
    {
    }

    /**
     * The first join of this consumer has converted a classic group that had members to a consumer group.
     *
     * @param protocolType the protocol type of the group, {@code consumer}.
     * @param groupState   the state of the group, such as {@code Stable} or {@code PreparingRebalance}.
     * @param memberCount  the number of members, 1 or more.
     */
    default void onClassicGroupConverted(final String protocolType, final String groupState, final int memberCount)
    {
    }

    /**
     * Delivery has stopped, because the coordinator may have assigned the partitions to other members: the coordinator
     * has confirmed no heartbeat for longer than {@code GroupSettings.fenceAfterMs}, or partitions were not revoked
     * within the revocation timeout.
     *
     * @param unconfirmedNs the time in nanoseconds since the last confirmed heartbeat was sent.
     */
    default void onDeliveryFenced(final long unconfirmedNs)
    {
    }

    /**
     * Delivery continues after {@link #onDeliveryFenced}.
     *
     * @param fencedNs the time in nanoseconds since {@link #onDeliveryFenced}.
     */
    default void onDeliveryUnfenced(final long fencedNs)
    {
    }
}
