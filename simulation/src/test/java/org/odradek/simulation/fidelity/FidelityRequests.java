// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation.fidelity;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopicCollection;
import org.odradek.harness.model.ModelCluster;

import java.util.ArrayList;
import java.util.List;

/** The requests of {@link ModelFidelityIT}, in the form that each version wants. */
final class FidelityRequests
{
    static final int WHOLE = 10_000_000;
    static final Uuid UNKNOWN_ID = new Uuid(1, 2);

    private static final int FIRST_FETCH_WITH_TOPIC_ID = 13;
    private static final int FIRST_COMMIT_WITH_TOPIC_ID = 10;
    private static final int FIRST_FETCH_OF_GROUPS = 8;

    private final ModelCluster cluster;

    FidelityRequests(final ModelCluster cluster)
    {
        this.cluster = cluster;
    }

    /** Returns the id of a topic, or one that no topic has. */
    private Uuid id(final String topic)
    {
        return cluster.topic(topic) == null ? UNKNOWN_ID : cluster.topic(topic).id();
    }

    static FetchPartition partition(final int partition, final long offset)
    {
        return new FetchPartition().setPartition(partition).setFetchOffset(offset).setPartitionMaxBytes(WHOLE);
    }

    /** Returns a fetch of one topic without a session, which does not wait. */
    FetchRequestData fetch(final short version, final String topic, final FetchPartition... partitions)
    {
        final FetchRequestData request = new FetchRequestData()
            .setMaxWaitMs(0).setMinBytes(1).setMaxBytes(WHOLE).setSessionEpoch(-1);
        add(request, version, topic, partitions);
        return request;
    }

    void add(
        final FetchRequestData request, final short version, final String topic, final FetchPartition... partitions)
    {
        final FetchTopic added = new FetchTopic().setPartitions(new ArrayList<>(List.of(partitions)));
        if (version >= FIRST_FETCH_WITH_TOPIC_ID)
        {
            added.setTopicId(id(topic));
        }
        else
        {
            added.setTopic(topic);
        }
        request.topics().add(added);
    }

    /** Returns an incremental fetch, or another one of a session. */
    FetchRequestData session(final FidelityScene.Side side, final int epoch)
    {
        return new FetchRequestData().setMaxWaitMs(0).setMinBytes(1).setMaxBytes(WHOLE)
            .setSessionId(side.sessionId).setSessionEpoch(epoch);
    }

    void forget(final FetchRequestData request, final short version, final String topic, final Integer... partitions)
    {
        final ForgottenTopic forgotten = new ForgottenTopic().setPartitions(List.of(partitions));
        if (version >= FIRST_FETCH_WITH_TOPIC_ID)
        {
            forgotten.setTopicId(id(topic));
        }
        else
        {
            forgotten.setTopic(topic);
        }
        request.forgottenTopicsData().add(forgotten);
    }

    static ListOffsetsPartition at(final int partition, final long timestamp)
    {
        return new ListOffsetsPartition().setPartitionIndex(partition).setTimestamp(timestamp);
    }

    static ListOffsetsRequestData offsets(final String topic, final ListOffsetsPartition... partitions)
    {
        return new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(
            new ListOffsetsTopic().setName(topic).setPartitions(List.of(partitions))));
    }

    static OffsetForLeaderPartition epoch(final int partition, final int epoch)
    {
        return new OffsetForLeaderPartition().setPartition(partition).setLeaderEpoch(epoch);
    }

    static OffsetForLeaderEpochRequestData epochs(
        final short version, final String topic, final OffsetForLeaderPartition... partitions)
    {
        final OffsetForLeaderTopicCollection topics = new OffsetForLeaderTopicCollection();
        topics.add(new OffsetForLeaderTopic().setTopic(topic).setPartitions(List.of(partitions)));
        // Before version 3 the field does not exist, and another value than its default cannot be written.
        return new OffsetForLeaderEpochRequestData().setReplicaId(version >= 3 ? -1 : -2).setTopics(topics);
    }

    static OffsetCommitRequestPartition commit(final int partition, final long offset)
    {
        return new OffsetCommitRequestPartition()
            .setPartitionIndex(partition).setCommittedOffset(offset).setCommittedMetadata("m" + offset);
    }

    OffsetCommitRequestData commit(
        final short version, final String group, final String topic, final OffsetCommitRequestPartition... partitions)
    {
        final OffsetCommitRequestTopic committed =
            new OffsetCommitRequestTopic().setPartitions(List.of(partitions));
        if (version >= FIRST_COMMIT_WITH_TOPIC_ID)
        {
            committed.setTopicId(id(topic));
        }
        else
        {
            committed.setName(topic);
        }
        return new OffsetCommitRequestData().setGroupId(group).setTopics(List.of(committed));
    }

    /**
     * @param topic      null for all topics of the group.
     * @param partitions of the topic.
     */
    OffsetFetchRequestData committed(
        final short version, final String group, final String topic, final Integer... partitions)
    {
        if (version < FIRST_FETCH_OF_GROUPS)
        {
            return new OffsetFetchRequestData().setGroupId(group).setTopics(topic == null ? null : List.of(
                new OffsetFetchRequestTopic().setName(topic).setPartitionIndexes(List.of(partitions))));
        }
        final OffsetFetchRequestTopics topics =
            new OffsetFetchRequestTopics().setPartitionIndexes(List.of(partitions));
        if (version >= FIRST_COMMIT_WITH_TOPIC_ID)
        {
            topics.setTopicId(id(topic));
        }
        else
        {
            topics.setName(topic == null ? "" : topic);
        }
        return new OffsetFetchRequestData().setGroups(List.of(new OffsetFetchRequestGroup().setGroupId(group)
            .setTopics(topic == null ? null : List.of(topics))));
    }
}
