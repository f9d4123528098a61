// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelPeer;
import org.odradek.testkit.internal.Identity;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A model of a broker over a socket whose answers to Produce and InitProducerId a test scripts. Unless scripted, every
 * batch is acknowledged. It does not check sequences: it shows what was sent.
 */
final class ProducingBroker implements AutoCloseable
{
    static final String TOPIC = "published";
    static final int NODE_ID = 1;
    static final long PRODUCER_ID = 4_711;

    /** A batch that has arrived. */
    record Sent(int partition, long producerId, short epoch, int sequence, int count, byte[] bytes)
    {
        /** What a resend must not change. */
        String numbers()
        {
            return partition + ": " + producerId + ", epoch " + epoch + ", sequence " + sequence + ", count " + count;
        }
    }

    final List<Sent> sent = new CopyOnWriteArrayList<>();
    final List<Short> acks = new CopyOnWriteArrayList<>();
    /** Of the next requests; the usual answers are already in the response. */
    private final Queue<BiFunction<ModelPeer.Call, ProduceResponseData, Answer>> next = new ConcurrentLinkedQueue<>();
    /** Of all requests that none of these is for; null for the usual answers. */
    private volatile BiFunction<ModelPeer.Call, ProduceResponseData, Answer> always;
    /** Of the next requests for an id. */
    private final Queue<Function<ModelPeer.Call, Answer>> ids = new ConcurrentLinkedQueue<>();
    private final ModelCluster cluster;
    private final ModelPeer peer;
    /** Metadata is not answered. */
    volatile boolean isSilent;
    private volatile int idCount;
    private long nextOffset = 100;

    private ProducingBroker(final ModelCluster cluster, final ModelPeer peer, final int version)
    {
        this.cluster = cluster;
        this.peer = peer;
        peer.broker().versions().range(ApiMessageType.PRODUCE, 3, version).range(ApiMessageType.INIT_PRODUCER_ID, 0, 5);
        peer.script(ApiMessageType.PRODUCE, this::produce);
        peer.script(ApiMessageType.METADATA, (call) -> isSilent ? Answer.never() : null);
        peer.script(ApiMessageType.INIT_PRODUCER_ID, this::initProducerId);
    }

    static ProducingBroker start(final int partitions)
    {
        return start(partitions, ApiMessageType.PRODUCE.highestSupportedVersion(true));
    }

    static ProducingBroker start(final int partitions, final int version)
    {
        final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
        return new ProducingBroker(cluster, ModelPeer.start(cluster, NODE_ID, BrokerRelease.NEWEST), version)
            .createTopic(TOPIC, partitions);
    }

    static ProducingBroker startTls(final Identity identity)
    {
        final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
        return new ProducingBroker(cluster, ModelPeer.startTls(cluster, NODE_ID, BrokerRelease.NEWEST, identity),
            ApiMessageType.PRODUCE.highestSupportedVersion(true)).createTopic(TOPIC, 1);
    }

    /** A further broker of the same cluster, which leads nothing yet. */
    ProducingBroker another(final int nodeId)
    {
        return new ProducingBroker(cluster, ModelPeer.start(cluster, nodeId, BrokerRelease.NEWEST),
            ApiMessageType.PRODUCE.highestSupportedVersion(true));
    }

    ProducingBroker createTopic(final String topic, final int partitions)
    {
        peer.change(() -> cluster.createTopic(topic, partitions, 1));
        return this;
    }

    /** Moves a partition to a broker, which is its only replica then. */
    void lead(final int partition, final int nodeId)
    {
        peer.change(() ->
        {
            final ModelPartition moved = cluster.topic(TOPIC).partitions().get(partition);
            moved.replicas(List.of(nodeId));
            moved.elect(nodeId);
        });
    }

    void change(final Runnable change)
    {
        peer.change(change);
    }

    ModelCluster cluster()
    {
        return cluster;
    }

    String address()
    {
        return peer.address();
    }

    int port()
    {
        return peer.peer().port();
    }

    /** Closes all connections as if they were idle. */
    void closeConnections()
    {
        peer.peer().closeConnections();
    }

    /** Connections that were made to it. */
    int acceptedCount()
    {
        return peer.peer().acceptedCount();
    }

    int requestCount(final ApiMessageType type)
    {
        return peer.requestCount(type);
    }

    /** How many producer ids were given. */
    int idCount()
    {
        return idCount;
    }

    /** Answers the next request with an error for one partition. */
    ProducingBroker answer(final int partition, final int errorCode)
    {
        return script(error(partition, errorCode));
    }

    /** A script that answers with an error for one partition. */
    static BiFunction<ModelPeer.Call, ProduceResponseData, Answer> error(final int partition, final int errorCode)
    {
        return (call, response) ->
        {
            response.responses().forEach((topic) -> topic.partitionResponses().stream()
                .filter((answer) -> answer.index() == partition)
                .forEach((answer) -> answer.setErrorCode((short)errorCode).setBaseOffset(-1)));
            return call.answer(response);
        };
    }

    /** Takes the next request and closes the connection without an answer. */
    ProducingBroker lose()
    {
        return script((call, response) -> Answer.close());
    }

    ProducingBroker script(final BiFunction<ModelPeer.Call, ProduceResponseData, Answer> script)
    {
        next.add(script);
        return this;
    }

    void always(final BiFunction<ModelPeer.Call, ProduceResponseData, Answer> script)
    {
        always = script;
    }

    ProducingBroker id(final long producerId, final int epoch, final int errorCode)
    {
        return scriptId((call) -> call.answer(new InitProducerIdResponseData().setProducerId(producerId)
            .setProducerEpoch((short)epoch).setErrorCode((short)errorCode)));
    }

    ProducingBroker scriptId(final Function<ModelPeer.Call, Answer> script)
    {
        ids.add(script);
        return this;
    }

    /** The broker does not know InitProducerId. */
    ProducingBroker withoutIds()
    {
        peer.broker().versions().range(ApiMessageType.INIT_PRODUCER_ID, 0, -1);
        return this;
    }

    private Answer initProducerId(final ModelPeer.Call call)
    {
        final Function<ModelPeer.Call, Answer> scripted = ids.poll();
        return scripted != null ? scripted.apply(call) :
            call.answer(new InitProducerIdResponseData().setProducerId(PRODUCER_ID + idCount++));
    }

    private synchronized Answer produce(final ModelPeer.Call call)
    {
        final ProduceRequestData request = (ProduceRequestData)call.request();
        final ProduceResponseData response = new ProduceResponseData();
        acks.add(request.acks());
        for (final TopicProduceData topic : request.topicData())
        {
            final TopicProduceResponse answer = new TopicProduceResponse()
                .setName(topic.name()).setTopicId(topic.topicId()).setPartitionResponses(new ArrayList<>());
            for (final PartitionProduceData partition : topic.partitionData())
            {
                answer.partitionResponses().add(new PartitionProduceResponse()
                    .setIndex(partition.index()).setBaseOffset(nextOffset));
                nextOffset += take(partition);
            }
            response.responses().add(answer);
        }
        final BiFunction<ModelPeer.Call, ProduceResponseData, Answer> first = next.poll();
        final BiFunction<ModelPeer.Call, ProduceResponseData, Answer> script = first == null ? always : first;
        return script == null ? call.answer(response) : script.apply(call, response);
    }

    private int take(final PartitionProduceData partition)
    {
        final MemoryRecords records = (MemoryRecords)partition.records();
        final byte[] bytes = new byte[records.sizeInBytes()];
        final ByteBuffer copy = records.buffer().duplicate();
        copy.get(bytes);
        int count = 0;
        for (final MutableRecordBatch batch : records.batches())
        {
            batch.ensureValid();
            count = batch.countOrNull();
            sent.add(new Sent(partition.index(), batch.producerId(), batch.producerEpoch(), batch.baseSequence(), count,
                bytes));
        }
        return count;
    }

    @Override
    public void close()
    {
        peer.close();
    }
}
