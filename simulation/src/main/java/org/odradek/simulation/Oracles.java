// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.ConsumerState;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * All oracles of a run. Here are those that look at the whole: liveness and memory. The others check deliveries, events
 * and traffic.
 */
final class Oracles implements Observer
{
    private static final String LIVENESS = "liveness";
    private static final String MEMORY = "memory";
    /** A consumer with much to read may take this many times the bound, if each partition advances within one. */
    private static final int SETTLE_BOUNDS = 100;
    private static final double JITTER = 1.2;
    /** A fetch, a request of metadata and the lookup of an offset may have to wait for one another. */
    private static final int MAX_TIMEOUTS = 3;
    /** A broker that has refused the password is asked again after this time, or that of another attempt. */
    private static final long REFUSAL_NS = TimeUnit.SECONDS.toNanos(30);
    /** An overdue response is looked for a second time after this. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(5);
    /** The connections for metadata, offsets and the group may be refused at the same time, with those for fetches. */
    private static final int OTHER_CONNECTIONS = 3;
    /** Held from the start, so it is within the budget. */
    private static final int DECOMPRESSION_LENGTH = 1 << 20;
    /** The time for one request and its response on the slowest network that is drawn. */
    private static final long EXCHANGE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    final DeliveryOracle deliveries;
    final EventOracle events;
    final TrafficOracle traffic;
    final TimeoutOracle timeouts;
    /** Null if the brokers demand no authentication. */
    private final AuthenticationOracle authentications;
    private final World world;
    /** The bytes of first and small buffers of leaders beyond those that are expected. */
    private final long unexpectedBytes;
    private final long boundNs;
    /**
     * The additional time for requests over connections that were lost without notice before the faults ended, and for
     * connects to addresses that hosts had before: each of them times out.
     */
    private long lostNs;
    private final long requestTimeoutNs;
    private final long connectTimeoutNs;
    private final long turnNs;
    private final long idleAfterNs;
    private final long maxAgeNs;
    private TopicConsumer consumer;
    private ConsumerState state;
    /** When the consumer was last known to be behind, while it settles. */
    private long behindNs;
    private boolean isIdle;
    /** When there was something to read last, while the cluster is idle. */
    private long unreadNs;
    private long idleSinceNs;

    Oracles(final World world)
    {
        this.world = world;
        deliveries = new DeliveryOracle(world);
        events = new EventOracle(world, deliveries);
        traffic = new TrafficOracle(world);
        timeouts = new TimeoutOracle(world);
        authentications = world.sasl == null ? null : new AuthenticationOracle(world.clock,
            OTHER_CONNECTIONS + world.scenario.fetchConnections(), () -> world.phase() == Phase.FAULTS, this::failure);
        final Scenario scenario = world.scenario;
        unexpectedBytes = unexpectedBytes(scenario);
        requestTimeoutNs = TimeUnit.MILLISECONDS.toNanos(scenario.requestTimeoutMs) + GRACE_NS;
        connectTimeoutNs = TimeUnit.MILLISECONDS.toNanos(3L * scenario.connectTimeoutMs);
        maxAgeNs = TimeUnit.MILLISECONDS.toNanos(scenario.metadataMaxAgeMs);
        final long backoffMs = Math.max(scenario.reconnectBackoffMaxMs, scenario.retryBackoffMaxMs);
        final long distanceNs = scenario.distance.exchangeNs();
        idleAfterNs = TimeUnit.MILLISECONDS.toNanos(2L * scenario.fetchMaxWaitMs) + SLACK_NS + distanceNs;
        // A broker that has not got the least number of bytes for a response waits for more of them.
        turnNs = TimeUnit.MILLISECONDS.toNanos(scenario.latencyBudgetMs) + EXCHANGE_NS + distanceNs +
            (scenario.context().fetchMinBytes() > 1 ? TimeUnit.MILLISECONDS.toNanos(scenario.fetchMaxWaitMs) : 0);
        boundNs = Math.max(requestTimeoutNs, connectTimeoutNs) +
            TimeUnit.MILLISECONDS.toNanos((long)(3 * JITTER * backoffMs)) + SLACK_NS + distanceNs +
            (world.sasl == null ? 0 : REFUSAL_NS);
    }

    private static long unexpectedBytes(final Scenario scenario)
    {
        final int unexpected = scenario.brokerCount - scenario.context().expectedLeaders();
        final ConsumerContext all =
            scenario.context().expectedLeaders(scenario.brokerCount).bootstrapServers("any:1").conclude();
        // Fetches that grow may have taken the memory for small buffers.
        final long small = all.memoryBudget() - scenario.brokerCount * all.fetchMemory() - DECOMPRESSION_LENGTH;
        return unexpected == 0 ? 0 : unexpected * (long)Scenario.FIRST_BUFFER + small;
    }

    /** Makes what an oracle throws. */
    SimulationFailure failure(final String oracle, final String message)
    {
        return new SimulationFailure(oracle, world.clock.nowNs(), "expected " + message + "." +
            (consumer == null ? "" : "\n" + consumer.describe()));
    }

    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        state = new ConsumerState(newConsumer);
        events.onOpen(newConsumer);
        if (authentications != null)
        {
            authentications.onOpen(
                () -> newConsumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES));
        }
        traffic.onOpen();
    }

    /** The user, or an event, has changed what the consumer has to do. */
    void onChange()
    {
        traffic.onChange();
    }

    /** A refresh of metadata has found a new partition: the consumer is idle again once it reads that. */
    void onPartitionAdded()
    {
        onChange();
        isIdle = false;
    }

    void onLeaderChanged(final int partition)
    {
        traffic.onLeaderChanged(partition);
    }

    /** The topic was created again, perhaps in the middle of a call of the user. */
    void onTopicCreated()
    {
        deliveries.sample();
    }

    @Override
    public void onCorruption(final int partition, final long baseOffset)
    {
        deliveries.of(partition).isCorrupted = true;
    }

    @Override
    public void onFault(final FaultKind kind)
    {
        deliveries.sample();
    }

    @Override
    public void onStep()
    {
        if (consumer != null)
        {
            deliveries.checkPositions(consumer);
            traffic.connections.onCycle(consumer, state);
            events.checkCounters();
            timeouts.onStep();
            if (world.phase() == Phase.SETTLING)
            {
                checkLiveness();
            }
            else if (world.phase() == Phase.IDLE && !isIdle)
            {
                checkIdle();
            }
        }
    }

    /** The consumer is idle when it has had nothing to read for a while. */
    private void checkIdle()
    {
        final long nowNs = world.clock.nowNs();
        if (traffic.economy.unread() > 0)
        {
            unreadNs = nowNs;
        }
        if (Math.min(world.phaseAgeNs(), nowNs - unreadNs) > idleAfterNs && isSettled() && world.user.offsets.isIdle())
        {
            isIdle = true;
            idleSinceNs = nowNs;
            traffic.economy.beginIdle();
        }
    }

    /**
     * Returns how long a partition that is behind may take to advance: a request that will not be answered times out,
     * and so may the next ones, of metadata and of an offset, if the consumer has other lost connections; connects and
     * requests back off up to three times in a row, and a fetch may bring records of one partition only.
     */
    long boundNs()
    {
        return boundNs + lostNs + deliveries.partitions().size() * turnNs;
    }

    /** Each partition that is behind advances in a time that the settings bound. */
    private void checkLiveness()
    {
        final long nowNs = world.clock.nowNs();
        final long phaseNs = nowNs - world.phaseAgeNs();
        final long maxNs = boundNs();
        if (nowNs - phaseNs > SETTLE_BOUNDS * maxNs)
        {
            throw failure(LIVENESS, "the consumer to settle within " + SETTLE_BOUNDS * maxNs / 1e9 + " s");
        }
        if (nowNs - phaseNs > maxNs && consumer.partitionCount() == 0)
        {
            throw failure(LIVENESS, "metadata of the topic within " + maxNs / 1e9 + " s");
        }
        checkRest(Math.max(phaseNs, behindNs), maxNs + 2 * maxAgeNs);
        world.user.offsets.checkLiveness(phaseNs, maxNs);
        for (final Expected expected : deliveries.partitions())
        {
            final long sinceNs = Math.max(phaseNs, expected.advancedNs);
            if (nowNs - sinceNs > maxNs && deliveries.isBehind(expected))
            {
                throw failure(LIVENESS, "partition " + expected.partition + " to advance from offset " + expected.next +
                    " to " + expected.log.endOffset() + " within " + maxNs / 1e9 + " s, but it has not in " +
                    (nowNs - sinceNs) / 1e9 + " s");
            }
        }
    }

    /** A consumer that has caught up fetches from the present leaders, at the latest after a refresh of metadata. */
    private void checkRest(final long sinceNs, final long maxNs)
    {
        final long nowNs = world.clock.nowNs();
        if (!world.user.isCaughtUp())
        {
            behindNs = nowNs;
        }
        else if (nowNs - sinceNs > maxNs)
        {
            throw failure(LIVENESS, "a consumer that has caught up to fetch from all leaders within " + maxNs / 1e9 +
                " s");
        }
    }

    @Override
    public void onPhase(final Phase phase)
    {
        traffic.economy.onPhase(phase);
        checkMemory();
        if (phase == Phase.FLOWING)
        {
            deliveries.partitions().forEach(Expected::forgetRound);
        }
        else if (phase == Phase.SETTLING)
        {
            final long lost = world.network.links().stream().filter(Link::isLost).count();
            lostNs = requestTimeoutNs * Math.max(0, Math.min(lost, MAX_TIMEOUTS) - 1) +
                connectTimeoutNs * (Math.max(0, world.network.staleConnects() - 1) + world.network.goneHosts());
        }
        else if (phase == Phase.FAULTS && isIdle && world.clock.nowNs() - idleSinceNs > idleAfterNs)
        {
            events.checkIdle();
        }
        isIdle = false;
    }

    /** Returns whether the consumer has caught up, and fetches all that it reads from the present leaders. */
    boolean isSettled()
    {
        return world.user.isCaughtUp() &&
            deliveries.partitions().stream().noneMatch(this::isBefore) && world.user.offsets.isAnswered() &&
            !traffic.isBusySince(world.clock.nowNs() - world.phaseAgeNs()) && isFetchingAll();
    }

    /** Returns whether a partition has batches before the target, even if none of them has a record for the user. */
    private boolean isBefore(final Expected expected)
    {
        return expected.isRead() && expected.log != null && expected.log.readableLength(expected.next,
            Math.min(expected.target, deliveries.endOf(expected)), Integer.MAX_VALUE, true) > 0;
    }

    private boolean isFetchingAll()
    {
        boolean isFetchingAll = !state.isBusy();
        for (int partition = 0; partition < state.partitionCount() && isFetchingAll; partition++)
        {
            isFetchingAll = !state.isAssigned(partition) || !deliveries.of(partition).isRead() ||
                state.isFetched(partition) && isFromLeader(partition);
        }
        return isFetchingAll;
    }

    /** Without an epoch, a former leader answers as a follower. */
    private boolean isFromLeader(final int partition)
    {
        final int leader = state.leaderId(partition);
        return leader == world.partitions().get(partition).leader() || leader >= 0 && !state.hasLeaderEpoch(partition);
    }

    private void checkMemory()
    {
        final long exceeded = consumer.counters().get(ConsumerCounters.BUDGET_EXCEEDED_BYTES);
        final long over = state.heldBytes() - state.budgetBytes();
        // Only a batch that is larger than any that was expected, or another leader, may exceed it.
        final boolean isTooMuch = unexpectedBytes == 0 ? exceeded > 0 : over > unexpectedBytes;
        if (over > exceeded || !world.load.isOversized && isTooMuch)
        {
            throw failure(MEMORY, "no more than the budget, but found " + memory() + ", exceeded by " + exceeded);
        }
    }

    private String memory()
    {
        return state.heldBytes() + " bytes of a budget of " + state.budgetBytes() + ", " + state.reservedBytes() +
            " reserved";
    }

    /** The consumer was closed: it must have given everything back. */
    void onClosed()
    {
        checkMemory();
        final long sockets = world.poller.socketCount() - world.neighbour.socketCount();
        if (state.heldBytes() != 0 || state.reservedBytes() != 0 || sockets != 0)
        {
            throw failure(MEMORY, "nothing to be held after the close, but found " + memory() + " and " +
                sockets + " sockets");
        }
        consumer = null;
    }

    @Override
    public void onConnect(final Link link)
    {
        traffic.onConnect(link);
        if (authentications != null)
        {
            authentications.onConnect(link);
        }
    }

    @Override
    public void onClose(final Link link)
    {
        traffic.onClose(link);
        timeouts.onClose(link);
        if (authentications != null)
        {
            authentications.onClose(link);
        }
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        traffic.onRequest(link, frame);
        if (authentications != null)
        {
            authentications.onRequest(link, frame);
        }
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        traffic.onResponse(link, frame);
        if (authentications != null)
        {
            authentications.onResponse(link, frame);
        }
    }

    @Override
    public void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        if (consumer != null)
        {
            traffic.connections.onCycle(consumer, state);
        }
        traffic.onAwait(startNs, timeoutNs, ready);
    }

    @Override
    public void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
        deliveries.of(partition).appended(lastOffset);
        traffic.onAppend(partition, baseOffset, lastOffset);
    }
}
