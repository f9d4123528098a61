// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A topic of a {@link ModelCluster}. */
public final class ModelTopic
{
    private final ModelCluster cluster;
    private final String name;
    private final Uuid id;
    private final int replicationFactor;
    private final List<ModelPartition> partitions = new ArrayList<>();

    ModelTopic(final ModelCluster cluster, final String name, final Uuid id, final int replicationFactor)
    {
        this.cluster = cluster;
        this.name = name;
        this.id = id;
        this.replicationFactor = replicationFactor;
    }

    /** Adds partitions, whose leaders and replicas are spread over the brokers. */
    public ModelTopic addPartitions(final int count)
    {
        final List<ModelBroker> brokers = cluster.brokers();
        for (int i = 0; i < count; i++)
        {
            final List<Integer> replicas = new ArrayList<>();
            for (int r = 0; r < replicationFactor; r++)
            {
                replicas.add(brokers.get((partitions.size() + r) % brokers.size()).id());
            }
            partitions.add(new ModelPartition(cluster, this, partitions.size(), List.copyOf(replicas)));
        }
        cluster.changed();
        return this;
    }

    public String name()
    {
        return name;
    }

    public Uuid id()
    {
        return id;
    }

    public List<ModelPartition> partitions()
    {
        return Collections.unmodifiableList(partitions);
    }

    public ModelPartition partition(final int index)
    {
        return partitions.get(index);
    }
}
