// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * Moves partitions to a replica that their leader has named, because it is in the rack of this client (KIP-392), and
 * back to the leader: after a while, to be told anew, and at once when the replica cannot serve.
 */
public final class ReadReplicas
{
    private final PartitionTable table;
    private final PartitionSources sources;

    /**
     * @param table of the partitions.
     */
    public ReadReplicas(final PartitionTable table)
    {
        this.table = table;
        sources = table.sources();
    }

    /**
     * @param nodeId  of the replica.
     * @param untilNs time of the duty cycle at which to go back to the leader.
     */
    void begin(final int partition, final int nodeId, final long untilNs)
    {
        move(partition, nodeId, untilNs);
    }

    /**
     * Leave a replica that cannot serve. The leader is asked only after a while, because it may name the same one
     * again.
     *
     * @param partition that is read from the replica.
     * @param errorCode why.
     * @param untilNs   time of the duty cycle at which to ask the leader.
     */
    public void leave(final int partition, final short errorCode, final long untilNs)
    {
        move(partition, PartitionTable.NULL_LEADER, 0);
        table.backOff(partition, errorCode, untilNs);
    }

    /**
     * Leave replicas that have been read from for long enough.
     *
     * @param nowNs of the duty cycle.
     */
    public void expire(final long nowNs)
    {
        if (sources.isReplicaOver(nowNs))
        {
            int p = sources.nextReplicaOver(0, nowNs);
            while (p < table.capacity())
            {
                move(p, PartitionTable.NULL_LEADER, 0);
                p = sources.nextReplicaOver(p + 1, nowNs);
            }
        }
    }

    private void move(final int partition, final int nodeId, final long untilNs)
    {
        sources.replica(partition, nodeId, untilNs);
        table.marks().changeAssignment();
        table.invalidate(partition);
    }
}
