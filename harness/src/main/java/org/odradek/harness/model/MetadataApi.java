// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Answers Metadata requests from the broker's view. It never creates a topic. */
final class MetadataApi implements ModelBroker.Api
{
    /** Versions 10 and 11 have a field for the id of a topic, but brokers refuse it. */
    private static final int FIRST_BY_ID = 12;

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final MetadataView view = request.broker().view();
        final MetadataRequestData data = (MetadataRequestData)request.message();
        final MetadataResponseData response = new MetadataResponseData()
            .setThrottleTimeMs(request.throttleMs()).setClusterId(request.broker().cluster().clusterId())
            .setControllerId(view.node(view.controllerId) == null ? -1 : view.controllerId);
        for (final MetadataView.Node node : view.nodes)
        {
            response.brokers().add(new MetadataResponseBroker()
                .setNodeId(node.id()).setHost(node.host()).setPort(node.port()).setRack(node.rack()));
        }
        if (data.topics() == null || request.version() == 0 && data.topics().isEmpty())
        {
            view.topics().forEach((topic) -> response.topics().add(known(request, view, topic)));
            return response;
        }
        if (request.version() < FIRST_BY_ID && data.topics().stream().anyMatch(MetadataApi::isById))
        {
            final MetadataResponseData refused =
                new MetadataResponseData().setClusterId(null).setThrottleTimeMs(request.throttleMs());
            data.topics().forEach((requested) -> refused.topics().add(new MetadataResponseTopic()
                .setName(requested.name()).setTopicId(requested.topicId())
                .setErrorCode(Errors.INVALID_REQUEST.code())));
            return refused;
        }
        for (final MetadataRequestTopic requested : new LinkedHashSet<>(data.topics()))
        {
            final MetadataView.Topic topic = requested.name() == null ?
                view.topic(requested.topicId()) : view.topic(requested.name());
            response.topics().add(topic == null ? unknown(requested) : known(request, view, topic));
        }
        return response;
    }

    private static boolean isById(final MetadataRequestTopic requested)
    {
        return requested.name() == null || !requested.topicId().equals(Uuid.ZERO_UUID);
    }

    private static MetadataResponseTopic unknown(final MetadataRequestTopic requested)
    {
        final MetadataResponseTopic topic =
            new MetadataResponseTopic().setName(requested.name()).setTopicId(Uuid.ZERO_UUID);
        if (requested.name() == null)
        {
            return topic.setTopicId(requested.topicId()).setErrorCode(Errors.UNKNOWN_TOPIC_ID.code());
        }
        return topic.setErrorCode(Topic.isValid(requested.name()) ?
            Errors.UNKNOWN_TOPIC_OR_PARTITION.code() : Errors.INVALID_TOPIC_EXCEPTION.code());
    }

    private static MetadataResponseTopic known(
        final ModelRequest request, final MetadataView view, final MetadataView.Topic topic)
    {
        final MetadataResponseTopic response = new MetadataResponseTopic().setName(topic.name).setTopicId(topic.id);
        for (int i = 0; i < topic.partitions.length; i++)
        {
            final MetadataView.Partition partition = topic.partitions[i];
            final List<Integer> online = new ArrayList<>();
            final List<Integer> offline = new ArrayList<>();
            partition.replicas.forEach((id) -> (view.node(id) == null ? offline : online).add(id));
            Errors error = request.broker().hooks().partitionError(request, topic.name, i);
            if (error == Errors.NONE && !online.contains(partition.leader))
            {
                error = Errors.LEADER_NOT_AVAILABLE;
            }
            response.partitions().add(new MetadataResponsePartition()
                .setPartitionIndex(i).setErrorCode(error.code())
                .setLeaderId(error == Errors.NONE ? partition.leader : ModelPartition.NO_LEADER)
                .setLeaderEpoch(partition.leaderEpoch)
                .setReplicaNodes(partition.replicas).setIsrNodes(online).setOfflineReplicas(offline));
        }
        return response;
    }
}
