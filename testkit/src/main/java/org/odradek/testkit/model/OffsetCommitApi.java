// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.model;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** Answers OffsetCommit requests of clients that are not members of their group. */
final class OffsetCommitApi implements ModelBroker.Api
{
    private static final int FIRST_WITH_TOPIC_IDS = 10;
    private static final int FIRST_WITH_GROUP_ERROR = 9;
    private static final int MAX_METADATA_LENGTH = 4096;

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ModelBroker broker = request.broker();
        final OffsetCommitRequestData data = (OffsetCommitRequestData)request.message();
        final OffsetCommitResponseData response =
            new OffsetCommitResponseData().setThrottleTimeMs(request.throttleMs());
        final boolean isWithIds = request.version() >= FIRST_WITH_TOPIC_IDS;
        final Errors groupError = groupError(request, data);
        for (final OffsetCommitRequestTopic topic : data.topics())
        {
            final MetadataView.Topic known = isWithIds ?
                broker.view().topic(topic.topicId()) : broker.view().topic(topic.name());
            final OffsetCommitResponseTopic answered =
                new OffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            for (final OffsetCommitRequestPartition requested : topic.partitions())
            {
                final Errors error = known == null && isWithIds ? Errors.UNKNOWN_TOPIC_ID :
                    known == null || known.partition(requested.partitionIndex()) == null ?
                    Errors.UNKNOWN_TOPIC_OR_PARTITION :
                    groupError == Errors.NONE ? commit(request, known.name, requested) : groupError;
                answered.partitions().add(new OffsetCommitResponsePartition()
                    .setPartitionIndex(requested.partitionIndex()).setErrorCode(error.code()));
            }
            response.topics().add(answered);
        }
        return response;
    }

    private static Errors groupError(final ModelRequest request, final OffsetCommitRequestData data)
    {
        final ModelCluster cluster = request.broker().cluster();
        if (cluster.coordinatorId() != request.broker().id())
        {
            return Errors.NOT_COORDINATOR;
        }
        if (data.generationIdOrMemberEpoch() < 0 && data.memberId().isEmpty())
        {
            return Errors.NONE;
        }
        if (cluster.groupOffsets().isKnown(data.groupId()))
        {
            return Errors.UNKNOWN_MEMBER_ID;
        }
        return request.version() >= FIRST_WITH_GROUP_ERROR ? Errors.GROUP_ID_NOT_FOUND : Errors.ILLEGAL_GENERATION;
    }

    private static Errors commit(
        final ModelRequest request, final String topic, final OffsetCommitRequestPartition requested)
    {
        final ModelCluster cluster = request.broker().cluster();
        final String metadata = requested.committedMetadata() == null ? "" : requested.committedMetadata();
        if (metadata.length() > MAX_METADATA_LENGTH)
        {
            return Errors.OFFSET_METADATA_TOO_LARGE;
        }
        final Errors planned = request.broker().hooks().partitionError(request, topic, requested.partitionIndex());
        if (planned == Errors.NONE)
        {
            cluster.groupOffsets().commit(((OffsetCommitRequestData)request.message()).groupId(),
                new TopicPartition(topic, requested.partitionIndex()), new GroupOffsets.Committed(
                requested.committedOffset(), requested.committedLeaderEpoch(), metadata));
        }
        return planned;
    }
}
