// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Is asked, before a partition goes to another member of the consumer group, whether the work on its records is done.
 * It is called on the polling thread, once per poll, until it returns true or the time has passed. Other partitions
 * continue meanwhile.
 */
@FunctionalInterface
public interface RevocationHandler
{
    /** The work on a record is done when the record handler returns. */
    RevocationHandler AT_ONCE = (partition, nextOffset, remainingNs) -> true;

    /**
     * No more records of the partition are delivered. When this has returned true, its offset is committed as the
     * commit policy says, and the partition is given up. With explicit commits, commit before returning true.
     *
     * @param partition   id.
     * @param nextOffset  one more than the offset of the last record that was delivered.
     * @param remainingNs until the partition is given up anyway; the broker removes members that take longer.
     * @return false to be asked again.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
