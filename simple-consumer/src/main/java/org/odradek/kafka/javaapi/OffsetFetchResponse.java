// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import org.odradek.kafka.common.OffsetMetadataAndError;
import org.odradek.kafka.common.TopicAndPartition;

import java.util.Map;

/**
 * The offsets that a group has stored.
 *
 * @param offsets by requested partition.
 */
public record OffsetFetchResponse(Map<TopicAndPartition, OffsetMetadataAndError> offsets)
{
}
