// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.odradek.harness.Answer;
import org.odradek.harness.ScriptedPeer;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.BrokerVersions;
import org.odradek.harness.model.FetchSessions;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelTopic;
import org.odradek.testkit.internal.Identity;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A broker model with one topic, served over a socket; most tests need no more of the model. A test may script its
 * responses.
 */
public final class OneTopicBroker implements AutoCloseable
{
    public static final String TOPIC = "scripted";
    public static final Uuid TOPIC_ID = new Uuid(0x0DDBA11L, 0xC0FFEEL);
    public static final int NODE_ID = 7;
    public static final int LEADER_EPOCH = 5;

    private static final List<ApiMessageType> APIS = List.of(ApiMessageType.FETCH, ApiMessageType.LIST_OFFSETS,
        ApiMessageType.METADATA, ApiMessageType.API_VERSIONS, ApiMessageType.OFFSET_FOR_LEADER_EPOCH,
        ApiMessageType.FIND_COORDINATOR, ApiMessageType.OFFSET_COMMIT, ApiMessageType.OFFSET_FETCH);

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final int nodeId;
    private final ModelPeer peer;
    private final ModelTopic topic;
    private int leaderEpoch = LEADER_EPOCH;

    private OneTopicBroker(final int nodeId, final int partitionCount, final Identity identity)
    {
        this.nodeId = nodeId;
        peer = identity == null ? ModelPeer.start(cluster, nodeId, BrokerRelease.NEWEST) :
            ModelPeer.startTls(cluster, nodeId, BrokerRelease.NEWEST, identity);
        topic = cluster.createTopic(TOPIC, TOPIC_ID, 0, 1);
        addPartitions(partitionCount);
    }

    public static OneTopicBroker start(final int partitionCount)
    {
        return start(NODE_ID, partitionCount);
    }

    /** Starts a broker that leads all partitions itself; the metadata of another one may name it. */
    public static OneTopicBroker start(final int nodeId, final int partitionCount)
    {
        return new OneTopicBroker(nodeId, partitionCount, null);
    }

    public static OneTopicBroker startTls(final int partitionCount, final Identity identity)
    {
        return new OneTopicBroker(NODE_ID, partitionCount, identity);
    }

    public void addPartitions(final int count)
    {
        change(() ->
        {
            final int first = topic.partitions().size();
            topic.addPartitions(count);
            topic.partitions().stream().skip(first).forEach((partition) -> partition.elect(nodeId, leaderEpoch));
        });
    }

    /** Appends one batch. */
    public OneTopicBroker append(final int partition, final String... values)
    {
        change(() -> topic.partition(partition).log().append(BatchTemplate.ofValues(values)));
        return this;
    }

    /** Leads a partition under another epoch, and appends one batch. */
    public void append(final int epoch, final int partition, final String[] values)
    {
        change(() ->
        {
            topic.partition(partition).elect(nodeId, epoch);
            append(partition, values);
        });
    }

    /** Removes the batches that do not end before an offset. */
    public void truncate(final int partition, final long offset)
    {
        change(() -> topic.partition(partition).log().truncate(offset));
    }

    /** Moves the log start. */
    public void deleteBefore(final int partition, final long offset)
    {
        change(() -> topic.partition(partition).log().deleteBefore(offset));
    }

    /** Makes several changes at once: each response has all of them or none. */
    public void change(final Runnable change)
    {
        peer.change(change);
    }

    /** Leads all partitions under another epoch. */
    public void lead(final int newEpoch)
    {
        change(() ->
        {
            leaderEpoch = newEpoch;
            topic.partitions().forEach((partition) -> partition.elect(nodeId, newEpoch));
        });
    }

    public long endOffset(final int partition)
    {
        final AtomicLong endOffset = new AtomicLong();
        change(() -> endOffset.set(topic.partition(partition).log().endOffset()));
        return endOffset.get();
    }

    /** Sets the highest version of a request; with a negative one, the request is not supported. */
    public OneTopicBroker maxVersion(final ApiMessageType type, final int version)
    {
        versions().range(type, Math.min(version, type.lowestSupportedVersion()), version);
        return this;
    }

    /** Supports the highest versions only. */
    public OneTopicBroker exactVersions()
    {
        APIS.forEach((type) -> versions().range(type, versions().max(type), versions().max(type)));
        return this;
    }

    private BrokerVersions versions()
    {
        return peer.broker().versions();
    }

    /** Sets how many more fetch sessions are created. */
    public void grantSessions(final int count)
    {
        change(() -> sessions().grant(count));
    }

    /** Removes all fetch sessions, as if those of other clients had replaced them. */
    public void evictSessions()
    {
        change(() -> sessions().clear());
    }

    /** Advances the epochs of the fetch sessions, as if a request had been lost or counted twice. */
    public void skipSessionEpoch()
    {
        change(() -> sessions().skipEpoch());
    }

    public int sessionCount()
    {
        final AtomicInteger count = new AtomicInteger();
        change(() -> count.set(sessions().count()));
        return count.get();
    }

    /** Returns the sorted partitions of all fetch sessions. */
    public List<Integer> sessionPartitions()
    {
        final List<Integer> partitions = new ArrayList<>();
        change(() -> partitions.addAll(sessions().partitions()));
        return partitions;
    }

    private FetchSessions sessions()
    {
        return peer.broker().sessions();
    }

    /** Responds to a request with the result of a script, or as usual if it returns null. */
    public void script(final ApiMessageType type, final Function<ModelPeer.Call, Answer> script)
    {
        peer.script(type, script);
    }

    /** Responds for one partition of a fetch with the result of a script, or as usual if it returns null. */
    public void script(final int partition, final Function<FetchPartition, PartitionData> script)
    {
        peer.script(partition, script);
    }

    /** Removes the script of a partition. */
    public void heal(final int partition)
    {
        peer.heal(partition);
    }

    public String address()
    {
        return peer.address();
    }

    public ModelPeer model()
    {
        return peer;
    }

    public ScriptedPeer peer()
    {
        return peer.peer();
    }

    public int requestCount(final ApiMessageType type)
    {
        return peer.requestCount(type);
    }

    /** Returns how often a partition was requested, itself or by its session. */
    public int fetchCount(final int partition)
    {
        return peer.fetchCount(partition);
    }

    /** Returns the usual response to an ApiVersions request. */
    public ApiVersionsResponseData versions(final ModelPeer.Call call)
    {
        return (ApiVersionsResponseData)peer.usual(call);
    }

    /** Returns the usual response to a Metadata request. */
    public MetadataResponseData metadata(final ModelPeer.Call call)
    {
        return (MetadataResponseData)peer.usual(call);
    }

    public static void addBroker(final MetadataResponseData response, final int nodeId, final int port)
    {
        response.brokers().add(new MetadataResponseBroker().setNodeId(nodeId).setHost("127.0.0.1").setPort(port));
    }

    public static FetchableTopicResponse topic()
    {
        return new FetchableTopicResponse().setTopic(TOPIC).setTopicId(TOPIC_ID);
    }

    /** Returns the bytes of a valid batch. */
    public static MemoryRecords batch(final long baseOffset, final String... values)
    {
        final SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++)
        {
            records[i] = new SimpleRecord(1_000L + i, null, values[i].getBytes());
        }
        return MemoryRecords.withRecords(baseOffset, Compression.NONE, LEADER_EPOCH, records);
    }

    public static PartitionData error(final int partition, final int errorCode)
    {
        return new PartitionData().setPartitionIndex(partition).setErrorCode((short)errorCode)
            .setHighWatermark(-1).setRecords(MemoryRecords.EMPTY);
    }

    public static PartitionData data(final int partition, final long endOffset, final MemoryRecords... batches)
    {
        final ByteBuffer bytes = ByteBuffer.allocate(Stream.of(batches).mapToInt(MemoryRecords::sizeInBytes).sum());
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
