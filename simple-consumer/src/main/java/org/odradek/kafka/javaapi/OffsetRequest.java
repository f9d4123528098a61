// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * A request for the offsets of times.
 *
 * @param requestInfo partitions and times.
 * @param versionId   ignored.
 * @param clientId    the client id.
 */
public record OffsetRequest(
    Map<TopicAndPartition, PartitionOffsetRequestInfo> requestInfo, short versionId, String clientId)
{
}
