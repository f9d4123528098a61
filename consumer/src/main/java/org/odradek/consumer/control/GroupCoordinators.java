// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.ConsumerEnvironment;

import java.util.Arrays;

/**
 * The groups whose offsets are dealt with: mostly none, or one.
 */
final class GroupCoordinators
{
    private final ControlSettings settings;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final ClusterView cluster;
    private final ConsumerEnvironment environment;
    private GroupCoordinator[] groups = {};

    GroupCoordinators(
        final ControlSettings settings,
        final FetchTopic topic,
        final PartitionTable table,
        final ClusterView cluster,
        final ConsumerEnvironment environment)
    {
        this.settings = settings;
        this.topic = topic;
        this.table = table;
        this.cluster = cluster;
        this.environment = environment;
    }

    GroupCoordinator get(final String groupId)
    {
        for (final GroupCoordinator group : groups)
        {
            if (group.groupId().equals(groupId))
            {
                return group;
            }
        }
        final GroupCoordinator group = new GroupCoordinator(groupId, settings, topic, table, cluster, environment);
        groups = Arrays.copyOf(groups, groups.length + 1);
        groups[groups.length - 1] = group;
        return group;
    }

    int doWork(final boolean isLooking, final int partitionCount)
    {
        int work = 0;
        for (final GroupCoordinator group : groups)
        {
            work += group.doWork(isLooking, partitionCount);
        }
        return work;
    }

    long nextDeadlineNs(final long otherwiseNs, final int partitionCount)
    {
        long nextNs = otherwiseNs;
        for (final GroupCoordinator group : groups)
        {
            nextNs = group.nextDeadlineNs(nextNs, partitionCount);
        }
        return nextNs;
    }

    void free()
    {
        for (final GroupCoordinator group : groups)
        {
            group.free();
        }
        groups = new GroupCoordinator[0];
    }

    void describe(final StringBuilder text)
    {
        for (final GroupCoordinator group : groups)
        {
            text.append(group).append('\n');
        }
    }
}
