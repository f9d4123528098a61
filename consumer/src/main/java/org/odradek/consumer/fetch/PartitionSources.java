// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * From which broker each partition is read, in arrays indexed by partition id: its leader, or for a while a replica
 * nearer by that the leader has named (KIP-392); and which fetcher's list it is on.
 */
public final class PartitionSources
{
    private static final int NULL_NODE = PartitionTable.NULL_LEADER;

    private int[] leaderIds = {};
    private int[] leaderEpochs = {};
    private int[] replicaIds = {};
    private long[] replicaUntilNs = {};
    private ChangedPartitions[] askers = {};
    private int replicaCount;
    private long firstUntilNs;

    void ensureCapacity(final int from, final int to)
    {
        leaderIds = Arrays.copyOf(leaderIds, to);
        leaderEpochs = Arrays.copyOf(leaderEpochs, to);
        replicaIds = Arrays.copyOf(replicaIds, to);
        replicaUntilNs = Arrays.copyOf(replicaUntilNs, to);
        askers = Arrays.copyOf(askers, to);
        Arrays.fill(leaderIds, from, to, NULL_NODE);
        Arrays.fill(leaderEpochs, from, to, PartitionTable.NULL_EPOCH);
        Arrays.fill(replicaIds, from, to, NULL_NODE);
    }

    void leader(final int partition, final int leaderId, final int leaderEpoch)
    {
        endReplica(partition);
        leaderIds[partition] = leaderId;
        leaderEpochs[partition] = leaderEpoch;
    }

    int leaderId(final int partition)
    {
        return leaderIds[partition];
    }

    int leaderEpoch(final int partition)
    {
        return leaderEpochs[partition];
    }

    /**
     * @param nodeId of the replica, or {@link PartitionTable#NULL_LEADER} for the leader.
     */
    void replica(final int partition, final int nodeId, final long untilNs)
    {
        endReplica(partition);
        if (nodeId != NULL_NODE)
        {
            replicaIds[partition] = nodeId;
            replicaUntilNs[partition] = untilNs;
            firstUntilNs = replicaCount == 0 || untilNs - firstUntilNs < 0 ? untilNs : firstUntilNs;
            replicaCount++;
        }
    }

    private void endReplica(final int partition)
    {
        if (replicaIds[partition] != NULL_NODE)
        {
            replicaIds[partition] = NULL_NODE;
            replicaCount--;
        }
    }

    /**
     * Whether a partition is read from this broker although another leads it.
     */
    boolean isReplica(final int partition, final int nodeId)
    {
        return replicaIds[partition] == nodeId;
    }

    /**
     * Whether it may be that a partition has been read from a replica for long enough.
     */
    boolean isReplicaOver(final long nowNs)
    {
        return replicaCount > 0 && firstUntilNs - nowNs <= 0;
    }

    /**
     * Look which partitions have been read from a replica for long enough.
     *
     * @param from partition to look at first.
     * @return the next one, or the capacity if there is none; then the time to look again is known as well.
     */
    int nextReplicaOver(final int from, final long nowNs)
    {
        for (int p = from; p < replicaIds.length; p++)
        {
            if (replicaIds[p] != NULL_NODE && replicaUntilNs[p] - nowNs <= 0)
            {
                return p;
            }
        }
        firstUntilNs = nowNs + Long.MAX_VALUE;
        for (int p = 0; p < replicaIds.length; p++)
        {
            if (replicaIds[p] != NULL_NODE && replicaUntilNs[p] - firstUntilNs < 0)
            {
                firstUntilNs = replicaUntilNs[p];
            }
        }
        return replicaIds.length;
    }

    /**
     * The broker to read from, or {@link PartitionTable#NULL_LEADER}.
     */
    public int nodeId(final int partition)
    {
        return replicaIds[partition] == NULL_NODE ? leaderIds[partition] : replicaIds[partition];
    }

    /**
     * Put a partition on a fetcher's list, and on that of the one before, which is to ask for it no longer.
     *
     * @param asker or null for none.
     */
    void asker(final int partition, final ChangedPartitions asker)
    {
        changed(partition);
        askers[partition] = asker;
        changed(partition);
    }

    ChangedPartitions asker(final int partition)
    {
        return askers[partition];
    }

    /**
     * Something that a request says of the partition may have changed.
     */
    void changed(final int partition)
    {
        if (askers[partition] != null)
        {
            askers[partition].add(partition);
        }
    }
}
