// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.List;

/**
 * A request for the offsets that a group has stored in Kafka, in every version; version 0 once meant ZooKeeper.
 *
 * @param groupId       of the group.
 * @param requestInfo   the partitions.
 * @param versionId     ignored: the version is negotiated with the broker.
 * @param correlationId ignored.
 * @param clientId      shown in the broker's logs.
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
