// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelPartition;

import java.util.ArrayList;
import java.util.List;

/**
 * Brokers that never come back, whatever they led: some are lost, others are decommissioned. Every partition keeps a
 * replica that comes back.
 */
final class GoneBrokers
{
    private final SimulatedCluster world;

    GoneBrokers(final SimulatedCluster world)
    {
        this.world = world;
    }

    /** The machine or the process of a broker is lost. Returns false if there is none to spare. */
    boolean lose(final Draw draw)
    {
        return lose(draw(draw), draw);
    }

    /** Returns false if the broker cannot be spared. */
    boolean lose(final Host host, final Draw draw)
    {
        final boolean isSilent = draw.oneIn(3);
        final boolean isListed = draw.oneIn(2);
        if (!isSpare(host))
        {
            return false;
        }
        host.isSilent = isSilent;
        end(host);
        if (isSilent)
        {
            world.network.lose(host);
        }
        else
        {
            world.network.reset(host);
        }
        host.broker.stop();
        host.broker.registered(isListed);
        return true;
    }

    /** Others take over the replicas of a broker, which then ends. Returns false if there is none to spare. */
    boolean decommission(final Draw draw)
    {
        final Host host = draw(draw);
        if (!isSpare(host))
        {
            return false;
        }
        final int id = host.broker.id();
        for (final ModelPartition partition : world.partitions())
        {
            if (partition.replicas().contains(id))
            {
                partition.replicas(others(partition, id));
            }
        }
        host.isDecommissioned = true;
        end(host);
        world.network.finish(host);
        host.broker.stop();
        host.broker.registered(false);
        return true;
    }

    private void end(final Host host)
    {
        host.isGone = true;
        host.isUp = false;
        host.isPaused = false;
    }

    private List<Integer> others(final ModelPartition partition, final int id)
    {
        final List<Integer> others = new ArrayList<>(partition.replicas());
        others.remove(Integer.valueOf(id));
        for (final Host host : world.network.hosts())
        {
            if (others.size() < partition.replicas().size() && !host.isGone && host.broker.id() != id &&
                !others.contains(host.broker.id()))
            {
                others.add(host.broker.id());
            }
        }
        return others;
    }

    private Host draw(final Draw draw)
    {
        final int first = firstId();
        final int count = world.network.hosts().size();
        return world.network.hosts().get(Math.min(count - 1, first + draw.below(Math.max(1, count - first))));
    }

    /** Returns whether a broker runs, and its end leaves a replica of every partition. */
    private boolean isSpare(final Host host)
    {
        final List<Host> hosts = world.network.hosts();
        final long gone = hosts.stream().filter((other) -> other.isGone).count();
        return host.isUp && !host.isPaused && host.broker.id() >= firstId() &&
            gone + 1 < Math.min(SimulatedCluster.REPLICATION_FACTOR, hosts.size());
    }

    /** A consumer may know the address of the first one only. */
    private int firstId()
    {
        return world.scenario.isOn(Feature.LITERAL_ADDRESSES) ? 1 : 0;
    }
}
