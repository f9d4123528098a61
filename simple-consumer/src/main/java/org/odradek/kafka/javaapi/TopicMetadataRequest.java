// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi;

import java.util.List;

/**
 * A request for the partitions of topics and their leaders. It never creates a topic.
 *
 * @param topics        the names; an empty list means all topics.
 * @param correlationId ignored.
 */
public record TopicMetadataRequest(List<String> topics, int correlationId)
{
    public TopicMetadataRequest(final List<String> topics)
    {
        this(topics, 0);
    }
}
