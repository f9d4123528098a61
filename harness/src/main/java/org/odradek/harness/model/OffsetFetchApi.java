// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.timeline.SnapshotRegistry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers OffsetFetch requests. Up to version 7 a request names one group, and the response repeats its topics. */
final class OffsetFetchApi implements ModelBroker.Api
{
    private static final int FIRST_BATCHED = 8;
    private static final int FIRST_WITH_TOPIC_IDS = 10;
    private static final int FIRST_WITH_TOP_LEVEL_ERROR = 2;

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final OffsetFetchRequestData data = (OffsetFetchRequestData)request.message();
        final OffsetFetchResponseData response =
            new OffsetFetchResponseData().setThrottleTimeMs(request.throttleMs());
        if (request.version() >= FIRST_BATCHED)
        {
            data.groups().forEach((group) -> response.groups().add(group(request, group)));
            return response;
        }
        final OffsetFetchRequestGroup asked = new OffsetFetchRequestGroup().setGroupId(data.groupId())
            .setTopics(data.topics() == null ? null : new ArrayList<>());
        if (data.topics() != null)
        {
            for (final OffsetFetchRequestTopic topic : data.topics())
            {
                asked.topics().add(new OffsetFetchRequestTopics()
                    .setName(topic.name()).setPartitionIndexes(topic.partitionIndexes()));
            }
        }
        final OffsetFetchResponseGroup group = group(request, asked);
        for (final OffsetFetchResponseTopics topic : group.topics())
        {
            final OffsetFetchResponseTopic answered = new OffsetFetchResponseTopic().setName(topic.name());
            for (final OffsetFetchResponsePartitions partition : topic.partitions())
            {
                answered.partitions().add(new OffsetFetchResponsePartition()
                    .setPartitionIndex(partition.partitionIndex()).setCommittedOffset(partition.committedOffset())
                    .setCommittedLeaderEpoch(partition.committedLeaderEpoch()).setMetadata(partition.metadata())
                    .setErrorCode(partition.errorCode()));
            }
            response.topics().add(answered);
        }
        return response.setErrorCode(group.errorCode());
    }

    private static OffsetFetchResponseGroup group(final ModelRequest request, final OffsetFetchRequestGroup asked)
    {
        final ModelBroker broker = request.broker();
        final OffsetFetchResponseGroup group = new OffsetFetchResponseGroup().setGroupId(asked.groupId());
        final boolean isCoordinator = broker.cluster().coordinatorId() == broker.id();
        if (!isCoordinator && request.version() >= FIRST_WITH_TOP_LEVEL_ERROR)
        {
            return group.setErrorCode(Errors.NOT_COORDINATOR.code());
        }
        final Errors groupError = groupError(broker, asked);
        if (groupError != Errors.NONE)
        {
            return group.setErrorCode(groupError.code());
        }
        final Map<TopicPartition, GroupOffsets.Committed> committed =
            broker.cluster().groupOffsets().committed(asked.groupId());
        for (final OffsetFetchRequestTopics topic : asked.topics() == null ? all(request, committed) : asked.topics())
        {
            final MetadataView.Topic known = request.version() >= FIRST_WITH_TOPIC_IDS ?
                broker.view().topic(topic.topicId()) : null;
            final String name = known == null ? topic.name() : known.name;
            final OffsetFetchResponseTopics answered =
                new OffsetFetchResponseTopics().setName(topic.name()).setTopicId(topic.topicId());
            for (final int index : topic.partitionIndexes())
            {
                final Errors error = !isCoordinator ? Errors.NOT_COORDINATOR :
                    request.version() >= FIRST_WITH_TOPIC_IDS && known == null ? Errors.UNKNOWN_TOPIC_ID :
                    broker.hooks().partitionError(request, name, index);
                answered.partitions().add(partition(index, error,
                    error == Errors.NONE ? committed.get(new TopicPartition(name, index)) : null));
            }
            group.topics().add(answered);
        }
        return group;
    }

    private static Errors groupError(final ModelBroker broker, final OffsetFetchRequestGroup asked)
    {
        final ModelGroups groups = broker.cluster().groups();
        if (groups == null || broker.cluster().coordinatorId() != broker.id())
        {
            return Errors.NONE;
        }
        try
        {
            final Errors error = groups.error(broker);
            return error != Errors.NONE ? error : Errors.forCode(groups.read((shard) -> shard.fetchOffsets(
                asked.duplicate().setTopics(List.of()), SnapshotRegistry.LATEST_EPOCH)).errorCode());
        }
        catch (final ApiException ex)
        {
            return Errors.forException(ex);
        }
    }

    private static OffsetFetchResponsePartitions partition(
        final int index, final Errors error, final GroupOffsets.Committed committed)
    {
        final OffsetFetchResponsePartitions partition = new OffsetFetchResponsePartitions()
            .setPartitionIndex(index).setErrorCode(error.code());
        return committed == null ? partition.setCommittedOffset(-1).setMetadata("") :
            partition.setCommittedOffset(committed.offset())
            .setCommittedLeaderEpoch(committed.leaderEpoch()).setMetadata(committed.metadata());
    }

    private static List<OffsetFetchRequestTopics> all(
        final ModelRequest request, final Map<TopicPartition, GroupOffsets.Committed> committed)
    {
        final Map<String, OffsetFetchRequestTopics> topics = new LinkedHashMap<>();
        for (final TopicPartition partition : committed.keySet())
        {
            final MetadataView.Topic known = request.broker().view().topic(partition.topic());
            topics.computeIfAbsent(partition.topic(), (name) -> new OffsetFetchRequestTopics().setName(name)
                .setTopicId(known == null ? Uuid.ZERO_UUID : known.id)).partitionIndexes().add(partition.partition());
        }
        return List.copyOf(topics.values());
    }
}
