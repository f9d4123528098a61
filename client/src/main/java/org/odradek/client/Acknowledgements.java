// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Where an application acknowledges the records that it is done with. It is for members of a consumer group whose
 * handlers pass records on: with the policy {@code CommitPolicy.acknowledged}, the consumer commits what was
 * acknowledged, and waits for the rest before a partition moves. {@code GroupMembership.acknowledgements()} returns it;
 * a test of the receiver may pass a lambda.
 * <p>
 * Any thread may call it, also after the consumer has been closed, but no two threads for one partition at the same
 * time. A call stores one number and allocates nothing. The next commit reads it. It wakes the consumer only if the
 * consumer waits for it to give a partition up.
 */
@FunctionalInterface
public interface Acknowledgements
{
    /**
     * Acknowledges everything that was delivered of a partition before an offset: records of earlier polls and, after a
     * seek, of earlier epochs, too. A record whose handler threw an exception counts as delivered, one
     * that the handler has refused does not.
     * <p>
     * An acknowledgement replaces the one before. It has no effect if it is below an earlier one of the same epoch,
     * which {@code ConsumerCounters.ACKNOWLEDGEMENTS_IGNORED} counts, or if the partition has been assigned again or
     * sought since, and the handler was given a record since then. If it names an offset that is not delivered yet, or
     * one before the epoch has begun, nothing is committed: the event {@code ConsumerListener.onAcknowledgementRefused}
     * reports it at the next commit, and others count as if it had not been made.
     *
     * @param partition      of the record, which this consumer owns or has owned.
     * @param ownershipEpoch of the record or batch: {@link org.odradek.protocol.record.Record#ownershipEpoch()}.
     * @param nextOffset     of the next record to process: one more than that of the record, or than the last offset of
     *                       a batch.
     * @throws IllegalArgumentException if the consumer has never owned the partition, if the epoch is not from 1 to
     *                                  65,535, or if the offset is negative.
     */
    void acknowledge(int partition, int ownershipEpoch, long nextOffset);
}
