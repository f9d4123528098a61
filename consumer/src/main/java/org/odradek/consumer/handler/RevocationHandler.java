// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Is asked, before a partition goes to another member of the consumer group, whether the work on its records is done.
 * It is called on the polling thread, once per poll, until it returns true, and a last time when its time has passed.
 * Other partitions continue meanwhile.
 */
@FunctionalInterface
public interface RevocationHandler
{
    /** The work on a record is done when the record handler returns. */
    RevocationHandler AT_ONCE = (partition, nextOffset, remainingNs) -> true;

    /**
     * No more records of the partition are delivered. When this has returned true, its offset is committed as the
     * commit policy says, and the partition is given up. With explicit commits, commit before returning true. Until
     * its event revoked or lost the partition still counts as assigned and owned.
     *
     * @param partition   id.
     * @param nextOffset  the offset at which its next owner is to begin. Commit it as it is. It is not always one more
     *                    than the offset of the last record that was delivered: it also passes what holds no record
     *                    for a handler, such as the markers of transactions, aborted transactions, and records that
     *                    compaction has removed. If nothing was delivered, it may be the offset of the assigned event.
     *                    To find out if the work is done, compare the offsets of delivered records.
     * @param remainingNs until the partition is given up anyway, which is an error; 0 in the last call.
     * @return false to be asked again.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
