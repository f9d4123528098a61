// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.ClientListener;

/**
 * Receives the events of a publisher: the events of its connections ({@link ClientListener}), and for each batch either
 * {@link #onAcknowledged} or {@link #onFailed}, once. The methods are called on the thread that calls the publisher.
 * The batches of a partition are reported in the order in which their records were accepted.
 * <p>
 * A method may offer records, but must not claim records, work, wait or close: these calls throw IllegalStateException.
 * Offers return {@link OfferResult#CLOSED} while a close reports the batches that it gives up. If a method throws an
 * exception, the exception is counted and passed to the error handler, and the publisher continues.
 */
public interface PublisherListener extends ClientListener
{
    /** Ignores all events. */
    PublisherListener NONE = new PublisherListener()
    {
    };

    /** The base offset if the broker's answer contains none, as when the broker already had the batch. */
    long NULL_OFFSET = -1;

    /**
     * Is called when a batch was acknowledged.
     *
     * @param firstPosition the position of the first record of the batch.
     * @param count         the number of records of the batch.
     * @param baseOffset    the offset of the first record in the log, or {@link #NULL_OFFSET}.
     */
    default void onAcknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
    }

    /**
     * Is called when a batch was given up. The partition of the batch has stopped until {@link
     * TopicPublisher#skipFailed} or {@link TopicPublisher#skipAll} is called.
     */
    default void onFailed(final FailedBatch batch)
    {
    }
}
