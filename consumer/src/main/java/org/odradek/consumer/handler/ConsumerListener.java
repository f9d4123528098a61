/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.handler;

/**
 * Told of everything that is not simply the next record. Called on the polling thread, inside {@code poll} or
 * {@code awaitReady}, in order with the records of the partition concerned. Each method does nothing unless
 * overridden; the normal path never calls any.
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
     * A broker asks not to be sent anything on this connection for a while.
     *
     * @param nodeId         of the broker.
     * @param throttleTimeMs how long.
     */
    default void onThrottled(final int nodeId, final int throttleTimeMs)
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
     * A partition delivers nothing more until it is sought, or unassigned and assigned again. The error handler has
     * been told the same.
     *
     * @param partition  its id.
     * @param nextOffset the next it would have delivered.
     * @param errorCode  of the broker, or -1 where the bytes themselves were at fault.
     */
    default void onPartitionStopped(final int partition, final long nextOffset, final short errorCode)
    {
    }
}
