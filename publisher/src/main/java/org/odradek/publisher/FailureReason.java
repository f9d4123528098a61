// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/** The reasons for which a batch is given up. */
public enum FailureReason
{
    /**
     * The broker refused the batch with an error after which the batch is not sent again, or the broker does not
     * support the compression.
     */
    REFUSED,
    /** The batch was not acknowledged within {@link PublisherContext#deliveryTimeoutMs(int)}. */
    EXPIRED,
    /** The topic of the batch was deleted and created again. */
    TOPIC_RECREATED,
    /** The brokers refused to assign the producer id that {@link Acks#ALL} needs. */
    NO_PRODUCER_ID,
    /** {@link TopicPublisher#skipAll} gave up the batch. */
    SKIPPED,
    /** The publisher was closed before the batch was acknowledged. */
    CLOSED
}
