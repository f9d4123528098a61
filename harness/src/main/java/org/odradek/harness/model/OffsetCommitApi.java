// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.List;

/**
 * Answers OffsetCommit requests. Without {@link ModelGroups}, only of clients that are not members of their group; with
 * it, the coordinator decides which commits are accepted.
 */
final class OffsetCommitApi implements ModelBroker.Api
{
    private static final int FIRST_WITH_TOPIC_IDS = 10;
    private static final int FIRST_WITH_GROUP_ERROR = 9;
    private static final int MAX_METADATA_LENGTH = 4096;

    /** A partition of a request that may be committed as far as it is known before the group is asked. */
    private record Commit(
        MetadataView.Topic topic,
        OffsetCommitRequestPartition requested,
        OffsetCommitResponsePartition answered)
    {
    }

    @Override
    public ApiMessage respond(final ModelRequest request)
    {
        final ModelBroker broker = request.broker();
        final OffsetCommitRequestData data = (OffsetCommitRequestData)request.message();
        final OffsetCommitResponseData response =
            new OffsetCommitResponseData().setThrottleTimeMs(request.throttleMs());
        final boolean isWithIds = request.version() >= FIRST_WITH_TOPIC_IDS;
        final Errors groupError = groupError(request, data);
        final List<Commit> commits = new ArrayList<>();
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
                    groupError == Errors.NONE ? check(request, known.name, requested) : groupError;
                final OffsetCommitResponsePartition partition = new OffsetCommitResponsePartition()
                    .setPartitionIndex(requested.partitionIndex()).setErrorCode(error.code());
                answered.partitions().add(partition);
                if (error == Errors.NONE)
                {
                    commits.add(new Commit(known, requested, partition));
                }
            }
            response.topics().add(answered);
        }
        commit(request, commits);
        return response;
    }

    private static Errors groupError(final ModelRequest request, final OffsetCommitRequestData data)
    {
        final ModelCluster cluster = request.broker().cluster();
        if (cluster.groups() != null)
        {
            return cluster.groups().error(request.broker());
        }
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

    private static Errors check(
        final ModelRequest request, final String topic, final OffsetCommitRequestPartition requested)
    {
        return metadata(requested).length() > MAX_METADATA_LENGTH ? Errors.OFFSET_METADATA_TOO_LARGE :
            request.broker().hooks().partitionError(request, topic, requested.partitionIndex());
    }

    private static String metadata(final OffsetCommitRequestPartition requested)
    {
        return requested.committedMetadata() == null ? "" : requested.committedMetadata();
    }

    private static void commit(final ModelRequest request, final List<Commit> commits)
    {
        final ModelCluster cluster = request.broker().cluster();
        final OffsetCommitRequestData data = (OffsetCommitRequestData)request.message();
        if (cluster.groups() != null && !commits.isEmpty())
        {
            decide(request, data, commits);
        }
        for (final Commit commit : commits)
        {
            if (commit.answered.errorCode() == Errors.NONE.code())
            {
                cluster.groupOffsets().commit(
                    data.groupId(), new TopicPartition(commit.topic.name, commit.requested.partitionIndex()),
                    new GroupOffsets.Committed(commit.requested.committedOffset(),
                        commit.requested.committedLeaderEpoch(), metadata(commit.requested)));
            }
        }
    }

    /** Has the coordinator decide about all partitions together: one that may not be committed may refuse all. */
    private static void decide(
        final ModelRequest request, final OffsetCommitRequestData data, final List<Commit> commits)
    {
        final List<OffsetCommitRequestTopic> topics = new ArrayList<>();
        for (final Commit commit : commits)
        {
            topics.add(new OffsetCommitRequestTopic().setName(commit.topic.name)
                .setTopicId(commit.topic.id).setPartitions(List.of(commit.requested)));
        }
        try
        {
            final OffsetCommitResponseData decided = request.broker().cluster().groups().write((shard) ->
                shard.commitOffset(new RequestContext(request), data.duplicate().setTopics(topics)));
            for (int i = 0; i < commits.size(); i++)
            {
                commits.get(i).answered.setErrorCode(decided.topics().get(i).partitions().get(0).errorCode());
            }
        }
        catch (final ApiException ex)
        {
            commits.forEach((commit) -> commit.answered.setErrorCode(Errors.forException(ex).code()));
        }
    }
}
