// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.protocol.ApiMessage;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelRequest;
import org.odradek.harness.model.ModelSasl;
import org.odradek.harness.model.ModelTopic;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The cluster, the network and the time of a run. What runs in it, and what goes wrong, is for the subclass. Whatever
 * occurs is passed to each {@link Observer} in turn.
 */
abstract class SimulatedCluster implements Observer
{
    static final int REPLICATION_FACTOR = 3;
    static final long EPOCH_MS = 1_790_000_000_000L;

    final Scenario scenario;
    final SimulatedClock clock;
    final Trace trace;
    final ModelCluster cluster;
    final SimulatedNetwork network;
    /** Null if nothing goes wrong; the subclass creates it. */
    Faults faults;
    /** Null if consumers do not authenticate themselves. */
    final ModelSasl sasl;
    /** How long the consumers took to catch up after the last fault, in ns, of each round. */
    final List<Long> settledNs = new ArrayList<>();
    private Observer[] observers;
    private final long[] effects = new long[FaultKind.values().length];

    /**
     * @param scenario of the run.
     * @param originNs the first value of the nanosecond clock.
     * @param lines    receives the text of the trace, or null.
     */
    SimulatedCluster(final Scenario scenario, final long originNs, final Consumer<String> lines)
    {
        this.scenario = scenario;
        clock = new SimulatedClock(originNs, EPOCH_MS);
        trace = new Trace(clock, lines);
        trace.text(scenario.toString());
        cluster = new ModelCluster(clock::nowNs);
        sasl = scenario.isAuthenticated ?
            new ModelSasl(Scenario.USER, Scenario.PASSWORD, scenario.sessionLifetimeMs) : null;
        if (scenario.isAuthenticated && scenario.isScram)
        {
            final Draw nonces = new Draw(scenario.seed, "nonces of brokers");
            sasl.scram(() -> SeededScram.nonce(nonces));
        }
        else if (scenario.isAuthenticated)
        {
            sasl.rounds(scenario.authenticationRounds);
        }
        cluster.sasl(sasl);
        network = new SimulatedNetwork(this);
        observedBy(trace);
    }

    final void observedBy(final Observer... newObservers)
    {
        observers = newObservers;
    }

    /** Returns who is notified of what occurs on a connection. */
    Observer[] observers(final Link link)
    {
        return observers;
    }

    /** Creates the topic, or creates it again under another id. */
    final void createTopic()
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

    /** Draws the release of a broker. */
    BrokerRelease release(final Draw releaseDraw)
    {
        return scenario.release(releaseDraw);
    }

    /** Runs to the end, or until an oracle throws. */
    abstract void run();

    /** Lets everything go on for a while. */
    abstract void step();

    final void stepUntil(final long timeNs)
    {
        while (clock.nowNs() < timeNs)
        {
            step();
        }
    }

    /** A consumer begins to wait. */
    void beforeAwait()
    {
    }

    /**
     * Lets time pass while a consumer waits, at most until its poller is to check its sockets.
     *
     * @param poller  that waits.
     * @param untilNs the end of the wait.
     */
    void pass(final SimulatedPoller poller, final long untilNs)
    {
        clock.advance(untilNs);
    }

    /** Returns the first offset that a leader which lacks the end of the log may lack. */
    long firstOffsetToLose(final ModelLog log)
    {
        return log.startOffset();
    }

    /** The high watermark of a partition follows its log again. */
    void endHold(final ModelPartition partition)
    {
        partition.log().holdHighWatermark(false);
    }

    /** The state of a connection has changed, so that a socket may be ready. */
    abstract void onSocketsChanged();

    /** Returns the records that were delivered. */
    abstract long records();

    /** The topic was created again. */
    void onTopicCreated()
    {
    }

    /** A broker has served a request. Its response may still be changed, or lost. */
    void onAnswer(final ModelRequest request, final ApiMessage response)
    {
    }

    /** A response that was served has become one that no client may believe. */
    void onLie(final ModelRequest request)
    {
    }

    /** Counts a fault that has taken effect, of the cluster or of the user. */
    final void tookEffect(final FaultKind kind)
    {
        effects[kind.ordinal()]++;
        onFault(kind);
    }

    /** Returns how many faults have taken effect, by the ordinals of {@link FaultKind}. */
    final long[] effects()
    {
        return effects;
    }

    @Override
    public void onConnect(final Link link)
    {
        for (final Observer observer : observers(link))
        {
            observer.onConnect(link);
        }
    }

    @Override
    public void onLinkChanged(final Link link)
    {
        for (final Observer observer : observers(link))
        {
            observer.onLinkChanged(link);
        }
    }

    @Override
    public void onClose(final Link link)
    {
        for (final Observer observer : observers(link))
        {
            observer.onClose(link);
        }
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        for (final Observer observer : observers(link))
        {
            observer.onRequest(link, frame);
        }
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        for (final Observer observer : observers(link))
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
