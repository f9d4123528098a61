// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Decides whether the work on the records of a partition is done, before the partition moves to another member of the
 * consumer group. The polling thread calls the handler repeatedly, about every 10 ms while the thread waits in a poll,
 * until the handler returns true or throws, or the time for the handler has expired. While delivery is fenced ({@link
 * ConsumerListener#onDeliveryFenced}), the handler is not called, because the partition may be lost already.
 */
@FunctionalInterface
public interface RevocationHandler
{
    /** Always returns true, which is enough if each record is processed when the record handler returns. */
    RevocationHandler AT_ONCE = (partition, nextOffset, remainingNs) -> true;

    /**
     * Returns whether the work on the delivered records of a partition is done. After this method has returned true,
     * the consumer commits according to the commit policy, and revokes the partition. If this method does not return
     * true in time, or throws, the partition is revoked without a commit, except that {@code CommitPolicy.acknowledged}
     * commits the acknowledged offset. With {@code CommitPolicy.explicit}, commit before you return true.
     *
     * @param nextOffset  the offset at which the next owner of the partition has to begin. Commit it unchanged. This
     *                    offset may be greater than the offset of the last delivered record plus 1, because offsets
     *                    without a record for the handler are skipped. To find out whether the work is done, compare
     *                    the offset of the last processed record with that of the last delivered record, not with
     *                    {@code nextOffset}.
     * @param remainingNs the time in nanoseconds until the last call; 0 in the last call.
     * @return true if the work is done; false to be called again, unless this is the last call.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
