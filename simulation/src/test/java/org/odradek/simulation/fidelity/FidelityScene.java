// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelBroker;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelConnection;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelSasl;
import org.odradek.harness.model.ModelTopic;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * A real broker and a model of it with the same topics, whose logs hold the same bytes. It sends the same requests to
 * both and collects the differences of the responses, decoded by the message classes of kafka-clients.
 */
final class FidelityScene implements AutoCloseable
{
    static final String CLIENT = "fidelity";

    private static final int NODE_ID = 1;
    private static final int SOCKET_TIMEOUT_MS = 30_000;

    /** Sends request frames to one of the two brokers. */
    abstract static class Side implements AutoCloseable
    {
        /** The id of the fetch session that the broker has granted last. */
        int sessionId;
        /** Whether the last request, a fetch, waited until its deadline. */
        boolean hasWaited;
        /** The ids that the broker has given to the members of classic groups, by the names that the test gives. */
        private final Map<String, String> memberIds = new HashMap<>();
        private String joinedId;
        /** The last message of the broker that authenticates a client. */
        byte[] challenge;

        /** Returns the id of a member; that of one which has not joined is empty. */
        String memberId(final String name)
        {
            return memberIds.getOrDefault(name, "");
        }

        /**
         * @param frame     without its length field.
         * @param maxWaitMs of a fetch, or 0.
         * @return the response without its length field, or null if the broker has closed the connection.
         */
        final ByteBuffer exchange(final byte[] frame, final int maxWaitMs)
        {
            return begin(frame) ? end(maxWaitMs) : null;
        }

        /** Sends a request; returns false if the broker has closed the connection. */
        abstract boolean begin(byte[] frame);

        /** Receives the response to the request that was sent last. */
        abstract ByteBuffer end(int maxWaitMs);

        @Override
        public abstract void close();
    }

    private final class ModelSide extends Side
    {
        private ModelConnection connection;

        @Override
        boolean begin(final byte[] frame)
        {
            if (connection == null)
            {
                connection = model.connect();
            }
            try
            {
                connection.request(ByteBuffer.wrap(frame));
                return true;
            }
            catch (final RuntimeException ex)
            {
                close();
                throw ex;
            }
        }

        @Override
        ByteBuffer end(final int maxWaitMs)
        {
            try
            {
                final ByteBuffer response = response();
                hasWaited &= maxWaitMs > 0;
                connection = response == null ? null : connection;
                return response;
            }
            catch (final RuntimeException ex)
            {
                close();
                throw ex;
            }
        }

        private ByteBuffer response()
        {
            hasWaited = false;
            ByteBuffer response = connection.response();
            while (response == null && !connection.isClosed())
            {
                assertFalse(hasWaited, "the model does not respond at its deadline");
                nowNs = connection.nextDeadline();
                hasWaited = true;
                response = connection.response();
            }
            return response == null ? null : response.position(Integer.BYTES).slice();
        }

        @Override
        public void close()
        {
            if (connection != null)
            {
                connection.close();
                connection = null;
            }
        }
    }

    private final class RealSide extends Side
    {
        private Socket socket;
        private long startNs;

        @Override
        boolean begin(final byte[] frame)
        {
            try
            {
                if (socket == null)
                {
                    socket = new Socket("127.0.0.1", port);
                    socket.setSoTimeout(SOCKET_TIMEOUT_MS);
                    socket.setTcpNoDelay(true);
                }
                startNs = System.nanoTime();
                socket.getOutputStream().write(
                    ByteBuffer.allocate(Integer.BYTES + frame.length).putInt(frame.length).put(frame).array());
                return true;
            }
            catch (final SocketException ex)
            {
                close();
                return false;
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }

        @Override
        ByteBuffer end(final int maxWaitMs)
        {
            try
            {
                final DataInputStream input = new DataInputStream(socket.getInputStream());
                final byte[] response = new byte[input.readInt()];
                input.readFully(response);
                // Half of it: the broker counts whole milliseconds, so it may answer up to two too early.
                hasWaited = maxWaitMs > 0 && System.nanoTime() - startNs >= maxWaitMs * 500_000L;
                return ByteBuffer.wrap(response);
            }
            catch (final EOFException | SocketException ex)
            {
                close();
                return null;
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }

        @Override
        public void close()
        {
            if (socket != null)
            {
                try
                {
                    socket.close();
                }
                catch (final IOException ex)
                {
                    throw new UncheckedIOException(ex);
                }
                socket = null;
            }
        }
    }

    /** A request that waits for others at both brokers, each on a connection of its own. */
    final class Waiting
    {
        private final Side waitingReal = new RealSide();
        private final Side waitingModel = new ModelSide();
        private final String name;
        private final ApiMessageType type;
        private final short version;
        private final int idAtReal;
        private final int idAtModel;

        private Waiting(final String name, final ApiMessageType type, final short version,
            final BiFunction<Side, Short, ApiMessage> request)
        {
            this.name = name;
            this.type = type;
            this.version = version;
            waitingReal.begin(encode(type, version, request.apply(real, version)));
            idAtReal = correlationId;
            waitingModel.begin(encode(type, version, request.apply(modelled, version)));
            idAtModel = correlationId;
        }

        /** Compares the responses, which have become due. */
        void compare()
        {
            final ApiMessage fromReal = decode(type, version, idAtReal, waitingReal.end(0));
            note(name, fromReal, decode(type, version, idAtModel, waitingModel.end(0)));
            waitingReal.close();
            waitingModel.close();
        }
    }

    /** An assignment does not wait for others, so that no time has to pass. */
    private static final Map<String, String> GROUP_SETTINGS = Map.of("group.consumer.assignment.interval.ms", "0",
        "group.initial.rebalance.delay.ms", "0", "group.max.size", "2");

    final Side real = new RealSide();
    final Side modelled = new ModelSide();
    private final EmbeddedBroker broker;
    private final ModelCluster cluster;
    private final ModelBroker model;
    private final List<String> differences = new ArrayList<>();
    private long nowNs;
    private int port;
    private int comparisons;
    private int correlationId;

    FidelityScene()
    {
        this(new BrokerSettings());
    }

    FidelityScene(final BrokerSettings settings)
    {
        broker = EmbeddedBroker.start(settings.set(GROUP_SETTINGS));
        port = broker.port();
        cluster = new ModelCluster(() -> nowNs).withGroups(GROUP_SETTINGS).withProducers(1);
        model = cluster.addBroker(NODE_ID, "127.0.0.1", broker.port(), BrokerRelease.NEWEST);
        cluster.clusterId(realMetadata(null).clusterId());
    }

    /** Continues on new connections, to a listener of the real broker that demands authentication as the model does. */
    void authenticate(final SecureListener listener, final ModelSasl sasl)
    {
        reconnect();
        port = broker.port(listener);
        cluster.sasl(sasl);
    }

    /** Continues on new connections. */
    void reconnect()
    {
        real.close();
        modelled.close();
    }

    /** Lets a time pass at both. */
    void pass(final long ms)
    {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    /** Creates a topic in both. */
    ModelTopic createTopic(final String name, final int partitions)
    {
        broker.client().createTopic(name, partitions, Map.of("retention.ms", "-1"));
        final MetadataResponseTopic topic = realMetadata(name).topics().iterator().next();
        return cluster.createTopic(name, topic.topicId(), partitions, 1);
    }

    /** Replaces the logs of the real broker with those of the model. The broker recovers them when it starts. */
    void installLogs() throws IOException
    {
        real.close();
        // Raises the leader epochs: a leader forgets the epochs of its log that are not below its own.
        broker.restart();
        broker.stop();
        final Path data = broker.dataFolder().resolve("data");
        for (final ModelTopic topic : cluster.topics())
        {
            for (final ModelPartition partition : topic.partitions())
            {
                final Path folder = data.resolve(topic.name() + "-" + partition.index());
                delete(folder, "00000000000000000000.");
                Files.writeString(folder.resolve("leader-epoch-checkpoint"), epochs(partition.log()));
                Files.write(folder.resolve("00000000000000000000.log"), bytes(partition.log()));
            }
        }
        delete(data, ".kafka_cleanshutdown");
        delete(data, "recovery-point-offset-checkpoint");
        broker.restart();
        Await.until("leaders", () -> cluster.topics().stream().flatMap((topic) -> topic.partitions().stream())
            .allMatch(this::isLed));
        for (final MetadataResponseTopic topic : realMetadata(null).topics())
        {
            for (final MetadataResponsePartition partition : topic.partitions())
            {
                cluster.topic(topic.name()).partition(partition.partitionIndex()).elect(NODE_ID,
                    partition.leaderEpoch());
            }
        }
    }

    /** Returns whether the real broker serves a partition as its leader, which its metadata may say before. */
    private boolean isLed(final ModelPartition partition)
    {
        final ApiMessageType type = ApiMessageType.LIST_OFFSETS;
        final short version = type.highestSupportedVersion(false);
        final ListOffsetsResponseData response = (ListOffsetsResponseData)decode(type, version, real.exchange(encode(
            type, version, FidelityRequests.offsets(
                partition.topic().name(), FidelityRequests.at(partition.index(), -1))), 0));
        return response.topics().get(0).partitions().get(0).errorCode() == Errors.NONE.code();
    }

    private static void delete(final Path folder, final String prefix) throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            for (final Path file : files.filter((path) -> path.getFileName().toString().startsWith(prefix)).toList())
            {
                Files.delete(file);
            }
        }
    }

    /** Returns the whole log, which is in one segment. */
    private static byte[] bytes(final ModelLog log)
    {
        final int length = log.readableLength(0, log.endOffset(), Integer.MAX_VALUE, true);
        final byte[] bytes = new byte[length];
        if (length > 0)
        {
            log.read(0, length).get(bytes);
        }
        return bytes;
    }

    /** Returns the contents of the file in which a broker stores the start offsets of the epochs. */
    private static String epochs(final ModelLog log)
    {
        final StringBuilder lines = new StringBuilder();
        int count = 0;
        for (int epoch = 0; epoch <= log.leaderEpoch(); epoch++)
        {
            if (log.floorEpoch(epoch) == epoch)
            {
                lines.append(epoch).append(' ').append(epoch == 0 ? 0 : log.epochEndOffset(epoch - 1)).append('\n');
                count++;
            }
        }
        return "0\n" + count + "\n" + lines;
    }

    private MetadataResponseData realMetadata(final String topic)
    {
        final MetadataRequestData request = new MetadataRequestData().setTopics(topic == null ? null :
            List.of(new MetadataRequestData.MetadataRequestTopic().setName(topic)));
        final ApiMessageType type = ApiMessageType.METADATA;
        final short version = type.highestSupportedVersion(false);
        return (MetadataResponseData)decode(type, version, real.exchange(encode(type, version, request), 0));
    }

    /** Returns whether the real broker has become the coordinator of groups, which the first request starts. */
    boolean isRealCoordinatorReady()
    {
        final ApiMessageType type = ApiMessageType.OFFSET_FETCH;
        final ApiMessageType finder = ApiMessageType.FIND_COORDINATOR;
        real.exchange(encode(finder, (short)0, new FindCoordinatorRequestData().setKey("g")), 0);
        final OffsetFetchResponseData response = (OffsetFetchResponseData)decode(type, (short)7, real.exchange(
            encode(type, (short)7, new OffsetFetchRequestData().setGroupId("g").setTopics(null)), 0));
        return response.errorCode() == Errors.NONE.code();
    }

    ModelCluster cluster()
    {
        return cluster;
    }

    /** Compares the responses of all versions from one to another. */
    void compare(
        final String name,
        final ApiMessageType type,
        final int from,
        final int to,
        final BiFunction<Side, Short, ApiMessage> request)
    {
        for (int version = from; version <= to; version++)
        {
            compare(name, type, version, request);
        }
    }

    /** Compares the responses of all versions that the broker supports. */
    void compare(final String name, final ApiMessageType type, final BiFunction<Side, Short, ApiMessage> request)
    {
        compare(name, type, model.versions().min(type), model.versions().max(type), request);
    }

    /** Compares the responses of one version. */
    void compare(
        final String name,
        final ApiMessageType type,
        final int version,
        final BiFunction<Side, Short, ApiMessage> request)
    {
        final ApiMessage toReal = request.apply(real, (short)version);
        final ApiMessage fromReal = send(real, type, (short)version, toReal);
        final String described = name + " v" + version + " " + toReal;
        try
        {
            note(described, fromReal, send(modelled, type, (short)version, request.apply(modelled, (short)version)));
        }
        catch (final RuntimeException ex)
        {
            differences.add("\n" + described + "\n    real  " + fromReal + "\n    model throws " + ex +
                Arrays.toString(ex.getStackTrace()));
        }
    }

    /** Sends a request that is answered only after others. */
    Waiting begin(
        final String name,
        final ApiMessageType type,
        final int version,
        final BiFunction<Side, Short, ApiMessage> request)
    {
        return new Waiting(name, type, (short)version, request);
    }

    /** Gives a name to the member of a classic group that was the last to receive an id. */
    void nameMember(final String name)
    {
        real.memberIds.put(name, real.joinedId);
        modelled.memberIds.put(name, modelled.joinedId);
    }

    /** Sends a request to the real broker only. */
    ApiMessage askReal(final ApiMessageType type, final int version, final ApiMessage request)
    {
        return send(real, type, (short)version, request);
    }

    /** Compares the responses to a frame without its length field; a response of version 0 is expected, if any. */
    void compareRaw(final String name, final ApiMessageType type, final byte[] frame)
    {
        note(name, decode(type, (short)0, real.exchange(frame, 0)), decode(type, (short)0, modelled.exchange(frame,
            0)));
    }

    private void note(final String request, final ApiMessage fromReal, final ApiMessage fromModel)
    {
        comparisons++;
        IntendedDifferences.remove(fromReal, fromModel);
        if (fromReal == null ? fromModel != null : !fromReal.equals(fromModel))
        {
            differences.add("\n" + request + "\n    real  " + fromReal + "\n    model " + fromModel);
        }
        else if (real.hasWaited != modelled.hasWaited)
        {
            differences.add("\n" + request + (real.hasWaited ? "\n    real waits" : "\n    model waits"));
        }
    }

    private ApiMessage send(final Side side, final ApiMessageType type, final short version, final ApiMessage request)
    {
        final int maxWaitMs = request instanceof FetchRequestData fetch ? fetch.maxWaitMs() : 0;
        final ApiMessage response = decode(type, version, side.exchange(encode(type, version, request), maxWaitMs));
        if (response instanceof FetchResponseData fetch && fetch.sessionId() != 0)
        {
            side.sessionId = fetch.sessionId();
        }
        if (response instanceof JoinGroupResponseData join)
        {
            side.joinedId = join.memberId();
        }
        if (response instanceof SaslAuthenticateResponseData authenticated)
        {
            side.challenge = authenticated.authBytes();
        }
        return response;
    }

    byte[] encode(final ApiMessageType type, final short version, final ApiMessage request)
    {
        final short headerVersion = type.requestHeaderVersion(version);
        final RequestHeaderData header = new RequestHeaderData().setRequestApiKey(type.apiKey())
            .setRequestApiVersion(version).setCorrelationId(++correlationId).setClientId(CLIENT);
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final ByteBuffer frame = ByteBuffer.allocate(header.size(cache, headerVersion) + request.size(cache, version));
        write(header, frame, cache, headerVersion);
        write(request, frame, cache, version);
        return frame.array();
    }

    private static void write(
        final Message message, final ByteBuffer frame, final ObjectSerializationCache cache, final short version)
    {
        message.write(new ByteBufferAccessor(frame), cache, version);
    }

    private ApiMessage decode(final ApiMessageType type, final short version, final ByteBuffer frame)
    {
        return decode(type, version, correlationId, frame);
    }

    private static ApiMessage decode(
        final ApiMessageType type, final short version, final int expectedId, final ByteBuffer frame)
    {
        if (frame == null)
        {
            return null;
        }
        final ByteBufferAccessor accessor = new ByteBufferAccessor(frame);
        assertEquals(expectedId, new ResponseHeaderData(accessor,
            type.responseHeaderVersion(version)).correlationId());
        final ApiMessage response = type.newResponse();
        response.read(accessor, version);
        assertEquals(0, accessor.remaining(), "bytes after a response of " + type);
        return response;
    }

    /** Fails with all differences since the last call. */
    void assertEqual()
    {
        final String found = String.join("", differences);
        differences.clear();
        assertEquals("", found);
    }

    int comparisons()
    {
        return comparisons;
    }

    @Override
    public void close()
    {
        real.close();
        modelled.close();
        broker.close();
    }
}
