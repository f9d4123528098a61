// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.ClientListener;

/**
 * Receives the events of a publisher: the events of its connections ({@link ClientListener}), and for each batch either
 * {@link #onAcknowledged} or {@link #onFailed}, once. The methods are called on the thread that calls the publisher,
 * inside {@code doWork}, {@code awaitReady}, {@code awaitAcknowledged}, {@code skipAll} or {@code close}. The batches
 * of a partition are reported in the order in which their records were accepted. The default implementation of each
 * method does nothing.
 * <p>
 * A method may offer records, but must not claim records, work, wait or close: these calls throw. Offers return {@link
 * OfferResult#CLOSED} while a close reports the batches that it gives up. If a method throws an exception, the
 * exception is counted and passed to the error handler, and the publisher continues.
 */
public interface PublisherListener extends ClientListener
{
    /** Ignores all events. */
    PublisherListener NONE = new PublisherListener()
    {
    };

    /** The base offset if the broker's answer contains none, because the broker already had the batch. */
    long NULL_OFFSET = -1;

    /**
     * A batch was acknowledged.
     *
     * @param topic         the name of the topic of the batch.
     * @param partition     the id of the partition of the batch.
     * @param firstPosition the position of its first record; the positions of the other records follow without a gap.
     * @param count         the number of its records.
     * @param baseOffset    the offset of its first record in the log, or {@link #NULL_OFFSET}.
     */
    default void onAcknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
    }

    /**
     * A batch was given up. Its partition has stopped until {@link TopicPublisher#skipFailed} or {@link
     * TopicPublisher#skipAll} is called.
     *
     * @param batch the description of the batch, with the reason.
     */
    default void onFailed(final FailedBatch batch)
    {
    }
}
