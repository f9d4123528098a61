// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Determines what happens to a partition when the handler of records or batches throws an exception. With each policy
 * the poll ends, the exception is counted, and the other partitions continue.
 * <p>
 * An {@link Error} has the effect of {@link #THROW} with every policy, and the poll throws the same object. The poll
 * throws Agrona's {@code AgentTerminationException} unchanged, too: it is not counted, the record or batch counts as
 * not delivered, its partition does not stop, and the next poll delivers it again.
 */
public enum HandlerErrorPolicy
{
    /**
     * The record or batch counts as not delivered, and its partition stops at its offset, or at the offset to which the
     * handler has sought. So no later offset of the partition is committed. The error handler receives an exception
     * that names the partition, the offset and the cause. {@code TopicConsumer.resume} makes the consumer deliver the
     * record or batch again, after a backoff that grows while the handler fails at the same offset; a seek continues at
     * another offset.
     */
    STOP,
    /**
     * Works like {@link #STOP}, but the poll throws the exception at its end, and the error handler does not receive
     * it. The next poll continues with the other partitions.
     */
    THROW,
    /** The record or batch counts as delivered. The error handler receives the exception. */
    SKIP
}
