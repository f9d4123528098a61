// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Told of everything that is not simply the next record. Called on the polling thread, inside {@code poll} or
 * {@code awaitReady}, in order with the records of the partition concerned. Each method does nothing unless
 * overridden; the normal path never calls any.
 * <p>
 * An exception that a method throws does not disturb the consumer: it is counted and given to the error handler, and
 * the poll goes on. Only an {@link Error} comes straight out of the poll.
 */
public interface ConsumerListener
{
    /**
     * Hears nothing.
     */
    ConsumerListener NONE = new ConsumerListener()
    {
    };

    /**
     * A connection that had been made is gone. It will be made again after a backoff.
     *
     * @param nodeId of the broker, or -1 for a bootstrap address.
     * @param address of the broker, host:port.
     * @param reason what ended it.
     */
    default void onConnectionLost(final int nodeId, final String address, final String reason)
    {
    }

    /**
     * A connection that had been lost stands again.
     *
     * @param nodeId  of the broker.
     * @param address of the broker, host:port.
     */
    default void onConnectionRestored(final int nodeId, final String address)
    {
    }

    /**
     * A response was larger than the receive buffer, which has grown.
     *
     * @param nodeId     of the broker.
     * @param fromLength in bytes.
     * @param toLength   in bytes.
     */
    default void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
    }

    /**
     * The capture file has no room for the frame that came: neither this one nor any later one is captured, and {@code
     * ConsumerCounters.FRAMES_NOT_CAPTURED} counts them. Told once.
     *
     * @param file   its path.
     * @param frames in it.
     * @param bytes  of the file that are used.
     */
    default void onCaptureFull(final String file, final long frames, final long bytes)
    {
    }

    /**
     * A broker asks not to be sent anything on this connection for a while.
     *
     * @param nodeId         of the broker.
     * @param throttleTimeMs how long.
     */
    default void onThrottled(final int nodeId, final int throttleTimeMs)
    {
    }

    /**
     * All that was known of the cluster is given up, and asked for again from the bootstrap servers, whose names are
     * looked up anew. Partitions go on from where they are once they have been found.
     *
     * @param reason why: a broker asked for it (KIP-1102, KIP-1242), or none has answered for long (KIP-899).
     */
    default void onRebootstrap(final String reason)
    {
    }

    /**
     * A partition has been found and is now read, because all partitions of the topic are.
     *
     * @param partition its id.
     */
    default void onPartitionAdded(final int partition)
    {
    }

    /**
     * A partition has another leader, or the same with another epoch.
     *
     * @param partition   its id.
     * @param leaderId    node id, or -1 for none at present.
     * @param leaderEpoch or -1 where it is not known.
     */
    default void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
    {
    }

    /**
     * Offsets that the log has or had will not be delivered. Holes inside the log (compaction, transaction markers,
     * aborted transactions) are no gap; {@code ConsumerCounters.OFFSET_HOLES} counts them.
     *
     * @param partition  its id.
     * @param fromOffset the first that is skipped.
     * @param toOffset   the first that is not: {@code toOffset - fromOffset} offsets are skipped.
     * @param reason     why.
     */
    default void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
    }

    /**
     * The reset policy has moved a partition to another offset because the broker's log does not hold the one wanted,
     * or is from there on another than the one that was read. If it moved forward, {@link #onGap} follows with the same
     * offsets; if it moved back, offsets that were delivered come again.
     *
     * @param partition  its id.
     * @param fromOffset the one that was wanted.
     * @param toOffset   the next that will be delivered.
     */
    default void onReset(final int partition, final long fromOffset, final long toOffset)
    {
    }

    /**
     * The log of a partition has lost records that were read from it: a new leader's log parts from the one that was
     * read (KIP-320). Reading goes on according to the reset policy, and {@link #onReset} follows; the default stops
     * the partition. A listener that seeks decides itself, and neither happens.
     *
     * @param partition       its id.
     * @param nextOffset      the next that would have been delivered.
     * @param divergentOffset the first offset at which the log is another than the one that was read, or -1 where the
     *                        new leader knows nothing of the epoch that was read.
     * @param leaderEpoch     of the last record that both have, or -1 where it is not known.
     */
    default void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
    }

    /**
     * A partition has been read up to the end that its broker told of, for the first time since it was assigned, sought
     * or reset.
     *
     * @param partition  its id.
     * @param nextOffset the next that will be delivered.
     */
    default void onCaughtUp(final int partition, final long nextOffset)
    {
    }

    /**
     * A partition delivers nothing more until it is sought, or unassigned and assigned again. The error handler has
     * been told the same.
     *
     * @param partition  its id.
     * @param nextOffset the next it would have delivered.
     * @param errorCode  of the broker, or -1 where it named none: the bytes or the log itself were at fault.
     */
    default void onPartitionStopped(final int partition, final long nextOffset, final short errorCode)
    {
    }
}
