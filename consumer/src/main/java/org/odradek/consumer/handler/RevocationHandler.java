// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Decides whether the work on the records of a partition is done, before the partition moves to another member of the
 * consumer group. The handler is called on the polling thread, once per poll and partition, until it returns true, and
 * a last time when its time has expired. If calls take long, a poll makes only some of them, and the following polls
 * make the others. Meanwhile the other partitions continue.
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
     * is revoked without a commit of offsets that were not acknowledged. With {@code CommitPolicy.explicit}, commit
     * before you return true. With {@code CommitPolicy.acknowledged}, the consumer then waits for acknowledgements. The
     * partition counts as assigned and owned until {@code onPartitionRevoked} or {@code onPartitionLost} is called.
     *
     * @param partition   the id of the partition.
     * @param nextOffset  the offset at which its next owner has to begin. Commit it unchanged. It is not always one
     *                    more than the offset of the last record that was delivered: it also skips offsets without a
     *                    record for a handler, such as the markers of transactions, aborted transactions, and records
     *                    that compaction has removed. If nothing was delivered, it may be the offset that {@code
     *                    onPartitionAssigned} received. To find out whether the work is done, compare the offsets of
     *                    delivered records.
     * @param remainingNs the time in nanoseconds until the partition is revoked in any case, which is reported as an
     *                    error; 0 in the last call.
     * @return true if the work is done; false to be called again in the next poll.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
