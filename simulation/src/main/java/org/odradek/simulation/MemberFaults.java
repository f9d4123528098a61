// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;

/** The faults of the members of a group: one of some kinds strikes one of the members, again and again. */
final class MemberFaults
{
    private static final long FACTOR = 3;
    private static final long MIN_OUTAGE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_OUTAGE_NS = TimeUnit.SECONDS.toNanos(90);

    private final GroupWorld world;
    private final Member[] members;
    private final FaultKind[] kinds;
    private final Draw draw;
    private long nextNs;

    MemberFaults(final GroupWorld world, final Member[] members, final Draw draw, final FaultKind... kinds)
    {
        this.world = world;
        this.members = members;
        this.kinds = kinds;
        this.draw = draw;
    }

    void begin()
    {
        nextNs = world.clock.nowNs();
    }

    /** Lets a fault occur if it is time. */
    void step()
    {
        if (world.clock.nowNs() >= nextNs)
        {
            nextNs = world.clock.nowNs() +
                draw.exponential(FACTOR * TimeUnit.MILLISECONDS.toNanos(world.scenario.faultEveryMs));
            final FaultKind kind = draw.pick(kinds);
            final Member member = members[draw.below(members.length)];
            if (world.scenario.isOn(kind) && member.act(kind, draw.logBetween(MIN_OUTAGE_NS, MAX_OUTAGE_NS)))
            {
                world.trace.text("member " + member.number);
                world.tookEffect(kind);
            }
        }
    }
}
