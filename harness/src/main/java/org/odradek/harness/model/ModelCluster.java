// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The state of a whole cluster: brokers, topics, logs, committed offsets. It has no thread, no clock of its own and no
 * randomness: the same calls at the same times give the same bytes.
 * <pre>{@code
 * ModelCluster cluster = new ModelCluster(clock);                    // clock: ns, never negative, never decreasing
 * ModelBroker broker = cluster.addBroker(1, "b1", 9092, BrokerRelease.NEWEST);
 * ModelTopic topic = cluster.createTopic("t", 4, 1);                 // partitions, replicas
 * topic.partition(0).log().append(BatchTemplate.ofValues("a", "b"));
 *
 * ModelConnection connection = broker.connect();
 * connection.request(frame);                                         // without the length field
 * ByteBuffer response = connection.response();                       // with it; null while the request is parked
 * connection.nextDeadline();                                         // ns; when response() may change by itself
 * broker.changeCount();                                              // or when this number has changed
 * connection.isClosed();                                             // after a malformed or unsupported request
 * }</pre>
 * <ul>
 *   <li>Leaders: {@link ModelPartition#elect}, {@link ModelPartition#electUncleanly}; crashes and releases:
 *   {@link ModelBroker#stop}, {@link ModelBroker#start}, {@link ModelBroker#registered}; stale metadata:
 *   {@link ModelBroker#stale}.</li>
 *   <li>Logs: {@link ModelLog}; batches are encoded once, as {@link BatchTemplate}s ({@link BatchPool} draws many).
 *   {@link ModelLog#record} returns what a reader must receive at an offset.</li>
 *   <li>Clients that publish: {@link #withProducers}.</li>
 *   <li>Groups with members: {@link #withGroups}, {@link ModelGroups}.</li>
 *   <li>Faults by request, scripts and lying frames: {@link BrokerHooks}.</li>
 *   <li>{@link ModelPeer} serves a broker over a real socket.</li>
 * </ul>
 */
public final class ModelCluster
{
    private static final BrokerHooks NO_HOOKS = new BrokerHooks()
    {
    };

    private final LongSupplier clock;
    private final List<ModelBroker> brokers = new ArrayList<>();
    private final Map<Integer, ModelBroker> brokersById = new LinkedHashMap<>();
    private final Map<String, ModelTopic> topics = new LinkedHashMap<>();
    private final GroupOffsets groupOffsets = new GroupOffsets();
    private ModelGroups groups;
    private String clusterId = "model-cluster";
    private BrokerHooks hooks = NO_HOOKS;
    private ModelSasl sasl;
    private boolean isFollowerFetching;
    private int controllerId;
    private int coordinatorId;
    private int logCount;
    private int minInSyncReplicas;
    private long producerCount;
    private short firstProducerEpoch;
    private int topicCount;
    private long version;
    private MetadataView view;

    /**
     * @param clock returns the time in ns, from 0 or more; it does not decrease or wrap.
     */
    public ModelCluster(final LongSupplier clock)
    {
        this.clock = clock;
    }

    /** Adds a broker. The first one is the controller and the coordinator of all groups. */
    public ModelBroker addBroker(final int id, final String host, final int port, final BrokerRelease release)
    {
        final ModelBroker broker = new ModelBroker(this, id, host, port, release);
        if (brokers.isEmpty())
        {
            controllerId = id;
            coordinatorId = id;
        }
        brokers.add(broker);
        brokersById.put(id, broker);
        changed();
        return broker;
    }

    /** Has the clients of all brokers authenticate, or not if null, on connections that are made from now on. */
    public void sasl(final ModelSasl newSasl)
    {
        sasl = newSasl;
    }

    ModelSasl sasl()
    {
        return sasl;
    }

    /** Creates a topic with an id that no other topic of the cluster has had. */
    public ModelTopic createTopic(final String name, final int partitionCount, final int replicationFactor)
    {
        return createTopic(name, new Uuid(0x0DD7ADE5_70D1C000L, ++topicCount), partitionCount, replicationFactor);
    }

    /** Creates a topic with an id; a topic of the same name is replaced. */
    public ModelTopic createTopic(
        final String name, final Uuid id, final int partitionCount, final int replicationFactor)
    {
        deleteTopic(name);
        final ModelTopic topic = new ModelTopic(this, name, id, replicationFactor);
        topics.put(name, topic);
        return topic.addPartitions(partitionCount);
    }

    /** Deletes a topic and its committed offsets; an unknown name changes nothing that a client can see. */
    public void deleteTopic(final String name)
    {
        topics.remove(name);
        groupOffsets.removeTopic(name);
        changed();
    }

    /** Notes a change of the metadata: brokers without a stale view see it at once. */
    void changed()
    {
        version++;
        for (final ModelBroker broker : brokers)
        {
            broker.touch();
        }
    }

    MetadataView view()
    {
        if (view == null || view.version != version)
        {
            view = new MetadataView(this);
        }
        return view;
    }

    int nextLogNumber()
    {
        return logCount++;
    }

    public long nowNs()
    {
        return clock.getAsLong();
    }

    /** Replaces the hooks of all brokers that have none of their own. */
    public void hooks(final BrokerHooks newHooks)
    {
        hooks = newHooks;
    }

    public BrokerHooks hooks()
    {
        return hooks;
    }

    /** Lets leaders name a replica in the client's rack as the one to read from, as with a rack-aware selector. */
    public void followerFetching(final boolean isEnabled)
    {
        isFollowerFetching = isEnabled;
        changed();
    }

    public boolean isFollowerFetching()
    {
        return isFollowerFetching;
    }

    /** Moves the coordinator of all groups to a broker; its offsets move with it. */
    public void coordinator(final int brokerId)
    {
        coordinator(brokerId, 0);
    }

    /**
     * Moves the coordinator of all groups to a broker, or restarts it there.
     *
     * @param brokerId  of the coordinator.
     * @param loadingNs how long it cannot serve members, because it loads the groups.
     */
    public void coordinator(final int brokerId, final long loadingNs)
    {
        coordinatorId = brokerId;
        changed();
        if (groups != null)
        {
            groups.load(loadingNs);
        }
    }

    /**
     * Lets groups have members (KIP-848), as brokers from 4.0 do. To be called before clients connect.
     *
     * @param settings of a broker for groups, such as {@code group.consumer.session.timeout.ms}; the others have
     *                 Kafka's defaults.
     */
    public ModelCluster withGroups(final Map<String, ?> settings)
    {
        groups = new ModelGroups(this, settings);
        return this;
    }

    /**
     * Lets clients publish. To be called before they connect.
     *
     * @param newMinInSyncReplicas with fewer, or fewer than all replicas if those are less, a partition accepts nothing
     *                             with acks=all.
     */
    public ModelCluster withProducers(final int newMinInSyncReplicas)
    {
        minInSyncReplicas = newMinInSyncReplicas;
        return this;
    }

    /** Has each producer begin with this epoch; that of a broker is 0. */
    public ModelCluster firstProducerEpoch(final int epoch)
    {
        firstProducerEpoch = (short)epoch;
        return this;
    }

    short firstProducerEpoch()
    {
        return firstProducerEpoch;
    }

    /** Returns 0 without {@link #withProducers}. */
    int minInSyncReplicas()
    {
        return minInSyncReplicas;
    }

    long nextProducerId()
    {
        return producerCount++;
    }

    /** Returns the coordinator of the groups with members; null without {@link #withGroups}. */
    public ModelGroups groups()
    {
        return groups;
    }

    public int coordinatorId()
    {
        return coordinatorId;
    }

    public int controllerId()
    {
        return controllerId;
    }

    public void clusterId(final String newClusterId)
    {
        clusterId = newClusterId;
    }

    public String clusterId()
    {
        return clusterId;
    }

    /** Returns the brokers in the order in which they were added, also those that are not up. */
    public List<ModelBroker> brokers()
    {
        return Collections.unmodifiableList(brokers);
    }

    public ModelBroker broker(final int id)
    {
        return brokersById.get(id);
    }

    /** Returns the topics in the order in which they were created. */
    public Collection<ModelTopic> topics()
    {
        return Collections.unmodifiableCollection(topics.values());
    }

    /** Returns null for an unknown name. */
    public ModelTopic topic(final String name)
    {
        return topics.get(name);
    }

    /** Returns the committed offsets of all groups. */
    public GroupOffsets groupOffsets()
    {
        return groupOffsets;
    }

    long version()
    {
        return version;
    }
}
