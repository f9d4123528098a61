// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

/** Stores the leaders of a topic's partitions, and states whether new metadata is needed. */
public interface PartitionLeaders
{
    int NULL_LEADER = -1;
    int NULL_EPOCH = -1;

    /** Names the reasons for new metadata in ascending order of urgency. */
    enum Need
    {
        NONE,
        /** The metadata may be out of date, although nothing has failed. */
        REFRESH,
        /** The next request waits for the backoff of the topic. */
        ERROR,
        /** The next request does not wait for the backoff of the topic. */
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

    void ensureCapacity(int count);

    int capacity();

    /**
     * Returns true if each metadata response should contain the partition; false for every id of {@link #capacity()} or
     * more.
     */
    boolean isAssigned(int partition);

    int leaderId(int partition);

    int leaderEpoch(int partition);

    /**
     * @param leaderId    id of the leader, or {@link #NULL_LEADER} if it is unknown.
     * @param leaderEpoch epoch of the leader, or {@link #NULL_EPOCH} if it is unknown.
     * @return true if the leader or its epoch has changed.
     */
    boolean leader(int partition, int leaderId, int leaderEpoch);

    /**
     * Takes note that the address of a broker has changed, so partitions must be distributed over the brokers again.
     */
    void changeAssignment();

    /** Returns and forgets the most urgent reason for new metadata since the last call. */
    Need takeMetadataNeed();
}
