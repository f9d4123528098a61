// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

/**
 * Stores the leaders of a topic's partitions, and states whether new metadata is needed. The part of the client that
 * sends requests to the leaders implements this interface.
 */
public interface PartitionLeaders
{
    /** The value for an unknown leader. */
    int NULL_LEADER = -1;
    /** The value for an unknown epoch. */
    int NULL_EPOCH = -1;

    /** The reasons for new metadata, from the least to the most urgent one. */
    enum Need
    {
        NONE,
        /** The metadata may be out of date, although nothing has failed. */
        REFRESH,
        /** The request waits for the backoff of the topic. */
        ERROR,
        /** The request skips the backoff of the topic. */
        FIRST_ERROR;

        public Need and(final Need other)
        {
            return compareTo(other) < 0 ? other : this;
        }
    }

    interface Listener
    {
        Listener NONE = (partition, leaderId, leaderEpoch) -> {};

        /** A known leader of a partition, or its epoch, has changed. */
        void onLeaderChanged(int partition, int leaderId, int leaderEpoch);
    }

    /** Makes room for partitions 0 to count - 1. */
    void ensureCapacity(int count);

    int capacity();

    /**
     * Returns true if each metadata response should contain the partition, because the client uses it; false for every
     * id of {@link #capacity()} or more.
     */
    boolean isAssigned(int partition);

    int leaderId(int partition);

    int leaderEpoch(int partition);

    /**
     * Sets the leader of a partition.
     *
     * @param leaderId    id of the leader, or {@link #NULL_LEADER} if it is unknown.
     * @param leaderEpoch epoch of the leader, or {@link #NULL_EPOCH} if it is unknown.
     * @return true if the leader or its epoch has changed.
     */
    boolean leader(int partition, int leaderId, int leaderEpoch);

    /** Distributes partitions over brokers again, because the address of a broker has changed. */
    void changeAssignment();

    /** Returns and forgets the most urgent reason for new metadata since the last call. */
    Need takeMetadataNeed();
}
