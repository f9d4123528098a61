// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.TopicPartition;

import java.util.LinkedHashMap;
import java.util.Map;

/** The committed offsets of all groups of a {@link ModelCluster}, whichever broker coordinates them. */
public final class GroupOffsets
{
    /** A committed offset; the leader epoch is -1 if the client has sent none. */
    public record Committed(long offset, int leaderEpoch, String metadata)
    {
    }

    private final Map<String, Map<TopicPartition, Committed>> groups = new LinkedHashMap<>();

    /** Commits an offset; the group need not exist. */
    public void commit(final String group, final TopicPartition partition, final Committed committed)
    {
        groups.computeIfAbsent(group, (unknown) -> new LinkedHashMap<>()).put(partition, committed);
    }

    /** Returns the committed offsets of a group in the order of the first commits; empty for an unknown group. */
    public Map<TopicPartition, Committed> committed(final String group)
    {
        return groups.getOrDefault(group, Map.of());
    }

    boolean isKnown(final String group)
    {
        return groups.containsKey(group);
    }

    void removeTopic(final String topic)
    {
        groups.values().forEach((group) -> group.keySet().removeIf((partition) -> partition.topic().equals(topic)));
    }
}
