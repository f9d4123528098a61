// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.wire;

import org.odradek.kafka.common.TopicAndPartition;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests name a topic once, the old API names it with every partition.
 */
final class Partitions
{
    private Partitions()
    {
    }

    static Map<String, List<TopicAndPartition>> byTopic(final Iterable<TopicAndPartition> partitions)
    {
        final Map<String, List<TopicAndPartition>> topics = new LinkedHashMap<>();
        for (final TopicAndPartition partition : partitions)
        {
            topics.computeIfAbsent(partition.topic(), (topic) -> new ArrayList<>()).add(partition);
        }
        return topics;
    }

    static int maxLength(final Map<String, List<TopicAndPartition>> topics, final int partitionLength)
    {
        int length = 0;
        for (final Map.Entry<String, List<TopicAndPartition>> topic : topics.entrySet())
        {
            length = Math.addExact(
                length, Question.maxTopicLength(topic.getKey(), topic.getValue().size(), partitionLength));
        }
        return length;
    }
}
