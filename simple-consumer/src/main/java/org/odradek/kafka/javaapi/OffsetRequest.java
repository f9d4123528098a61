// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * A request for the offsets of times.
 *
 * @param requestInfo the partitions and their times.
 * @param versionId   ignored: the version is negotiated with the broker.
 * @param clientId    shown in the broker's logs.
 */
public record OffsetRequest(
    Map<TopicAndPartition, PartitionOffsetRequestInfo> requestInfo, short versionId, String clientId)
{
}
