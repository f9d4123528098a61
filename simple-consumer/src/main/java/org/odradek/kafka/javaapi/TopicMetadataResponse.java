// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import java.util.List;

/**
 * Where the leaders of topics are.
 *
 * @param topicsMetadata one for each topic.
 */
public record TopicMetadataResponse(List<TopicMetadata> topicsMetadata)
{
}
