// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The metadata of a cluster at one time, as one broker knows it. Immutable. */
final class MetadataView
{
    /** The address of a broker. */
    record Node(int id, String host, int port, String rack)
    {
    }

    static final class Partition
    {
        final ModelPartition partition;
        final int leader;
        final int leaderEpoch;
        final List<Integer> replicas;
        final long highWatermark;

        Partition(final ModelPartition partition)
        {
            this.partition = partition;
            leader = partition.leader();
            leaderEpoch = partition.leaderEpoch();
            replicas = partition.replicas();
            highWatermark = partition.log().highWatermark();
        }

        boolean hasReplica(final int brokerId)
        {
            for (int i = 0; i < replicas.size(); i++)
            {
                if (replicas.get(i) == brokerId)
                {
                    return true;
                }
            }
            return false;
        }
    }

    static final class Topic
    {
        final String name;
        final Uuid id;
        final Partition[] partitions;

        Topic(final ModelTopic topic)
        {
            name = topic.name();
            id = topic.id();
            partitions = topic.partitions().stream().map(Partition::new).toArray(Partition[]::new);
        }

        /** Returns null if there is no such partition. */
        Partition partition(final int index)
        {
            return index >= 0 && index < partitions.length ? partitions[index] : null;
        }
    }

    final long version;
    final List<Node> nodes = new ArrayList<>();
    final int controllerId;
    private final Map<String, Topic> byName = new LinkedHashMap<>();
    private final Map<Uuid, Topic> byId = new LinkedHashMap<>();

    MetadataView(final ModelCluster cluster)
    {
        version = cluster.version();
        controllerId = cluster.controllerId();
        for (final ModelBroker broker : cluster.brokers())
        {
            if (broker.isRegistered())
            {
                nodes.add(new Node(broker.id(), broker.host(), broker.port(), broker.rack()));
            }
        }
        for (final ModelTopic topic : cluster.topics())
        {
            final Topic viewed = new Topic(topic);
            byName.put(viewed.name, viewed);
            byId.put(viewed.id, viewed);
        }
    }

    Iterable<Topic> topics()
    {
        return byName.values();
    }

    /** Returns null for an unknown name. */
    Topic topic(final String name)
    {
        return byName.get(name);
    }

    /** Returns null for an unknown id. */
    Topic topic(final Uuid id)
    {
        return byId.get(id);
    }

    /** Returns null for a topic or partition that does not exist. */
    Partition partition(final String name, final int index)
    {
        final Topic topic = byName.get(name);
        return topic == null ? null : topic.partition(index);
    }

    /** Returns null for a broker that is not registered. */
    Node node(final int id)
    {
        for (final Node node : nodes)
        {
            if (node.id == id)
            {
                return node;
            }
        }
        return null;
    }
}
