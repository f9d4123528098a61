// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.List;

/**
 * Asks for the offsets that a group has stored in Kafka, whatever the version; 0 once meant ZooKeeper.
 *
 * @param groupId       of the group.
 * @param requestInfo   of which partitions.
 * @param versionId     not used: the version is agreed with the broker.
 * @param correlationId not sent.
 * @param clientId      that the broker logs.
 */
public record OffsetFetchRequest(
    String groupId, List<TopicAndPartition> requestInfo, short versionId, int correlationId, String clientId)
{
    public OffsetFetchRequest(
        final String groupId,
        final List<TopicAndPartition> requestInfo,
        final int correlationId,
        final String clientId)
    {
        this(groupId, requestInfo, (short)0, correlationId, clientId);
    }
}
