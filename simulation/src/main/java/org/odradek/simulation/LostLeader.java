// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;

/**
 * A broker that is lost while nothing else fails and nothing is read from it, and the user queries an offset of a
 * partition that it led: nothing but that query looks for the new leader.
 */
final class LostLeader
{
    private static final long UNUSED_NS = TimeUnit.SECONDS.toNanos(2);

    private final World world;
    private final Draw draw;
    private final boolean isOn;

    LostLeader(final World world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "lost leader");
        // A follower is read whose end is noticed.
        isOn = !world.scenario.isOn(Feature.RACKS) && world.scenario.isOn(FaultKind.BROKER_LOST) &&
            world.scenario.isOn(FaultKind.OFFSET_QUERIED);
    }

    /** Whether a broker is to be lost after the round. */
    boolean isDue()
    {
        return isOn && draw.oneIn(2);
    }

    void strike()
    {
        final int partition = draw.below(world.partitions().size());
        final int brokerId = world.partitions().get(partition).leader();
        leaveOut(brokerId);
        world.tookEffect(FaultKind.PARTITION_UNASSIGNED);
        world.stepUntil(world.clock.nowNs() + UNUSED_NS);
        if (world.user.isKnown(world.oracles.deliveries.of(partition)) && world.faults.lose(brokerId, draw))
        {
            world.tookEffect(FaultKind.BROKER_LOST);
            world.user.offsets.query(world.oracles.deliveries.of(partition), draw);
            world.tookEffect(FaultKind.OFFSET_QUERIED);
        }
    }

    /** Reads nothing more of a leader until the next round. */
    private void leaveOut(final int leaderId)
    {
        for (final Expected expected : world.oracles.deliveries.partitions())
        {
            if (world.user.isKnown(expected) && world.partitions().get(expected.partition).leader() == leaderId)
            {
                world.user.leftOut.add(expected);
                if (expected.isAssigned)
                {
                    world.user.unassign(expected);
                }
            }
        }
        world.oracles.onChange();
    }
}
