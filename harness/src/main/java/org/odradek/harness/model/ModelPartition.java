// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import java.util.Arrays;
import java.util.List;

/**
 * A partition of a {@link ModelTopic}: its replicas, its leader and the log that its replicas share. A follower may be
 * behind; it serves the log up to its own end.
 */
public final class ModelPartition
{
    /** The leader of a partition that has none. */
    public static final int NO_LEADER = -1;

    private final ModelCluster cluster;
    private final ModelTopic topic;
    private final int index;
    private final ModelLog log;
    private final ProducerStates producers = new ProducerStates();
    private List<Integer> replicas;
    private ModelBroker[] replicaBrokers;
    private long[] replicaEndOffsets;
    private int leader;
    private int leaderEpoch;

    ModelPartition(final ModelCluster cluster, final ModelTopic topic, final int index, final List<Integer> replicas)
    {
        this.cluster = cluster;
        this.topic = topic;
        this.index = index;
        log = new ModelLog(cluster.nextLogNumber(), this::touch);
        replicas(replicas);
        leader = replicas.get(0);
        log.leaderEpoch(leaderEpoch);
    }

    /** Replaces the replicas, all of which have the whole log; the leader stays. */
    public void replicas(final List<Integer> newReplicas)
    {
        replicas = List.copyOf(newReplicas);
        replicaBrokers = replicas.stream().map(cluster::broker).toArray(ModelBroker[]::new);
        replicaEndOffsets = new long[replicaBrokers.length];
        Arrays.fill(replicaEndOffsets, Long.MAX_VALUE);
        cluster.changed();
    }

    /**
     * Elects a leader under the next leader epoch.
     *
     * @param brokerId a replica, or {@link #NO_LEADER}.
     */
    public void elect(final int brokerId)
    {
        elect(brokerId, leaderEpoch + 1);
    }

    /** Elects a leader under a leader epoch. */
    public void elect(final int brokerId, final int newLeaderEpoch)
    {
        leader = brokerId;
        leaderEpoch = newLeaderEpoch;
        if (brokerId != NO_LEADER)
        {
            replicaEndOffset(brokerId, Long.MAX_VALUE);
            log.leaderEpoch(newLeaderEpoch);
        }
        cluster.changed();
    }

    /**
     * Elects a replica that lacks the end of the log: the log is truncated. Brokers with a stale view are brought up to
     * date, because the model keeps one log for all replicas.
     *
     * @param brokerId  of the new leader.
     * @param endOffset of its log.
     */
    public void electUncleanly(final int brokerId, final long endOffset)
    {
        cluster.brokers().stream().filter(ModelBroker::isStale).forEach((broker) -> broker.stale(false));
        log.truncate(endOffset);
        producers.truncate(log.endOffset());
        elect(brokerId);
    }

    /** Sets the end of a follower's log; {@link Long#MAX_VALUE} for a follower that has the whole log. */
    public void replicaEndOffset(final int brokerId, final long endOffset)
    {
        replicaEndOffsets[replicas.indexOf(brokerId)] = endOffset;
        touch();
    }

    long replicaEndOffset(final int brokerId)
    {
        for (int i = 0; i < replicaBrokers.length; i++)
        {
            if (replicaBrokers[i].id() == brokerId)
            {
                return replicaEndOffsets[i];
            }
        }
        return 0;
    }

    /** Whether as many replicas are in sync as a record of acks=all must have. */
    boolean isEnoughInSync()
    {
        int inSync = 0;
        for (int i = 0; i < replicaBrokers.length; i++)
        {
            inSync += replicaBrokers[i].isUp() && replicaEndOffsets[i] == Long.MAX_VALUE ? 1 : 0;
        }
        return inSync >= Math.min(cluster.minInSyncReplicas(), replicaBrokers.length);
    }

    ProducerStates producers()
    {
        return producers;
    }

    private void touch()
    {
        for (final ModelBroker broker : replicaBrokers)
        {
            broker.touch();
        }
    }

    public ModelTopic topic()
    {
        return topic;
    }

    public int index()
    {
        return index;
    }

    public ModelLog log()
    {
        return log;
    }

    /** Returns the ids of the brokers that have the log. */
    public List<Integer> replicas()
    {
        return replicas;
    }

    /** Returns the id of the leader, or {@link #NO_LEADER}. */
    public int leader()
    {
        return leader;
    }

    public int leaderEpoch()
    {
        return leaderEpoch;
    }
}
