// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * Stores offsets of a group, without being a member. They go to Kafka whatever the version; 0 once meant ZooKeeper.
 *
 * @param groupId       of the group.
 * @param requestInfo   what to store.
 * @param correlationId not sent.
 * @param clientId      that the broker logs.
 * @param versionId     not used: the version is agreed with the broker.
 */
public record OffsetCommitRequest(
    String groupId,
    Map<TopicAndPartition, OffsetAndMetadata> requestInfo,
    int correlationId,
    String clientId,
    short versionId)
{
    public OffsetCommitRequest(
        final String groupId,
        final Map<TopicAndPartition, OffsetAndMetadata> requestInfo,
        final int correlationId,
        final String clientId)
    {
        this(groupId, requestInfo, correlationId, clientId, (short)0);
    }
}
