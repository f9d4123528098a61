// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Decides if the work on the records of a partition is done, before the partition moves to another member of the
 * consumer group. It is called on the polling thread, once per poll, until it returns true, and a last time when its
 * time has expired. If calls take long, a poll makes only some of them, and the next polls the others. Other partitions
 * continue meanwhile.
 */
@FunctionalInterface
public interface RevocationHandler
{
    /** The work on a record is done when the record handler returns. */
    RevocationHandler AT_ONCE = (partition, nextOffset, remainingNs) -> true;

    /**
     * No more records of the partition are delivered. After this has returned true, its offset is committed according
     * to the commit policy, and the partition is revoked. If it never does in time, or throws, the partition is revoked
     * without a commit of what was not acknowledged. With explicit commits, commit before returning true. If the
     * policy is to commit what is acknowledged, the consumer then waits for acknowledgements. The partition counts as
     * assigned and owned until the event that it was revoked or lost.
     *
     * @param partition   id.
     * @param nextOffset  the offset at which its next owner has to begin. Commit it unchanged. It is not always one
     *                    more than the offset of the last record that was delivered: it also skips offsets without a
     *                    record for a handler, such as the markers of transactions, aborted transactions, and records
     *                    that compaction has removed. If nothing was delivered, it may be the offset of the assigned
     *                    event. To find out if the work is done, compare the offsets of delivered records.
     * @param remainingNs until the partition is revoked anyway, which is an error; 0 in the last call.
     * @return true if the work is done; false to be called again in the next poll.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
