// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.List;

/**
 * A request for the offsets that a group has stored in Kafka.
 *
 * @param groupId       the group id.
 * @param requestInfo   the partitions.
 * @param versionId     ignored.
 * @param correlationId ignored.
 * @param clientId      the client id.
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
