// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Receives the acknowledgements of an application for the records that it has processed. {@code
 * GroupMembership.acknowledgements()} returns the instance of a group's member. With the policy {@code
 * CommitPolicy.acknowledged}, the consumer commits the offset before which all delivered records of a partition are
 * acknowledged. Before a partition is revoked, the consumer waits for missing acknowledgements for a limited time.
 * <p>
 * Any thread may call {@link #acknowledge}, also after the consumer has been closed, but two threads must not call it
 * for the same partition at the same time. A call that throws no exception allocates nothing.
 */
@FunctionalInterface
public interface Acknowledgements
{
    /**
     * Acknowledges all delivered records of a partition that have a lower offset than {@code nextOffset}. A record for
     * which the handler returned {@code ABORT} was not delivered. A record for which the handler threw an exception was
     * delivered only if {@code handlerErrorPolicy} is SKIP.
     * <p>
     * An acknowledgement with a lower offset than an earlier one of the same epoch does not replace the earlier one;
     * {@code ConsumerCounters.ACKNOWLEDGEMENTS_IGNORED} counts it. An acknowledgement of a later epoch replaces one of
     * an earlier epoch. An acknowledgement of an earlier epoch than the last acknowledgement is ignored. An
     * acknowledgement has an effect only if its epoch is that of the partition's last delivered record. An
     * acknowledgement is refused if {@code nextOffset} is greater than the next offset that the consumer delivers, or
     * less than the first offset of the epoch: the consumer ignores the acknowledgement and calls {@code
     * ConsumerListener.onAcknowledgementRefused}.
     *
     * @param partition      partition of the record; this consumer must own it or have owned it.
     * @param ownershipEpoch epoch of the record or batch, as {@link
     *                       org.odradek.protocol.record.Record#ownershipEpoch()} returns it.
     * @param nextOffset     offset of the next record to process: the offset of the last processed record plus 1, or
     *                       the last offset of the last processed batch plus 1.
     * @throws IllegalArgumentException if the partition is negative or the topic had no such partition at the
     *                                  consumer's last assignment, if the epoch is not from 1 to 65,535, or if the
     *                                  offset is negative.
     */
    void acknowledge(int partition, int ownershipEpoch, long nextOffset);
}
