// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A broker of a {@link ModelCluster}: its address, its release, its view of the metadata and its fetch sessions. Each
 * API is one {@link Api} in the table that the constructor fills.
 */
public final class ModelBroker
{
    /** Serves the requests of one API. */
    interface Api
    {
        /**
         * @param request not yet answered; if it was parked, the broker has changed or the deadline has passed.
         * @return the response, or null if the request was parked with {@link ModelRequest#park}.
         */
        ApiMessage respond(ModelRequest request);
    }

    private final ModelCluster cluster;
    private final int id;
    private final Map<ApiMessageType, Api> apis = new EnumMap<>(ApiMessageType.class);
    private final BrokerVersions versions;
    private final FetchSessions sessions;
    private final List<ModelConnection> connections = new ArrayList<>();
    private BrokerRelease release;
    private String host;
    private int port;
    private String rack;
    private boolean isUp = true;
    private boolean isRegistered = true;
    private MetadataView staleView;
    private BrokerHooks hooks;
    private long changeCount;

    ModelBroker(
        final ModelCluster cluster, final int id, final String host, final int port, final BrokerRelease release)
    {
        this.cluster = cluster;
        this.id = id;
        this.host = host;
        this.port = port;
        this.release = release;
        versions = new BrokerVersions(this);
        sessions = new FetchSessions(this);
        apis.put(ApiMessageType.API_VERSIONS, versions);
        apis.put(ApiMessageType.METADATA, new MetadataApi());
        apis.put(ApiMessageType.FETCH, new FetchApi(this, sessions));
        apis.put(ApiMessageType.PRODUCE, new ProduceApi(this));
        apis.put(ApiMessageType.INIT_PRODUCER_ID, new InitProducerIdApi());
        apis.put(ApiMessageType.LIST_OFFSETS, new ListOffsetsApi());
        apis.put(ApiMessageType.OFFSET_FOR_LEADER_EPOCH, new OffsetForLeaderEpochApi());
        apis.put(ApiMessageType.FIND_COORDINATOR, new FindCoordinatorApi());
        apis.put(ApiMessageType.OFFSET_COMMIT, new OffsetCommitApi());
        apis.put(ApiMessageType.OFFSET_FETCH, new OffsetFetchApi());
        apis.put(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, new ConsumerGroupHeartbeatApi());
        apis.put(ApiMessageType.DESCRIBE_GROUPS, new DescribeGroupsApi());
        for (final ApiMessageType type : ClassicGroupApi.TYPES)
        {
            apis.put(type, new ClassicGroupApi());
        }
        apis.put(ApiMessageType.SASL_HANDSHAKE, (request) -> request.connection().authentication().respond(request));
        apis.put(ApiMessageType.SASL_AUTHENTICATE, (request) -> request.connection().authentication().respond(request));
    }

    /** Replaces the cluster's hooks at this broker. */
    public void hooks(final BrokerHooks newHooks)
    {
        hooks = newHooks;
    }

    BrokerHooks hooks()
    {
        return hooks == null ? cluster.hooks() : hooks;
    }

    /** Accepts a connection. A simulated network refuses connects to a broker that is not up. */
    public ModelConnection connect()
    {
        final ModelConnection connection = new ModelConnection(this);
        connections.add(connection);
        return connection;
    }

    void onClosed(final ModelConnection connection)
    {
        connections.remove(connection);
    }

    /** Ends the broker's process: connections are closed, fetch sessions are lost. Metadata still lists the broker. */
    public void stop()
    {
        isUp = false;
        sessions.clear();
        for (final ModelConnection connection : List.copyOf(connections))
        {
            connection.close();
        }
    }

    /** Starts the broker's process again with a release; its view of the metadata is up to date. */
    public void start(final BrokerRelease newRelease)
    {
        isUp = true;
        release = newRelease;
        isRegistered = true;
        staleView = null;
        cluster.changed();
    }

    /** Adds the broker to the metadata or removes it, as the controller does when a broker is lost. */
    public void registered(final boolean newRegistered)
    {
        isRegistered = newRegistered;
        cluster.changed();
    }

    public void address(final String newHost, final int newPort)
    {
        host = newHost;
        port = newPort;
        cluster.changed();
    }

    public ModelBroker rack(final String newRack)
    {
        rack = newRack;
        cluster.changed();
        return this;
    }

    /**
     * Keeps the broker's view of the metadata as it is now, or brings it up to date. With a stale view the broker
     * answers Metadata requests from it, and serves the partitions that it believes to lead up to the high watermark
     * that it knew.
     */
    public void stale(final boolean isStale)
    {
        staleView = isStale ? new MetadataView(cluster) : null;
        changeCount++;
    }

    boolean isSupported(final ModelRequest request)
    {
        return request.type() == ApiMessageType.API_VERSIONS || apis.containsKey(request.type()) &&
            versions.isSupported(request.type(), request.version());
    }

    boolean isVersionRefused(final ModelRequest request)
    {
        return request.type() == ApiMessageType.API_VERSIONS &&
            !versions.isSupported(request.type(), request.version());
    }

    /** Executes a request that was not served when it came. A broker that has ended has forgotten it. */
    public void execute(final ModelRequest request)
    {
        if (isUp)
        {
            respond(request);
        }
    }

    ApiMessage respond(final ModelRequest request)
    {
        return apis.get(request.type()).respond(request);
    }

    /** Returns the error of a request for a partition that was found in the view, or {@link Errors#NONE}. */
    Errors check(final MetadataView.Partition partition, final int currentLeaderEpoch, final boolean isLeaderOnly)
    {
        if (partition == null)
        {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        if (!partition.hasReplica(id))
        {
            return Errors.NOT_LEADER_OR_FOLLOWER;
        }
        if (currentLeaderEpoch >= 0 && currentLeaderEpoch != partition.leaderEpoch)
        {
            return currentLeaderEpoch < partition.leaderEpoch ?
                Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
        }
        return isLeaderOnly && partition.leader != id ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.NONE;
    }

    /** Returns the first offset that this broker does not serve: the high watermark that it knows, or a smaller one. */
    long highWatermark(final MetadataView.Partition partition)
    {
        final long replicated = partition.partition.replicaEndOffset(id);
        final long highWatermark = Math.min(replicated, partition.partition.log().highWatermark());
        return staleView == null ? highWatermark : Math.min(highWatermark, partition.highWatermark);
    }

    MetadataView view()
    {
        return staleView == null ? cluster.view() : staleView;
    }

    void touch()
    {
        changeCount++;
    }

    /** Returns a number that increases with each change that may complete a parked request. */
    public long changeCount()
    {
        return changeCount;
    }

    public ModelCluster cluster()
    {
        return cluster;
    }

    public int id()
    {
        return id;
    }

    public String host()
    {
        return host;
    }

    public int port()
    {
        return port;
    }

    public String rack()
    {
        return rack;
    }

    public boolean isUp()
    {
        return isUp;
    }

    public boolean isRegistered()
    {
        return isRegistered;
    }

    public boolean isStale()
    {
        return staleView != null;
    }

    public BrokerRelease release()
    {
        return release;
    }

    /** Returns the versions that the broker supports, which a test may restrict. */
    public BrokerVersions versions()
    {
        return versions;
    }

    public FetchSessions sessions()
    {
        return sessions;
    }
}
