// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;

/**
 * Stops delivery while the membership is not certain: no heartbeat was confirmed for so long that the coordinator may
 * have removed the member, or partitions were not given up in time. The table of partitions has the time until which
 * records are delivered, which is extended here.
 */
final class DeliveryFence
{
    private boolean isReported;
    private long sinceNs;
    private final Settings.Group settings;
    private final GroupMember member;
    private final PartitionTable table;
    private final Environment environment;

    DeliveryFence(final GroupMember member, final PartitionTable table, final Environment environment)
    {
        settings = environment.settings().group;
        this.member = member;
        this.table = table;
        this.environment = environment;
    }

    /** Allows delivery while the member cannot have been removed. */
    void extendDelivery()
    {
        final long fenceNs = fenceNs();
        if (fenceNs > 0)
        {
            table.deliverUntil(member.deliverUntilNs(fenceNs));
        }
    }

    private long fenceNs()
    {
        return settings.fenceAfterMs == Settings.Group.FENCE_AFTER_INTERVALS ?
            member.fenceNs() : settings.fenceAfterNs();
    }

    /** Reports that delivery has stopped, or continues. */
    void report()
    {
        final long nowNs = environment.clock().nowNs();
        final boolean isLate = table.isFenced(environment.clock().readNs());
        if (isLate && !isReported && member.ownedCount() > 0)
        {
            isReported = true;
            sinceNs = nowNs;
            environment.counters().add(ConsumerCounters.FENCES, 1);
            environment.listener().onDeliveryFenced(nowNs - member.lastConfirmedNs());
        }
        else if (isReported && !isLate)
        {
            isReported = false;
            environment.listener().onDeliveryUnfenced(nowNs - sinceNs);
        }
    }

    @Override
    public String toString()
    {
        return isReported ? ", delivery fenced" : "";
    }
}
