// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * What happens to a partition when the handler of records or batches throws an exception. In each case the poll ends,
 * the exception is counted, and the other partitions continue.
 * <p>
 * An {@link Error} always does as {@link #THROW} says, and leaves the poll unchanged. Agrona's
 * {@code AgentTerminationException} leaves it unchanged, too: the record, or batch, counts as not delivered, its
 * partition does not stop, and the next poll delivers it again.
 */
public enum HandlerErrorPolicy
{
    /**
     * The record, or batch, counts as not delivered, and its partition stops there, or where the handler has sought. So
     * no offset after it is committed. The error handler receives an exception that names the partition, the offset and
     * the cause. {@code resume} of the consumer delivers it again, after a backoff that grows while the same offset
     * fails; a seek continues elsewhere.
     */
    STOP,
    /** As {@link #STOP}, but the exception is thrown at the end of the poll instead. The next poll continues. */
    THROW,
    /** The record, or batch, counts as delivered. The error handler receives the exception. */
    SKIP
}
