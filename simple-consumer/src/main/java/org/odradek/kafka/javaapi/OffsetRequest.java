// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * Asks for offsets by time.
 *
 * @param requestInfo which of which partition.
 * @param versionId   not used: the version is agreed with the broker.
 * @param clientId    that the broker logs.
 */
public record OffsetRequest(
    Map<TopicAndPartition, PartitionOffsetRequestInfo> requestInfo, short versionId, String clientId)
{
}
