// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.testkit.model.BrokerRelease;
import org.odradek.testkit.model.ModelCluster;
import org.odradek.testkit.model.ModelPartition;
import org.odradek.testkit.model.ModelTopic;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run: a cluster, a network, producers, faults, and a user with a consumer, on one thread and in simulated time. A
 * run consists of rounds of the four {@link Phase}s. Whatever occurs is passed to each {@link Observer} in turn.
 */
final class World implements Observer
{
    private static final int REPLICATION_FACTOR = 3;
    /** The longest time before the nanosecond clock overflows, in runs in which it does. */
    private static final long MAX_BEFORE_WRAP_NS = TimeUnit.MINUTES.toNanos(5);
    static final long EPOCH_MS = 1_790_000_000_000L;

    final Scenario scenario;
    final SimulatedClock clock;
    final Trace trace;
    final ModelCluster cluster;
    final SimulatedNetwork network;
    final SimulatedPoller poller;
    final Load load;
    final Faults faults;
    final Oracles oracles;
    final User user;
    private final long[] effects = new long[FaultKind.values().length];
    private final Observer[] observers;
    private final Draw draw;
    private Phase phase = Phase.FAULTS;
    private long phaseNs;

    /**
     * @param settings of the run.
     * @param lines    receives the text of the trace, or null.
     */
    World(final RunSettings settings, final Consumer<String> lines)
    {
        scenario = new Scenario(settings);
        draw = new Draw(scenario.seed, "world");
        final boolean isNearWrap = scenario.isOn(FaultKind.CLOCK_WRAPPED);
        clock = new SimulatedClock(
            isNearWrap ? Long.MAX_VALUE - draw.logBetween(1, MAX_BEFORE_WRAP_NS) : draw.nextLong() >> 1, EPOCH_MS);
        trace = new Trace(clock, lines);
        trace.text(scenario.toString());
        cluster = new ModelCluster(clock::nowNs);
        network = new SimulatedNetwork(this);
        addBrokers();
        createTopic();
        poller = new SimulatedPoller(this);
        load = new Load(this);
        faults = new Faults(this);
        oracles = new Oracles(this);
        user = new User(this);
        observers = new Observer[]{trace, oracles, user};
        if (isNearWrap)
        {
            clock.at(Long.MAX_VALUE - clock.nanoTime() + 1, () -> tookEffect(FaultKind.CLOCK_WRAPPED));
        }
    }

    private void addBrokers()
    {
        for (int id = 0; id < scenario.brokerCount; id++)
        {
            network.addHost(id, scenario.isOn(Feature.RELEASES) ? scenario.release(draw) : BrokerRelease.NEWEST);
        }
        cluster.followerFetching(scenario.isOn(Feature.RACKS));
    }

    /** Creates the topic, or creates it again under another id. */
    void createTopic()
    {
        cluster.createTopic(
            Scenario.TOPIC, scenario.partitionCount, Math.min(REPLICATION_FACTOR, scenario.brokerCount));
    }

    /** The partitions of the topic; none while it does not exist. */
    List<ModelPartition> partitions()
    {
        final ModelTopic topic = cluster.topic(Scenario.TOPIC);
        return topic == null ? List.of() : topic.partitions();
    }

    /** Runs to the end, or until an oracle throws. */
    void run()
    {
        final long endNs = TimeUnit.MINUTES.toNanos(scenario.settings.minutes());
        user.open();
        while (clock.nowNs() < endNs)
        {
            runRound(endNs);
        }
        user.close();
        onStep();
    }

    private void runRound(final long endNs)
    {
        enter(Phase.FAULTS);
        load.begin();
        faults.begin();
        stepUntil(Math.min(endNs, clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(20, 600))));
        faults.end();
        enter(Phase.SETTLING);
        while (!user.isCaughtUp())
        {
            step();
        }
        oracles.onCaughtUp();
        while (!oracles.isSettled())
        {
            step();
        }
        enter(Phase.FLOWING);
        stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(5, 40)));
        load.end();
        enter(Phase.IDLE);
        stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(10, 90)));
    }

    private void enter(final Phase newPhase)
    {
        phase = newPhase;
        phaseNs = clock.nowNs();
        onPhase(newPhase);
    }

    private void stepUntil(final long timeNs)
    {
        while (clock.nowNs() < timeNs)
        {
            step();
        }
    }

    private void step()
    {
        user.step();
        onStep();
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

    /** Counts a fault that has taken effect, of the cluster or of the user. */
    void tookEffect(final FaultKind kind)
    {
        effects[kind.ordinal()]++;
        onFault(kind);
    }

    /** Returns how many faults have taken effect, by the ordinals of {@link FaultKind}. */
    long[] effects()
    {
        return effects;
    }

    @Override
    public void onConnect(final Link link)
    {
        for (final Observer observer : observers)
        {
            observer.onConnect(link);
        }
    }

    @Override
    public void onLinkChanged(final Link link)
    {
        for (final Observer observer : observers)
        {
            observer.onLinkChanged(link);
        }
    }

    @Override
    public void onClose(final Link link)
    {
        for (final Observer observer : observers)
        {
            observer.onClose(link);
        }
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        for (final Observer observer : observers)
        {
            observer.onRequest(link, frame);
        }
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        for (final Observer observer : observers)
        {
            observer.onResponse(link, frame);
        }
    }

    @Override
    public void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        for (final Observer observer : observers)
        {
            observer.onAwait(startNs, timeoutNs, ready);
        }
    }

    @Override
    public void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
        for (final Observer observer : observers)
        {
            observer.onAppend(partition, baseOffset, lastOffset);
        }
    }

    @Override
    public void onCorruption(final int partition, final long baseOffset)
    {
        for (final Observer observer : observers)
        {
            observer.onCorruption(partition, baseOffset);
        }
    }

    @Override
    public void onFault(final FaultKind kind)
    {
        for (final Observer observer : observers)
        {
            observer.onFault(kind);
        }
    }

    @Override
    public void onStep()
    {
        for (final Observer observer : observers)
        {
            observer.onStep();
        }
    }

    @Override
    public void onPhase(final Phase newPhase)
    {
        for (final Observer observer : observers)
        {
            observer.onPhase(newPhase);
        }
    }
}
