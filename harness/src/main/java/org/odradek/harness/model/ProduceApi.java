// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

import java.util.ArrayList;
import java.util.List;

/**
 * Answers Produce requests: what may be appended is, and a request with acks=all is parked until the high watermark has
 * reached that, another broker leads, or its time has passed. The order of the checks is that of a broker.
 */
final class ProduceApi implements ModelBroker.Api
{
    private static final int FIRST_BY_ID = 13;
    private static final int FIRST_WITH_LEADER_HINTS = 10;
    private static final short ACKS_ALL = -1;

    private final ModelBroker broker;

    /** What is to be answered for one partition. */
    private static final class Part
    {
        private final MetadataView.Topic topic;
        private final int index;
        private final PartitionProduceResponse response;
        private MetadataView.Partition partition;
        /** The high watermark that it waits for, or -1. */
        private long awaitedOffset = -1;

        Part(final MetadataView.Topic topic, final int index)
        {
            this.topic = topic;
            this.index = index;
            response = new PartitionProduceResponse().setIndex(index).setBaseOffset(-1);
            partition = topic == null ? null : topic.partition(index);
        }

        void fail(final Errors error)
        {
            response.setErrorCode(error.code());
            awaitedOffset = -1;
        }
    }

    /** The answer to a request, while it is parked. */
    private record Pending(ProduceResponseData response, List<Part> parts)
    {
    }

    ProduceApi(final ModelBroker broker)
    {
        this.broker = broker;
    }

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ProduceRequestData data = (ProduceRequestData)request.message();
        final Pending pending = request.parked == null ? append(request, data) : (Pending)request.parked;
        boolean isWaiting = false;
        for (final Part part : pending.parts)
        {
            isWaiting |= part.awaitedOffset >= 0 && isWaiting(request, part);
        }
        if (!isWaiting)
        {
            addHints(request, pending);
            return pending.response;
        }
        if (request.parked == null)
        {
            request.park(pending, data.timeoutMs());
        }
        return null;
    }

    private Pending append(final ModelRequest request, final ProduceRequestData data)
    {
        final Pending pending = new Pending(
            new ProduceResponseData().setThrottleTimeMs(request.throttleMs()), new ArrayList<>());
        for (final TopicProduceData topic : data.topicData())
        {
            final boolean isById = request.version() >= FIRST_BY_ID;
            final MetadataView.Topic known =
                isById ? broker.view().topic(topic.topicId()) : broker.view().topic(topic.name());
            final TopicProduceResponse answered =
                new TopicProduceResponse().setName(topic.name()).setTopicId(isById ? topic.topicId() : Uuid.ZERO_UUID);
            for (final PartitionProduceData produced : topic.partitionData())
            {
                final Part part = new Part(known, produced.index());
                if (known == null && isById)
                {
                    part.fail(Errors.UNKNOWN_TOPIC_ID);
                }
                else if (part.partition == null)
                {
                    part.fail(Errors.UNKNOWN_TOPIC_OR_PARTITION);
                }
                else
                {
                    append(request, data.acks(), part, (MemoryRecords)produced.records());
                }
                answered.partitionResponses().add(part.response);
                pending.parts.add(part);
            }
            pending.response.responses().add(answered);
        }
        if (data.acks() == 0)
        {
            request.dropResponse();
        }
        return pending;
    }

    private void append(
        final ModelRequest request, final short acks, final Part part, final MemoryRecords records)
    {
        final List<RecordBatch> batches = new ArrayList<>();
        records.batches().forEach(batches::add);
        final ModelPartition partition = part.partition.partition;
        Errors error = BatchChecks.ofRequest(batches, request.version());
        if (error == Errors.NONE && (acks < ACKS_ALL || acks > 1))
        {
            error = Errors.INVALID_REQUIRED_ACKS;
        }
        if (error == Errors.NONE)
        {
            error = broker.hooks().partitionError(request, part.topic.name, part.index);
        }
        if (error == Errors.NONE)
        {
            error = broker.check(part.partition, -1, true);
        }
        if (error == Errors.NONE && acks == ACKS_ALL && !partition.isEnoughInSync())
        {
            error = Errors.NOT_ENOUGH_REPLICAS;
            part.response.setLogStartOffset(partition.log().startOffset());
        }
        if (error == Errors.NONE)
        {
            error = BatchChecks.ofLog(batches.get(0));
            part.response.setLogStartOffset(error == Errors.INVALID_RECORD ? partition.log().startOffset() : -1);
        }
        if (error == Errors.NONE)
        {
            append(acks, part, records, batches.get(0));
        }
        else
        {
            part.fail(error);
        }
    }

    private void append(final short acks, final Part part, final MemoryRecords records, final RecordBatch batch)
    {
        final ModelPartition partition = part.partition.partition;
        final ModelLog log = partition.log();
        part.response.setLogStartOffset(log.startOffset());
        final ProducerStates.Appended duplicate = batch.hasProducerId() ?
            partition.producers().duplicate(batch, broker.release()) : null;
        final Errors error = duplicate != null || !batch.hasProducerId() ? Errors.NONE :
            partition.producers().check(batch, broker.release(), log.startOffset());
        if (error != Errors.NONE)
        {
            part.fail(error);
            return;
        }
        if (duplicate != null)
        {
            part.response.setBaseOffset(duplicate.baseOffset()).setLogAppendTimeMs(duplicate.timestamp());
        }
        else if (isDeposed(part))
        {
            // What a former leader appends is lost; nobody replicates it.
            part.response.setBaseOffset(log.endOffset());
        }
        else
        {
            part.response.setBaseOffset(log.append(BatchTemplate.of(records)));
            if (batch.hasProducerId())
            {
                partition.producers().add(batch, part.response.baseOffset());
            }
        }
        if (acks == ACKS_ALL)
        {
            part.awaitedOffset = part.response.baseOffset() + batch.lastOffset() + 1;
        }
    }

    /** Whether a broker with a stale view leads the partition no more, and does not know it. */
    private boolean isDeposed(final Part part)
    {
        return part.partition.partition.leader() != broker.id();
    }

    /** Decides about a partition that waits for its replicas, and returns false if it has. */
    private boolean isWaiting(final ModelRequest request, final Part part)
    {
        final MetadataView.Topic topic = broker.view().topic(part.topic.id);
        final MetadataView.Partition now = topic == null ? null : topic.partition(part.index);
        if (now == null || now.leader != broker.id() || now.leaderEpoch != part.partition.leaderEpoch)
        {
            part.partition = now == null ? part.partition : now;
            part.fail(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        else if (!isDeposed(part) && now.partition.log().highWatermark() >= part.awaitedOffset)
        {
            part.fail(now.partition.isEnoughInSync() ? Errors.NONE : Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND);
        }
        else if (request.deadlineNs <= broker.cluster().nowNs())
        {
            part.fail(Errors.REQUEST_TIMED_OUT);
        }
        return part.awaitedOffset >= 0;
    }

    private void addHints(final ModelRequest request, final Pending pending)
    {
        for (final Part part : pending.parts)
        {
            if (request.version() >= FIRST_WITH_LEADER_HINTS && part.partition != null &&
                part.response.errorCode() == Errors.NOT_LEADER_OR_FOLLOWER.code())
            {
                part.response.currentLeader()
                    .setLeaderId(part.partition.leader).setLeaderEpoch(part.partition.leaderEpoch);
                final MetadataView.Node node = broker.view().node(part.partition.leader);
                if (node != null && pending.response.nodeEndpoints().find(node.id()) == null)
                {
                    pending.response.nodeEndpoints().add(new NodeEndpoint()
                        .setNodeId(node.id()).setHost(node.host()).setPort(node.port()).setRack(node.rack()));
                }
            }
        }
    }
}
