// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.ClientListener;

/**
 * Receives the events of a publisher: those of its connections, and for each batch exactly one of the two here. The
 * methods are called on the thread of the publisher, inside {@code doWork}, {@code awaitReady}, {@code
 * awaitAcknowledged} or {@code close}, and for each partition in the order in which its records were accepted. By
 * default each method does nothing.
 * <p>
 * A method may offer records, but not claim them, and may neither work nor wait nor close: these calls throw. Offers
 * return {@link OfferResult#CLOSED} while a close reports what it gives up. If the method throws an exception, it is
 * counted and passed to the error handler, and the publisher continues.
 */
public interface PublisherListener extends ClientListener
{
    /** Ignores all events. */
    PublisherListener NONE = new PublisherListener()
    {
    };

    /** The base offset of a batch that the broker had already, because such an answer has no offset. */
    long NULL_OFFSET = -1;

    /**
     * A batch was acknowledged.
     *
     * @param topic         of the batch.
     * @param partition     of the batch.
     * @param firstPosition that was returned for its first record; the others follow without a gap.
     * @param count         of its records.
     * @param baseOffset    of its first record in the log, or {@link #NULL_OFFSET}.
     */
    default void onAcknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
    }

    /**
     * A batch was given up. Its partition has stopped until {@link TopicPublisher#skipFailed} or {@link
     * TopicPublisher#skipAll}, except at a close.
     *
     * @param batch with the reason.
     */
    default void onFailed(final FailedBatch batch)
    {
    }
}
