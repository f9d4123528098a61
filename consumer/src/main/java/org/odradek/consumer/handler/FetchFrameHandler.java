// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/**
 * Receives every fetch response of one consumer as the brokers sent it, for example to write it to a file. The consumer
 * counts the frames that the handler has kept and those that it has not.
 */
public interface FetchFrameHandler extends AutoCloseable
{
    /**
     * Prepares for the frames of one consumer. Called once, while the consumer connects; connecting fails if this
     * throws.
     *
     * @param topic    of the frames.
     * @param clock    of the consumer.
     * @param listener of the consumer; its methods do not throw.
     */
    void onConnect(String topic, EpochClock clock, ConsumerListener listener);

    /**
     * Called in {@code poll} for each fetch response, also an empty or malformed one, before its records are delivered.
     * A response that is larger than the maximum length of the receive buffer is left out.
     *
     * @param frame valid during the call.
     * @return whether the frame was kept.
     */
    boolean onFrame(Frame frame);

    /** Called once, when the consumer closes or fails to connect. Must not throw. */
    @Override
    void close();

    /** A fetch response. The partitions are those whose records will be delivered, in the order of the response. */
    interface Frame
    {
        /** The id of the broker. */
        int nodeId();

        /** The version of the response. */
        int fetchVersion();

        /** The topic's id in the request; both halves are 0 if it was not known. */
        long topicIdMostSignificantBits();

        /** The other half of the id; 0 if the response has none. */
        long topicIdLeastSignificantBits();

        /** The number of partitions in the response. */
        int partitionCount();

        /** @param i from 0 to {@link #partitionCount()}, exclusive. */
        int partition(int i);

        /**
         * The offset from which the partition was requested.
         *
         * @param i from 0 to {@link #partitionCount()}, exclusive.
         */
        long requestedOffset(int i);

        /** The bytes of the response, valid until the handler returns. */
        DirectBuffer buffer();

        /** The index of the response's size field in {@link #buffer()}. */
        int index();

        /** The length in bytes, including the size field. */
        int length();
    }
}
