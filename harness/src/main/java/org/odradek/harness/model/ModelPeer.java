// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;
import org.odradek.harness.ScriptedPeer;
import org.odradek.testkit.internal.Identity;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Serves a {@link ModelBroker} over a real socket, with scripts for single APIs and single partitions of a fetch. Each
 * connection has a thread. The threads use the cluster under its lock, and a test changes the cluster in
 * {@link #change}. Scripts of an API run outside the lock, those of a partition under it.
 * <pre>{@code
 * ModelCluster cluster = new ModelCluster(ModelPeer.clock());
 * try (ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST))
 * {
 *     cluster.createTopic("t", 1, 1);
 *     peer.script(ApiMessageType.METADATA, (call) -> Answer.reset());
 *     connect(peer.address());
 * }
 * }</pre>
 */
public final class ModelPeer implements AutoCloseable
{
    /** A request and its content. */
    public record Call(RequestFrame frame, ApiMessageType type, ApiMessage request)
    {
        public short version()
        {
            return frame.apiVersion();
        }

        /** Returns a response to this request. */
        public Answer answer(final ApiMessage response)
        {
            return frame.answer(response);
        }

        /** Returns the bytes of a response that follow the correlation id. */
        public byte[] body(final ApiMessage response)
        {
            return frame.body(response);
        }
    }

    private final Map<ApiMessageType, Function<Call, Answer>> scripts = new ConcurrentHashMap<>();
    private final Map<Integer, Function<FetchPartition, PartitionData>> partitionScripts = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> fetchCounts = new ConcurrentHashMap<>();
    private final Map<Integer, ModelConnection> connections = new HashMap<>();
    private final ModelCluster cluster;
    private final ModelBroker broker;
    private final ScriptedPeer peer;
    private boolean isClosed;

    private ModelPeer(
        final ModelCluster cluster, final int brokerId, final BrokerRelease release, final Identity identity)
    {
        this.cluster = cluster;
        peer = identity == null ? ScriptedPeer.start(this::onRequest) :
            ScriptedPeer.startTls(identity, this::onRequest);
        synchronized (cluster)
        {
            broker = cluster.addBroker(brokerId, "127.0.0.1", peer.port(), release);
            broker.hooks(new BrokerHooks()
            {
                @Override
                public PartitionData fetched(
                    final ModelRequest request, final String topic, final FetchPartition requested)
                {
                    return onFetched(requested);
                }
            });
        }
    }

    /** Returns a clock for a cluster that is served over sockets. */
    public static LongSupplier clock()
    {
        final long originNs = System.nanoTime();
        return () -> System.nanoTime() - originNs;
    }

    /** Adds a broker to a cluster and listens on a free port. Topics are created after their brokers. */
    public static ModelPeer start(final ModelCluster cluster, final int brokerId, final BrokerRelease release)
    {
        return new ModelPeer(cluster, brokerId, release, null);
    }

    /** As {@link #start}, over TLS. */
    public static ModelPeer startTls(
        final ModelCluster cluster, final int brokerId, final BrokerRelease release, final Identity identity)
    {
        return new ModelPeer(cluster, brokerId, release, identity);
    }

    /** Changes the cluster: each response has all of the changes or none. */
    public void change(final Runnable change)
    {
        synchronized (cluster)
        {
            change.run();
            cluster.notifyAll();
        }
    }

    /** Answers an API with the result of a script, or as usual if it returns null. */
    public void script(final ApiMessageType type, final Function<Call, Answer> script)
    {
        scripts.put(type, script);
    }

    /** Answers for one partition of a fetch, of any topic, with the result of a script, or as usual if it is null. */
    public void script(final int partition, final Function<FetchPartition, PartitionData> script)
    {
        partitionScripts.put(partition, script);
    }

    /** Removes the script of a partition. */
    public void heal(final int partition)
    {
        partitionScripts.remove(partition);
    }

    /** Returns how often a partition was requested, by a request that names it or by a session that holds it. */
    public int fetchCount(final int partition)
    {
        return fetchCounts.getOrDefault(partition, 0);
    }

    public int requestCount(final ApiMessageType type)
    {
        return peer.requestCount(type.apiKey());
    }

    public ModelBroker broker()
    {
        return broker;
    }

    public ScriptedPeer peer()
    {
        return peer;
    }

    public String address()
    {
        return peer.address();
    }

    /**
     * Returns the model's response, for a script that changes it; waits as the model does.
     *
     * @throws IllegalStateException if the model does not respond.
     */
    public ApiMessage usual(final Call call)
    {
        final ByteBuffer frame;
        synchronized (cluster)
        {
            final ModelConnection connection = broker.connect();
            frame = exchange(connection, call.frame());
            connection.close();
        }
        if (frame == null)
        {
            throw new IllegalStateException("The model does not respond to " + call.frame() + ".");
        }
        final ByteBufferAccessor reader = new ByteBufferAccessor(frame.position(Integer.BYTES));
        new ResponseHeaderData(reader, call.type().responseHeaderVersion(call.version()));
        final ApiMessage response = call.type().newResponse();
        response.read(reader, call.version());
        return response;
    }

    private PartitionData onFetched(final FetchPartition requested)
    {
        fetchCounts.merge(requested.partition(), 1, Integer::sum);
        final Function<FetchPartition, PartitionData> script = partitionScripts.get(requested.partition());
        return script == null ? null : script.apply(requested);
    }

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessageType type = frame.type();
        final Function<Call, Answer> script = scripts.get(type);
        final Answer scripted = script == null ? null : script.apply(new Call(frame, type, frame.message()));
        return scripted == null ? serve(frame) : scripted;
    }

    private Answer serve(final RequestFrame frame)
    {
        synchronized (cluster)
        {
            final ModelConnection connection =
                connections.computeIfAbsent(frame.connection(), (number) -> broker.connect());
            final ByteBuffer response = exchange(connection, frame);
            if (response == null)
            {
                return connection.isClosed() || isClosed ? Answer.close() : Answer.never();
            }
            final byte[] bytes = new byte[response.remaining()];
            response.get(bytes);
            return Answer.raw(bytes);
        }
    }

    /** Returns null if the connection or the peer is closed, or the response is dropped. */
    private ByteBuffer exchange(final ModelConnection connection, final RequestFrame frame)
    {
        connection.request(ByteBuffer.wrap(frame.payload()));
        ByteBuffer response = connection.response();
        while (response == null && !isClosed && connection.nextDeadline() != Long.MAX_VALUE)
        {
            await(connection.nextDeadline() - cluster.nowNs());
            response = connection.response();
        }
        return response;
    }

    private void await(final long waitNs)
    {
        try
        {
            cluster.wait(TimeUnit.NANOSECONDS.toMillis(Math.max(0, waitNs)) + 1);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            isClosed = true;
        }
    }

    @Override
    public void close()
    {
        peer.close();
        change(() -> isClosed = true); // ends the waits of parked requests
    }
}
