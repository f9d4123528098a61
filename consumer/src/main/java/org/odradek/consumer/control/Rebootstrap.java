// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.status.ConsumerCounters;

/**
 * Gives up what is known of the cluster, and begins again from the servers that the user named, with their names
 * looked up anew: when a broker asks for it (REBOOTSTRAP_REQUIRED, KIP-1102 and KIP-1242), or when metadata has been
 * asked for in vain for long (KIP-899). At most once in the longest retry backoff, because a cluster may keep asking.
 * The places of the partitions are kept.
 */
final class Rebootstrap
{
    private final long triggerNs;
    private final long intervalNs;
    private final BrokerAddress[] bootstrap;
    private final PartitionTable table;
    private final ClusterView cluster;
    private final ConsumerEnvironment environment;
    private boolean isAsking;
    private boolean hasBegun;
    private long askingSinceNs;
    private long begunNs;

    Rebootstrap(
        final ControlSettings settings,
        final PartitionTable table,
        final ClusterView cluster,
        final ConsumerEnvironment environment)
    {
        triggerNs = settings.rebootstrapTriggerNs();
        intervalNs = settings.retryBackoffMaxNs();
        bootstrap = settings.bootstrap();
        this.table = table;
        this.cluster = cluster;
        this.environment = environment;
    }

    /**
     * Metadata is wanted. Only time that is polled counts, because only in that the brokers are tried.
     */
    void onAsking()
    {
        if (!isAsking)
        {
            isAsking = true;
            askingSinceNs = environment.clock().pollingNs();
        }
    }

    /**
     * A broker has answered.
     */
    void onAnswer()
    {
        isAsking = false;
    }

    boolean isDue()
    {
        return (environment.identity().rebootstrapReason() != null || isOverdue()) &&
            (!hasBegun || environment.clock().nowNs() - begunNs - intervalNs >= 0);
    }

    /**
     * As long as no broker is known there is nothing to be given up.
     */
    private boolean isOverdue()
    {
        return isAsking && cluster.count() > 0 && environment.clock().pollingNs() - askingSinceNs > triggerNs;
    }

    void begin()
    {
        final String asked = environment.identity().rebootstrapReason();
        final String reason = asked != null ? asked :
            "no broker has answered for metadata for " + triggerNs / 1_000_000 + " ms";
        hasBegun = true;
        begunNs = environment.clock().nowNs();
        isAsking = false;
        environment.identity().forget();
        cluster.forget();
        for (final BrokerAddress address : bootstrap)
        {
            address.forget();
        }
        // Without leaders no broker has a partition, which closes the connections to all of them.
        for (int p = 0; p < table.capacity(); p++)
        {
            table.leader(p, PartitionTable.NULL_LEADER, PartitionTable.NULL_EPOCH);
        }
        table.requestMetadata();
        environment.counters().add(ConsumerCounters.REBOOTSTRAPS, 1);
        environment.listener().onRebootstrap(reason);
    }
}
