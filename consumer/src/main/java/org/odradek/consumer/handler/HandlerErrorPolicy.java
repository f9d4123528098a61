// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Determines what happens to a partition when the handler of records or batches throws an exception. With each policy
 * the poll ends, the exception is counted, and the other partitions continue.
 * <p>
 * An {@link Error} has the effect of {@link #THROW} with every policy, and the poll throws the same object. The poll
 * also throws the same object if the handler throws Agrona's {@code AgentTerminationException}. This exception is not
 * counted and stops no partition: the record or batch counts as not delivered, and a later poll delivers it again.
 */
public enum HandlerErrorPolicy
{
    /**
     * The record or batch counts as not delivered. The partition stops at the offset of the record or batch, or at the
     * offset of a {@code seek} that the handler has called. The error handler receives an exception that names the
     * partition, the offset and the cause. {@code TopicConsumer.resume} continues the partition at the offset at which
     * it has stopped, after a backoff that grows while the handler fails at the same offset.
     */
    STOP,
    /**
     * The partition stops as with {@link #STOP}, but the poll throws the exception at its end, instead of passing it to
     * the error handler. This exception is a {@link org.odradek.client.ClientException} whose cause is the handler's
     * exception.
     */
    THROW,
    /** The record or batch counts as delivered. The error handler receives the exception. */
    SKIP
}
