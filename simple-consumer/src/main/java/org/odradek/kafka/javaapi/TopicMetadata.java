// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import java.util.List;

/**
 * The partitions of a topic and their leaders.
 *
 * @param topic              its name.
 * @param partitionsMetadata the partitions.
 * @param errorCode          see {@link org.odradek.kafka.common.ErrorMapping}.
 */
public record TopicMetadata(String topic, List<PartitionMetadata> partitionsMetadata, short errorCode)
{
}
