// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/** Why a batch was given up. */
public enum FailureReason
{
    /** The broker refused it with an error that does not go away. */
    REFUSED,
    /** It was not acknowledged within {@link PublisherContext#deliveryTimeoutMs(int)}. */
    EXPIRED,
    /** Its topic was deleted and created again: the partition is another one now. */
    TOPIC_RECREATED,
    /** The brokers give the publisher no producer id, without which it cannot be idempotent. */
    NO_PRODUCER_ID,
    /** {@link TopicPublisher#skipAll} has given it up, after an earlier batch of its partition. */
    SKIPPED,
    /** The publisher was closed before it was acknowledged. */
    CLOSED
}
