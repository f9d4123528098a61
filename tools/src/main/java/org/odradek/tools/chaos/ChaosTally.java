// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

/**
 * What came out of comparing deliveries and events with the log. Offsets are counted, unless an event is named.
 */
final class ChaosTally
{
    /** Delivered, and equal to the log; or deleted since, and equal to what the producer had acknowledged. */
    long right;
    /** In the log, and not delivered. */
    long lost;
    /** Delivered again without a seek, reset or truncation. */
    long repeated;
    /** Delivered for the first time, but after a later one of its partition. */
    long outOfOrder;
    /** Delivered with other bytes than the log holds, or at an offset that the log never held. */
    long wrong;
    /** Deleted before delivery, and named by a gap event. */
    long gapped;
    /** Deleted before delivery, and named by none. */
    long unaccounted;
    /** Delivered, then cut off from the log, and named by a truncation event. */
    long truncated;
    /** Gap events. */
    long gaps;
    /** Truncation events. */
    long truncations;
    /** Events that say something that was not so. */
    long falseEvents;
    /** Acknowledged by the cluster, and then not in its log: not the consumer's doing, but no base to judge it by. */
    long clusterLost;

    void add(final ChaosTally other)
    {
        right += other.right;
        lost += other.lost;
        repeated += other.repeated;
        outOfOrder += other.outOfOrder;
        wrong += other.wrong;
        gapped += other.gapped;
        unaccounted += other.unaccounted;
        truncated += other.truncated;
        gaps += other.gaps;
        truncations += other.truncations;
        falseEvents += other.falseEvents;
        clusterLost += other.clusterLost;
    }

    boolean isClean()
    {
        return lost + repeated + outOfOrder + wrong + unaccounted + falseEvents + clusterLost == 0;
    }

    @Override
    public String toString()
    {
        return right + " delivered, " + lost + " lost, " + repeated + " repeated, " + outOfOrder +
            " out of order, " + wrong + " wrong; " + gaps + " gaps with " + gapped + " offsets accounted for, " +
            unaccounted + " unaccounted; " + truncations + " truncations with " + truncated + " records taken back; " +
            falseEvents + " false events" + (clusterLost == 0 ? "" : "; " + clusterLost + " lost by the cluster");
    }
}
