// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

/**
 * The partitions of the topic, as {@link Metadata} sees them: who leads them, and whether new metadata is wanted. The
 * part of the client that sends requests to the leaders implements it, so that metadata depends on no such part. Only
 * the thread of the duty cycle calls it.
 */
public interface PartitionLeaders
{
    /** The id of a leader that is not known. */
    int NULL_LEADER = -1;
    /** The epoch of a leader whose epoch is not known. */
    int NULL_EPOCH = -1;

    /** Why new metadata is wanted, from the least to the most urgent reason. */
    enum Need
    {
        NONE,
        /** It may be out of date, although nothing has failed. */
        REFRESH,
        /** Something fails repeatedly, or is unknown. The request waits for the backoff of the topic. */
        ERROR,
        /** Something has failed for the first time since it was answered well. The request is sent at once. */
        FIRST_ERROR;

        /** Returns the more urgent one of two reasons. */
        public Need and(final Need other)
        {
            return compareTo(other) < 0 ? other : this;
        }
    }

    /** Is notified when metadata brings another leader of a partition, or another epoch of the same one. */
    interface Listener
    {
        /** Ignores all leaders. */
        Listener NONE = (partition, leaderId, leaderEpoch) -> {};

        /**
         * A leader that was known has changed.
         *
         * @param leaderId    or {@link #NULL_LEADER}.
         * @param leaderEpoch or {@link #NULL_EPOCH}.
         */
        void onLeaderChanged(int partition, int leaderId, int leaderEpoch);
    }

    /** Makes room for partitions 0 to count - 1. */
    void ensureCapacity(int count);

    /** Returns how many partitions there is room for; the ids of partitions below are less. */
    int capacity();

    /** Returns true if the user reads the partition; false for every id that there is no room for. */
    boolean isAssigned(int partition);

    /** Returns the id of a partition's leader, or {@link #NULL_LEADER}. */
    int leaderId(int partition);

    /** Returns the epoch of a partition's leader, or {@link #NULL_EPOCH}. */
    int leaderEpoch(int partition);

    /**
     * Sets the leader of a partition.
     *
     * @param leaderId    or {@link #NULL_LEADER}.
     * @param leaderEpoch or {@link #NULL_EPOCH}.
     * @return true if the leader or its epoch has changed.
     */
    boolean leader(int partition, int leaderId, int leaderEpoch);

    /** Distributes partitions over brokers again, because the address of a broker has changed. */
    void changeAssignment();

    /** Returns why new metadata is wanted, and forgets it. */
    Need takeMetadataNeed();
}
