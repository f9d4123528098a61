// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelPartition;

import java.util.concurrent.TimeUnit;

/**
 * The broker that is asked for metadata is cut off from the controllers while nothing else fails, and leads nothing.
 * Then a leader crashes: only the other brokers know who leads its partitions.
 */
final class StaleBroker
{
    private static final long FOLLOW_NS = TimeUnit.SECONDS.toNanos(10);

    private final World world;
    private final Draw draw;
    private final boolean isOn;

    StaleBroker(final World world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "stale broker");
        // A follower that is read need not know who leads.
        isOn = !world.scenario.isOn(Feature.RACKS) && world.scenario.isOn(FaultKind.BROKER_CRASHED) &&
            world.scenario.isOn(FaultKind.STALE_METADATA);
    }

    /** Whether it may occur after a round. */
    boolean isOn()
    {
        return isOn;
    }

    void strike()
    {
        final Host asked = world.oracles.traffic.askedForMetadata();
        if (asked == null || !depose(asked, asked))
        {
            return;
        }
        world.oracles.onChange();
        world.stepUntil(world.clock.nowNs() + FOLLOW_NS);
        final int drawn = draw.below(Math.max(1, world.partitions().size()));
        final int leaderId = world.partitions().isEmpty() ? -1 : world.partitions().get(drawn).leader();
        if (leaderId >= 0 && world.oracles.traffic.askedForMetadata() == asked)
        {
            final Host leader = world.network.hosts().get(leaderId);
            asked.broker.stale(true);
            world.tookEffect(FaultKind.STALE_METADATA);
            if (depose(leader, asked))
            {
                world.faults.crash(leader, draw.oneIn(3));
                world.tookEffect(FaultKind.BROKER_CRASHED);
            }
            world.oracles.onChange();
        }
    }

    /**
     * Has others lead what a broker leads.
     *
     * @param excluded broker that shall not lead either.
     * @return false if a partition has no other replica that runs.
     */
    private boolean depose(final Host host, final Host excluded)
    {
        boolean isDeposed = true;
        for (final ModelPartition partition : world.partitions())
        {
            if (partition.leader() == host.broker.id())
            {
                final int other = otherReplica(partition, excluded.broker.id());
                isDeposed &= other >= 0;
                if (other >= 0)
                {
                    partition.elect(other);
                }
            }
        }
        world.network.serve();
        return isDeposed;
    }

    /** Returns a replica that runs and does not lead, the first of them, or -1. */
    private int otherReplica(final ModelPartition partition, final int excludedId)
    {
        for (final int replica : partition.replicas())
        {
            if (replica != partition.leader() && replica != excludedId && world.network.hosts().get(replica).isUp)
            {
                return replica;
            }
        }
        return -1;
    }
}
