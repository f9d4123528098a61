// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The faults of a run. Each kind that is on has a generator and a schedule of its own, so that turning one off does not
 * move the others. A fault that finds nothing to act on does not count; one that takes effect later counts then.
 */
final class Faults
{
    /** Kinds that change much for long occur more seldom than the others, by this factor. */
    private static final int SELDOM = 6;
    private static final Set<FaultKind> SELDOM_KINDS = EnumSet.of(
        FaultKind.BROKER_CRASHED, FaultKind.BROKER_RESTARTED, FaultKind.BROKER_UPGRADED, FaultKind.BROKER_PAUSED,
        FaultKind.BROKER_LOST, FaultKind.BROKER_DECOMMISSIONED,
        FaultKind.CONNECTION_HALF_OPEN, FaultKind.CONNECT_UNANSWERED, FaultKind.RESPONSE_LOST,
        FaultKind.UNCLEAN_ELECTION, FaultKind.TOPIC_RECREATED, FaultKind.PARTITIONS_ADDED, FaultKind.DNS_SLOW,
        FaultKind.PASSWORD_CHANGED);

    private static final long MAX_STEP_MS = TimeUnit.DAYS.toMillis(1);
    private static final long MIN_SLOW_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_SLOW_NS = TimeUnit.SECONDS.toNanos(8);
    private static final int MAX_BYTES_TO_CUT = 4_096;

    private final SimulatedCluster world;
    private final ClusterFaults clusterFaults;
    private final WireFaults wireFaults;
    private boolean isOn;
    private int failingLookups;
    private int slowLookups;
    private long slowLookupNs;
    private final Draw lookupDraw;

    /**
     * @param world    of the run.
     * @param possible kinds, of which each seed has some.
     */
    Faults(final SimulatedCluster world, final Set<FaultKind> possible)
    {
        this.world = world;
        lookupDraw = new Draw(world.scenario.seed, "lookups");
        clusterFaults = new ClusterFaults(world);
        wireFaults = new WireFaults(world);
        final Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        for (final FaultKind kind : possible)
        {
            if (world.scenario.isOn(kind))
            {
                kinds.add(kind);
            }
        }
        for (final FaultKind kind : kinds)
        {
            new Schedule(kind, kinds.size()).next();
        }
    }

    /** The times at which one kind of fault is tried. */
    private final class Schedule implements Runnable
    {
        private final FaultKind kind;
        private final Draw draw;
        private final long meanNs;

        Schedule(final FaultKind kind, final int kindCount)
        {
            this.kind = kind;
            draw = new Draw(world.scenario.seed, "fault " + kind.name());
            meanNs = TimeUnit.MILLISECONDS.toNanos(world.scenario.faultEveryMs) * kindCount *
                (SELDOM_KINDS.contains(kind) ? SELDOM : 1);
        }

        void next()
        {
            world.clock.after(draw.exponential(meanNs), this);
        }

        @Override
        public void run()
        {
            if (isOn && strike(kind, draw))
            {
                world.tookEffect(kind);
            }
            next();
        }
    }

    /** Lets faults occur. */
    void begin()
    {
        isOn = true;
    }

    /** Ends all faults and repairs what they have broken. */
    void end()
    {
        isOn = false;
        failingLookups = 0;
        slowLookups = 0;
        for (final Host host : world.network.hosts())
        {
            host.refusedConnects = 0;
            host.ignoredConnects = 0;
        }
        for (final Link link : world.network.links())
        {
            link.cancelCut();
        }
        wireFaults.end();
        clusterFaults.end();
        world.network.serve();
    }

    /** Has a certain broker be lost, and others lead what it led. Returns false if it cannot be spared. */
    boolean lose(final int brokerId, final Draw draw)
    {
        return clusterFaults.lose(brokerId, draw);
    }

    /** Has a certain broker crash until the end of all faults. */
    void crash(final Host host, final boolean isSilent)
    {
        clusterFaults.crash(host, isSilent);
    }

    /** Returns whether the fault has taken effect already. */
    private boolean strike(final FaultKind kind, final Draw draw)
    {
        switch (kind)
        {
            case CONNECT_REFUSED:
                host(draw).refusedConnects += 1 + draw.below(3);
                return false;
            case CONNECT_UNANSWERED:
                host(draw).ignoredConnects += 1 + draw.below(3);
                return false;
            case CONNECTION_RESET:
            case CONNECTION_CLOSED:
            case CONNECTION_HALF_OPEN:
                planCut(kind, draw);
                return false;
            case DNS_CHANGED:
                return changeAddress(draw);
            case DNS_FAILED:
                failingLookups += 1 + draw.below(3);
                return false;
            case DNS_SLOW:
                slowLookups++;
                return false;
            case CLOCK_STEPPED:
                world.clock.step((draw.oneIn(2) ? 1 : -1) * draw.logBetween(1, MAX_STEP_MS));
                return true;
            default:
                return WireFaults.isWire(kind) ? wireFaults.prepare(kind) : clusterFaults.strike(kind, draw);
        }
    }

    private Host host(final Draw draw)
    {
        return world.network.hosts().get(draw.below(world.network.hosts().size()));
    }

    private void planCut(final FaultKind kind, final Draw draw)
    {
        final int count = world.network.links().size();
        final int bytes = (int)draw.logBetween(1, MAX_BYTES_TO_CUT);
        final boolean isAtClient = draw.oneIn(2);
        final int number = draw.below(Math.max(1, count));
        if (count > 0)
        {
            world.network.links().get(number).planCut(kind, isAtClient, bytes);
        }
    }

    /** The host has moved: connections to the address of before break. */
    private boolean changeAddress(final Draw draw)
    {
        final Host host = host(draw);
        if (!host.wasLookedUp)
        {
            return false;
        }
        host.wasLookedUp = false;
        host.address = world.network.newAddress();
        world.network.reset(host);
        return true;
    }

    /** The time in nanoseconds for which slow lookups have blocked the client. */
    long slowLookupNs()
    {
        return slowLookupNs;
    }

    /** A lookup begins. */
    void onLookup(final String name) throws UnknownHostException
    {
        if (slowLookups > 0)
        {
            slowLookups--;
            world.tookEffect(FaultKind.DNS_SLOW);
            final long lookupNs = lookupDraw.between(MIN_SLOW_NS, MAX_SLOW_NS);
            slowLookupNs += lookupNs;
            world.clock.spend(lookupNs);
        }
        if (failingLookups > 0)
        {
            failingLookups--;
            world.tookEffect(FaultKind.DNS_FAILED);
            throw new UnknownHostException(name);
        }
    }

    /** Returns whether an attempt to connect is refused, and counts it. */
    boolean refuseConnect(final Host host)
    {
        final boolean isRefusing = host.refusedConnects > 0;
        if (isRefusing)
        {
            host.refusedConnects--;
            world.tookEffect(FaultKind.CONNECT_REFUSED);
        }
        return isRefusing;
    }

    /** Returns whether an attempt to connect is not answered, and counts it. */
    boolean ignoreConnect(final Host host)
    {
        final boolean isIgnoring = host.ignoredConnects > 0;
        if (isIgnoring)
        {
            host.ignoredConnects--;
            world.tookEffect(FaultKind.CONNECT_UNANSWERED);
        }
        return isIgnoring;
    }
}
