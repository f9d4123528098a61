// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * A request to store offsets of a group in Kafka, without being a member.
 *
 * @param groupId       the group id.
 * @param requestInfo   the offsets.
 * @param correlationId ignored.
 * @param clientId      the client id.
 * @param versionId     ignored.
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
