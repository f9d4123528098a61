// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * Decides whether the work on the records of a partition is done, before the partition moves to another member of the
 * consumer group. The polling thread calls the handler repeatedly, about every 10 ms while it waits in a poll, until
 * the handler returns true or throws, or its time has expired. While delivery is fenced ({@link
 * ConsumerListener#onDeliveryFenced}), the handler is not called, because the partition may be lost already.
 */
@FunctionalInterface
public interface RevocationHandler
{
    /** Returns true at once, for a handler of records that has processed a record when it returns. */
    RevocationHandler AT_ONCE = (partition, nextOffset, remainingNs) -> true;

    /**
     * Returns whether the work on the delivered records of a partition is done. After this method has returned true,
     * the consumer commits according to the commit policy, and revokes the partition. If this method does not return
     * true in time, or throws, the partition is revoked, and before that at most an acknowledged offset is committed.
     * With {@code CommitPolicy.explicit}, commit before you return true.
     *
     * @param partition   partition id.
     * @param nextOffset  the offset at which the next owner of the partition has to begin. Commit it unchanged. It may
     *                    be greater than the offset of the last delivered record plus 1, because it skips offsets
     *                    without a record for the handler. To find out whether the work is done, compare the offset of
     *                    the last processed record with that of the last delivered record, not with this offset.
     * @param remainingNs the time in nanoseconds until the last call, in which it is 0.
     * @return true if the work is done; false to be called again, unless this is the last call.
     */
    boolean onRevoking(int partition, long nextOffset, long remainingNs);
}
