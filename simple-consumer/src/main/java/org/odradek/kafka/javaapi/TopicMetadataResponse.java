// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import java.util.List;

/**
 * The partitions of topics and their leaders.
 *
 * @param topicsMetadata the topics.
 */
public record TopicMetadataResponse(List<TopicMetadata> topicsMetadata)
{
}
