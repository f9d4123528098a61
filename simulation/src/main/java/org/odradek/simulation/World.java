// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.BrokerRelease;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run: a cluster, a network, producers, faults, and a user with a consumer, on one thread and in simulated time. A
 * run consists of rounds of the four {@link Phase}s.
 */
final class World extends SimulatedCluster
{
    /** The longest time before the nanosecond clock overflows, in runs in which it does. */
    private static final long MAX_BEFORE_WRAP_NS = TimeUnit.MINUTES.toNanos(5);

    /** Faults that a run of consumers does not draw: the wrap of the clock, which is planned, and two of publishers. */
    private static final Set<FaultKind> NEVER =
        EnumSet.of(FaultKind.CLOCK_WRAPPED, FaultKind.ID_REFUSED, FaultKind.REQUEST_LATE);

    final SimulatedPoller poller;
    final Load load;
    final Oracles oracles;
    final User user;
    final Neighbour neighbour;
    private final LostLeader lostLeader;
    private final StaleBroker staleBroker;
    private final Observer[] ofNeighbour = {trace};
    private final Draw draw;
    private Phase phase = Phase.FAULTS;
    private long phaseNs;

    /**
     * @param settings of the run.
     * @param lines    receives the text of the trace, or null.
     */
    World(final RunSettings settings, final Consumer<String> lines)
    {
        this(new Scenario(settings), new Draw(settings.seed(), "world"), lines);
    }

    private World(final Scenario scenario, final Draw draw, final Consumer<String> lines)
    {
        super(scenario, originNs(scenario, draw), lines);
        this.draw = draw;
        addBrokers();
        createTopic();
        poller = new SimulatedPoller(this);
        load = new Load(this);
        faults = new Faults(this, kinds(sasl != null));
        oracles = new Oracles(this);
        user = new User(this);
        neighbour = new Neighbour(this);
        lostLeader = new LostLeader(this);
        staleBroker = new StaleBroker(this);
        observedBy(trace, oracles, user);
        if (scenario.isOn(FaultKind.CLOCK_WRAPPED))
        {
            clock.at(Long.MAX_VALUE - clock.nanoTime() + 1, () -> tookEffect(FaultKind.CLOCK_WRAPPED));
        }
    }

    private static long originNs(final Scenario scenario, final Draw draw)
    {
        return scenario.isOn(FaultKind.CLOCK_WRAPPED) ?
            Long.MAX_VALUE - draw.logBetween(1, MAX_BEFORE_WRAP_NS) : draw.nextLong() >> 1;
    }

    /** Every kind that is not of the user or of a publisher, and that can occur more than once. */
    private static Set<FaultKind> kinds(final boolean isAuthenticated)
    {
        final Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
        for (final FaultKind kind : FaultKind.values())
        {
            final boolean isPossible = kind != FaultKind.PASSWORD_CHANGED || isAuthenticated;
            if (!kind.isOfUser && !NEVER.contains(kind) && isPossible)
            {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    private void addBrokers()
    {
        for (int id = 0; id < scenario.brokerCount; id++)
        {
            network.addHost(id, scenario.isOn(Feature.RELEASES) ? scenario.release(draw) : BrokerRelease.NEWEST);
        }
        cluster.followerFetching(scenario.isOn(Feature.RACKS));
    }

    @Override
    void run()
    {
        final long endNs = TimeUnit.MINUTES.toNanos(scenario.settings.minutes());
        user.open();
        while (clock.nowNs() < endNs)
        {
            runRound(endNs);
        }
        user.close();
        neighbour.close();
        onStep();
    }

    private void runRound(final long endNs)
    {
        enter(Phase.FAULTS);
        load.begin();
        load.fallBehind();
        faults.begin();
        stepUntil(Math.min(endNs, clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(20, 600))));
        faults.end();
        settle();
        enter(Phase.FLOWING);
        load.fallBehind();
        // A backlog takes longer.
        stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(5, 40)) * (scenario.distance.isFar ? 4 : 1));
        load.end();
        enter(Phase.IDLE);
        stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(10, 90)));
        if (lostLeader.isDue())
        {
            settle();
            lostLeader.strike();
            settle();
        }
        if (staleBroker.isOn())
        {
            settle();
            staleBroker.strike();
            settle();
            faults.end();
        }
    }

    private void settle()
    {
        enter(Phase.SETTLING);
        while (!user.isCaughtUp())
        {
            step();
        }
        settledNs.add(phaseAgeNs());
        while (!oracles.isSettled())
        {
            step();
        }
    }

    private void enter(final Phase newPhase)
    {
        phase = newPhase;
        phaseNs = clock.nowNs();
        onPhase(newPhase);
    }

    @Override
    void step()
    {
        user.step();
        neighbour.step();
        onStep();
    }

    /** The oracles know the user's consumer only. */
    @Override
    Observer[] observers(final Link link)
    {
        return link.isOfNeighbour ? ofNeighbour : super.observers(link);
    }

    @Override
    public void onConnect(final Link link)
    {
        link.isOfNeighbour = neighbour.isRunning();
        super.onConnect(link);
    }

    @Override
    public void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        if (neighbour.isRunning())
        {
            trace.onAwait(startNs, timeoutNs, ready);
        }
        else
        {
            super.onAwait(startNs, timeoutNs, ready);
        }
    }

    Phase phase()
    {
        return phase;
    }

    /** Returns the time since the phase began. */
    long phaseAgeNs()
    {
        return clock.nowNs() - phaseNs;
    }

    @Override
    void onSocketsChanged()
    {
        poller.onChange();
    }

    @Override
    long records()
    {
        return oracles.deliveries.records;
    }

    @Override
    void onTopicCreated()
    {
        oracles.onTopicCreated();
    }
}
