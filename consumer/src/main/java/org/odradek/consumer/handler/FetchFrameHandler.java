// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/** Receives the fetch responses of one consumer as the brokers sent them, for example to write them to a file. */
public interface FetchFrameHandler extends AutoCloseable
{
    /**
     * Prepares for the frames of one consumer. This method is called once, while the consumer is created; if this
     * method throws, {@code TopicConsumer.connect} throws the same exception.
     *
     * @param clock    the clock of the consumer, in milliseconds since 1970.
     * @param listener the listener of the consumer; its methods do not throw.
     */
    void onConnect(String topic, EpochClock clock, ConsumerListener listener);

    /**
     * Receives one fetch response. Responses that do not fit into the receive buffer are left out.
     *
     * @param frame the response, which is valid until this method returns.
     * @return true if the handler has kept the frame.
     */
    boolean onFrame(Frame frame);

    /**
     * Closes the handler; this method must not throw. This method is called once: when the consumer is closed, or when
     * the creation of the consumer fails in or after {@link #onConnect}.
     */
    @Override
    void close();

    /** A fetch response, with those of its partitions that have records to deliver, in the order of the response. */
    interface Frame
    {
        /** Returns the id of the broker. */
        int nodeId();

        /** Returns the version of the Fetch API in which the response is encoded. */
        int fetchVersion();

        /** Returns the upper half of the topic's id; both halves are 0 if the id is not known. */
        long topicIdMostSignificantBits();

        /** Returns the lower half of the topic's id. */
        long topicIdLeastSignificantBits();

        /** Returns the number of partitions in the response that have records to deliver. */
        int partitionCount();

        /**
         * Returns the id of a partition that has records to deliver.
         *
         * @param i the index among the partitions with records, from 0 to {@code partitionCount() - 1}.
         */
        int partition(int i);

        /**
         * Returns the offset from which a partition was requested.
         *
         * @param i the index among the partitions with records, from 0 to {@code partitionCount() - 1}.
         */
        long requestedOffset(int i);

        /** Returns the bytes of the response, valid until the handler returns. */
        DirectBuffer buffer();

        /** Returns the index of the response's size field in {@link #buffer()}. */
        int index();

        /** Returns the length of the response in bytes, including the size field. */
        int length();
    }
}
