// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.odradek.testkit.Answer;
import org.odradek.testkit.RequestFrame;
import org.odradek.testkit.ScriptedPeer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A small broker with one topic whose batches are in memory. It supports every version of the requests and reads and
 * writes them with Kafka's own message classes. Its responses are valid unless a test scripts one request, or one
 * partition of a fetch.
 */
final class ScriptedBroker implements AutoCloseable
{
    static final String TOPIC = "scripted";
    static final Uuid TOPIC_ID = new Uuid(0x0DDBA11L, 0xC0FFEEL);
    static final int NODE_ID = 7;
    static final int LEADER_EPOCH = 5;

    /** A request and its content. */
    record Call(RequestFrame frame, ApiMessageType type, ApiMessage request)
    {
        short version()
        {
            return frame.apiVersion();
        }
    }

    private final Map<ApiMessageType, Function<Call, Answer>> scripts = new ConcurrentHashMap<>();
    private final Map<Integer, Function<FetchPartition, PartitionData>> partitionScripts = new ConcurrentHashMap<>();
    private final Map<ApiMessageType, Integer> maxVersions = new ConcurrentHashMap<>();
    private final Map<Integer, AtomicInteger> fetchCounts = new ConcurrentHashMap<>();
    private final List<List<MemoryRecords>> logs = new CopyOnWriteArrayList<>();
    private final Map<Integer, Long> endOffsets = new ConcurrentHashMap<>();
    private final ScriptedSessions sessions = new ScriptedSessions();
    private final List<NodeEndpoint> endpoints = new CopyOnWriteArrayList<>();
    private volatile boolean isVersionsExact; // set by the test, read by the connections' threads
    private int leaderEpoch = LEADER_EPOCH;
    private boolean isFencing;
    private final ScriptedPeer peer;

    private ScriptedBroker(final int partitionCount)
    {
        addPartitions(partitionCount);
        peer = ScriptedPeer.start(this::onRequest);
    }

    static ScriptedBroker start(final int partitionCount)
    {
        return new ScriptedBroker(partitionCount);
    }

    void addPartitions(final int count)
    {
        final List<List<MemoryRecords>> added = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            fetchCounts.put(logs.size() + i, new AtomicInteger());
            added.add(new CopyOnWriteArrayList<>());
        }
        logs.addAll(added);
    }

    /** Appends one batch. */
    ScriptedBroker append(final int partition, final String... values)
    {
        return append(LEADER_EPOCH, partition, values);
    }

    /** Appends one batch with a leader epoch. */
    ScriptedBroker append(final int epoch, final int partition, final String[] values)
    {
        final MemoryRecords batch = batch(epoch, endOffset(partition), values);
        // The end offset is set first: a consumer that has read the batch may fetch after it at once.
        endOffsets.put(partition, batch.lastBatch().get().nextOffset());
        logs.get(partition).add(batch);
        return this;
    }

    /** Removes the batches that do not end before an offset. */
    void truncate(final int partition, final long offset)
    {
        logs.get(partition).removeIf((batch) -> batch.lastBatch().get().nextOffset() > offset);
        endOffsets.put(partition, logs.get(partition).stream()
            .mapToLong((batch) -> batch.lastBatch().get().nextOffset()).max().orElse(0));
    }

    /** Deletes the batches that end before an offset. */
    void deleteBefore(final int partition, final long offset)
    {
        logs.get(partition).removeIf((batch) -> batch.lastBatch().get().nextOffset() <= offset);
    }

    /** Makes several changes at once: each response has all of them or none. */
    synchronized void change(final Runnable change)
    {
        change.run();
    }

    /** Leads all partitions with a new epoch, and fences requests with any other epoch. */
    synchronized void lead(final int newEpoch)
    {
        leaderEpoch = newEpoch;
        isFencing = true;
    }

    /** Returns the bytes of a valid batch. */
    static MemoryRecords batch(final long baseOffset, final String... values)
    {
        return batch(LEADER_EPOCH, baseOffset, values);
    }

    private static MemoryRecords batch(final int epoch, final long baseOffset, final String... values)
    {
        final SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++)
        {
            records[i] = new SimpleRecord(1_000L + i, null, values[i].getBytes());
        }
        return MemoryRecords.withRecords(baseOffset, Compression.NONE, epoch, records);
    }

    long endOffset(final int partition)
    {
        return endOffsets.getOrDefault(partition, 0L);
    }

    private long startOffset(final int partition)
    {
        return logs.get(partition).stream().mapToLong((batch) -> batch.firstBatch().baseOffset()).min().orElse(0);
    }

    /** Sets the highest version of a request; with a negative one, the request is not supported. */
    ScriptedBroker maxVersion(final ApiMessageType type, final int version)
    {
        maxVersions.put(type, version);
        return this;
    }

    /** Supports the highest versions only. */
    ScriptedBroker exactVersions()
    {
        isVersionsExact = true;
        return this;
    }

    /** Responds to a request with the result of a script, or as usual if it returns null. */
    void script(final ApiMessageType type, final Function<Call, Answer> script)
    {
        scripts.put(type, script);
    }

    /** Responds for one partition of a fetch with the result of a script, or as usual if it returns null. */
    void script(final int partition, final Function<FetchPartition, PartitionData> script)
    {
        partitionScripts.put(partition, script);
    }

    /** Adds the address of a broker to every fetch response, from version 16 on. */
    void endpoint(final NodeEndpoint endpoint)
    {
        endpoints.add(endpoint);
    }

    /** Removes the script of a partition. */
    void heal(final int partition)
    {
        partitionScripts.remove(partition);
    }

    String address()
    {
        return peer.address();
    }

    ScriptedPeer peer()
    {
        return peer;
    }

    int requestCount(final ApiMessageType type)
    {
        return peer.requestCount(type.apiKey());
    }

    /** Returns how often a partition was requested. */
    int fetchCount(final int partition)
    {
        return fetchCounts.get(partition).get();
    }

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessageType type = ApiMessageType.fromApiKey(frame.apiKey());
        final Call call = new Call(frame, type, read(frame, type));
        final Function<Call, Answer> script = scripts.get(type);
        final Answer scripted = script == null ? null : script.apply(call);
        if (scripted != null)
        {
            return scripted;
        }
        switch (type)
        {
            case API_VERSIONS:
                return answer(call, versions());
            case METADATA:
                return answer(call, metadata());
            case LIST_OFFSETS:
                return answer(call, listOffsets(call));
            case OFFSET_FOR_LEADER_EPOCH:
                return answer(call, epochEnds(call));
            case FETCH:
                return onFetch(call);
            default:
                throw new IllegalStateException("unexpected " + frame);
        }
    }

    private static ApiMessage read(final RequestFrame frame, final ApiMessageType type)
    {
        final ByteBufferAccessor accessor = new ByteBufferAccessor(ByteBuffer.wrap(frame.payload()));
        new RequestHeaderData(accessor, type.requestHeaderVersion(frame.apiVersion()));
        final ApiMessage request = type.newRequest();
        request.read(accessor, frame.apiVersion());
        return request;
    }

    static Answer answer(final Call call, final ApiMessage response)
    {
        return Answer.reply(body(call, response));
    }

    /** Returns the bytes that follow the correlation id. */
    static byte[] body(final Call call, final ApiMessage response)
    {
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final int tags = call.type().responseHeaderVersion(call.version());
        final ByteBuffer buffer = ByteBuffer.allocate(tags + response.size(cache, call.version()));
        buffer.position(tags);
        response.write(new ByteBufferAccessor(buffer), cache, call.version());
        return buffer.array();
    }

    ApiVersionsResponseData versions()
    {
        final ApiVersionsResponseData response = new ApiVersionsResponseData();
        for (final ApiMessageType type : List.of(ApiMessageType.FETCH, ApiMessageType.LIST_OFFSETS,
            ApiMessageType.METADATA, ApiMessageType.API_VERSIONS, ApiMessageType.OFFSET_FOR_LEADER_EPOCH,
            ApiMessageType.FIND_COORDINATOR, ApiMessageType.OFFSET_COMMIT, ApiMessageType.OFFSET_FETCH,
            ApiMessageType.SASL_HANDSHAKE, ApiMessageType.SASL_AUTHENTICATE))
        {
            final int max = maxVersions.getOrDefault(type, (int)type.highestSupportedVersion(true));
            if (max >= 0)
            {
                response.apiKeys().add(new ApiVersion().setApiKey(type.apiKey()).setMaxVersion((short)max)
                    .setMinVersion(isVersionsExact ? (short)max : 0));
            }
        }
        return response;
    }

    synchronized MetadataResponseData metadata()
    {
        final MetadataResponseData response = new MetadataResponseData();
        addBroker(response, NODE_ID, peer.port());
        final MetadataResponseTopic topic = new MetadataResponseTopic().setName(TOPIC).setTopicId(TOPIC_ID);
        for (int p = 0; p < logs.size(); p++)
        {
            topic.partitions().add(new MetadataResponsePartition()
                .setPartitionIndex(p).setLeaderId(NODE_ID).setLeaderEpoch(leaderEpoch));
        }
        response.topics().add(topic);
        return response;
    }

    static void addBroker(final MetadataResponseData response, final int nodeId, final int port)
    {
        response.brokers().add(new MetadataResponseBroker().setNodeId(nodeId).setHost("127.0.0.1").setPort(port));
    }

    private synchronized ListOffsetsResponseData listOffsets(final Call call)
    {
        final ListOffsetsTopicResponse topic = new ListOffsetsTopicResponse().setName(TOPIC);
        for (final ListOffsetsPartition requested :
            ((ListOffsetsRequestData)call.request()).topics().get(0).partitions())
        {
            topic.partitions().add(new ListOffsetsPartitionResponse()
                .setPartitionIndex(requested.partitionIndex())
                .setOffset(requested.timestamp() == -2 ?
                    startOffset(requested.partitionIndex()) : endOffset(requested.partitionIndex()))
                .setLeaderEpoch(call.version() >= 4 ? leaderEpoch : -1));
        }
        return new ListOffsetsResponseData().setTopics(List.of(topic));
    }

    private OffsetForLeaderEpochResponseData epochEnds(final Call call)
    {
        final OffsetForLeaderTopicResult topic = new OffsetForLeaderTopicResult().setTopic(TOPIC);
        for (final OffsetForLeaderPartition requested : requestedEpochs(call))
        {
            topic.partitions().add(epochEnd(requested));
        }
        return epochEnds(topic);
    }

    static OffsetForLeaderEpochResponseData epochEnds(final OffsetForLeaderTopicResult topic)
    {
        final OffsetForLeaderEpochResponseData response = new OffsetForLeaderEpochResponseData();
        response.topics().add(topic);
        return response;
    }

    static List<OffsetForLeaderPartition> requestedEpochs(final Call call)
    {
        return ((OffsetForLeaderEpochRequestData)call.request()).topics().iterator().next().partitions();
    }

    /** Returns the end of the largest epoch in the log that is not above the requested one. */
    synchronized EpochEndOffset epochEnd(final OffsetForLeaderPartition requested)
    {
        final EpochEndOffset end = new EpochEndOffset()
            .setPartition(requested.partition()).setLeaderEpoch(requested.leaderEpoch()).setEndOffset(0);
        for (final MemoryRecords batch : logs.get(requested.partition()))
        {
            if (batch.firstBatch().partitionLeaderEpoch() <= requested.leaderEpoch())
            {
                end.setLeaderEpoch(batch.firstBatch().partitionLeaderEpoch())
                    .setEndOffset(batch.lastBatch().get().nextOffset());
            }
        }
        return end;
    }

    private Answer onFetch(final Call call)
    {
        final FetchRequestData request = (FetchRequestData)call.request();
        final FetchResponseData response = sessions.answer(request, call.version(), this::partition,
            (held) -> isFencing || partitionScripts.containsKey(held.partition()) ||
                held.fetchOffset() != endOffset(held.partition()));
        if (call.version() >= 16)
        {
            endpoints.forEach((endpoint) -> response.nodeEndpoints().add(endpoint.duplicate()));
        }
        final boolean isIdle = response.errorCode() == 0 && response.responses().stream()
            .flatMap((topic) -> topic.partitions().stream())
            .allMatch((data) -> data.errorCode() == 0 && data.records().sizeInBytes() == 0);
        final Answer answer = answer(call, response);
        return isIdle ? answer.afterMs(request.maxWaitMs()) : answer;
    }

    ScriptedSessions sessions()
    {
        return sessions;
    }

    static FetchableTopicResponse topic()
    {
        return new FetchableTopicResponse().setTopic(TOPIC).setTopicId(TOPIC_ID);
    }

    private PartitionData partition(final FetchPartition requested)
    {
        fetchCounts.get(requested.partition()).incrementAndGet();
        final Function<FetchPartition, PartitionData> script = partitionScripts.get(requested.partition());
        final PartitionData scripted = script == null ? null : script.apply(requested);
        return scripted == null ? dataFromLog(requested) : scripted;
    }

    /** Returns the batches of the log, from the one with the offset on. */
    synchronized PartitionData dataFromLog(final FetchPartition requested)
    {
        if (isFencing && requested.currentLeaderEpoch() >= 0 && requested.currentLeaderEpoch() != leaderEpoch)
        {
            return error(requested.partition(), requested.currentLeaderEpoch() < leaderEpoch ? 74 : 75);
        }
        if (requested.fetchOffset() > endOffset(requested.partition()) ||
            requested.fetchOffset() < startOffset(requested.partition()))
        {
            return error(requested.partition(), 1);
        }
        final MemoryRecords[] wanted = logs.get(requested.partition()).stream()
            .filter((batch) -> batch.lastBatch().get().nextOffset() > requested.fetchOffset())
            .toArray(MemoryRecords[]::new);
        return data(requested.partition(), endOffset(requested.partition()), wanted);
    }

    static PartitionData error(final int partition, final int errorCode)
    {
        return new PartitionData().setPartitionIndex(partition).setErrorCode((short)errorCode)
            .setHighWatermark(-1).setRecords(MemoryRecords.EMPTY);
    }

    static PartitionData data(final int partition, final long endOffset, final MemoryRecords... batches)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(
            List.of(batches).stream().mapToInt(MemoryRecords::sizeInBytes).sum());
        for (final MemoryRecords batch : batches)
        {
            bytes.put(batch.buffer().duplicate());
        }
        return new PartitionData().setPartitionIndex(partition).setHighWatermark(endOffset)
            .setLastStableOffset(endOffset).setLogStartOffset(0)
            .setRecords(MemoryRecords.readableRecords(bytes.flip()));
    }

    @Override
    public void close()
    {
        peer.close();
    }
}
