// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * A request to store offsets of a group without being a member. They are stored in Kafka in every version; version 0
 * once meant ZooKeeper.
 *
 * @param groupId       of the group.
 * @param requestInfo   the offsets to store.
 * @param correlationId ignored.
 * @param clientId      shown in the broker's logs.
 * @param versionId     ignored: the version is negotiated with the broker.
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
