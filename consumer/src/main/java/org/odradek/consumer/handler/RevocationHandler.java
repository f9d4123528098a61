// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Decides whether the work on the records of a partition is done, before the partition moves to another member of the
 * consumer group. The polling thread calls the handler for the partition in each duty cycle, and at least every 10 ms
 * while it polls, until the handler returns true or throws. The last call is made when the time for the handler has
 * expired. If the calls for several partitions together take 100 ms or longer, later duty cycles make the remaining
 * calls. Meanwhile the other partitions continue. While delivery is fenced ({@link ConsumerListener#onDeliveryFenced}),
 * the handler is not called, because the partition may be lost already.
 */
@FunctionalInterface
public interface RevocationHandler
{
    /** Returns true at once, because the work on a record is done when its handler returns. */
    RevocationHandler AT_ONCE = (partition, nextOffset, remainingNs) -> true;

    /**
     * Returns whether the work on the delivered records of a partition is done. No more records of the partition are
     * delivered. After this method has returned true, the consumer commits the offset of the partition according to the
     * commit policy, and revokes the partition. If this method does not return true in time, or throws, the partition
     * is revoked, and before that at most an acknowledged offset is committed. With {@code CommitPolicy.explicit},
     * commit before you return true. With {@code CommitPolicy.acknowledged}, the consumer waits for missing
     * acknowledgements after this method has returned true or thrown. The partition counts as assigned and owned until
     * {@code onPartitionRevoked} or {@code onPartitionLost} is called.
     *
     * @param partition   the id of the partition.
     * @param nextOffset  the offset at which the next owner of the partition has to begin. Commit it unchanged. It is
     *                    not always one more than the offset of the last record that was delivered: it also skips
     *                    offsets without a record for a handler, such as the markers of transactions, aborted
     *                    transactions, and records that compaction has removed. If nothing was delivered, it may be the
     *                    offset that {@code onPartitionAssigned} received. To find out whether the work is done,
     *                    compare the offset of the last processed record with that of the last delivered record, not
     *                    with this offset.
     * @param remainingNs the time in nanoseconds until the last call, in which it is 0. If the last call does not
     *                    return true, an error is reported and the partition is revoked.
     * @return true if the work is done; false to be called again, unless this is the last call.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
