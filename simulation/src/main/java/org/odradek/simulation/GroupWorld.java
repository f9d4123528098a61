// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.odradek.testkit.model.BatchPool;
import org.odradek.testkit.model.BrokerRelease;
import org.odradek.testkit.model.ModelPartition;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run of several consumers in one group, whose coordinator is Kafka's own. Rounds have three parts: faults; then
 * the group must become stable and read everything; then records flow, and nothing may move or be repeated.
 * <p>
 * Members are polled in turn and without waiting. While one is stalled in a handler, the others go on: the handler
 * makes the steps of the world.
 */
final class GroupWorld extends SimulatedCluster
{
    static final String GROUP = "group";
    private static final FaultKind[] KINDS = {
        FaultKind.USER_STALLED, FaultKind.USER_STALLED, FaultKind.CONSUMER_REOPENED, FaultKind.MEMBER_KILLED,
        FaultKind.CONNECTION_HALF_OPEN, FaultKind.CONNECTION_RESET, FaultKind.COORDINATOR_MOVED,
        FaultKind.LEADER_MOVED, FaultKind.PARTITIONS_ADDED};
    private static final int MAX_PARTITIONS = 16;
    private static final int MAX_MEMBERS = 4;
    private static final long MIN_STEP_NS = 100_000;
    private static final long MAX_STEP_NS = 40_000_000;
    private static final long MEAN_BATCH_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long FAULT_FACTOR = 3;
    private static final long MIN_OUTAGE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_OUTAGE_NS = TimeUnit.SECONDS.toNanos(90);
    private static final long MAX_LOADING_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int FENCE_INTERVALS = 8;
    private static final BatchPool OF_TEN = BatchPool.uniform(7, 8, 10, 100);
    /** A wait for a released partition, and what several requests in a row may take. */
    private static final long SLACK_NS = TimeUnit.SECONDS.toNanos(60);

    final int intervalMs;
    final int sessionMs;
    final GroupLedger ledger;
    private final Member[] members;
    private final Draw draw;
    private long nextFaultNs;
    private long faultsEndNs;
    private long unsettledUntilNs;
    private boolean isAppending;

    GroupWorld(final RunSettings settings, final Consumer<String> lines)
    {
        super(new Scenario(settings), originNs(new Draw(settings.seed(), "group origin")), lines);
        draw = new Draw(scenario.seed, "group");
        // The guard of a member must be over before its session is.
        intervalMs = (int)draw.between(1, 5) * 1_000;
        sessionMs = intervalMs * (FENCE_INTERVALS + 1);
        cluster.withGroups(Map.of(
            "group.consumer.heartbeat.interval.ms", intervalMs,
            "group.consumer.min.heartbeat.interval.ms", intervalMs,
            "group.consumer.session.timeout.ms", sessionMs,
            "group.consumer.min.session.timeout.ms", sessionMs));
        for (int id = 0; id < scenario.brokerCount; id++)
        {
            network.addHost(id, BrokerRelease.NEWEST);
        }
        createTopic();
        ledger = new GroupLedger(this);
        members = new Member[2 + draw.below(MAX_MEMBERS - 1)];
        for (int i = 0; i < members.length; i++)
        {
            members[i] = new Member(this, i);
        }
        clock.after(1, this::append);
    }

    /** The clock of every fourth run overflows within minutes. */
    private static long originNs(final Draw draw)
    {
        return draw.oneIn(4) ? Long.MAX_VALUE - draw.below(1_000_000_000) * 200L : draw.nextLong() >> 1;
    }

    @Override
    void run()
    {
        final long endNs = TimeUnit.MINUTES.toNanos(scenario.settings.minutes());
        while (clock.nowNs() < endNs)
        {
            isAppending = true;
            faultsEndNs = clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(20, 300));
            nextFaultNs = clock.nowNs();
            stepUntil(faultsEndNs);
            settle();
            isAppending = true;
            final long rebalances = rebalances();
            stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(5, 40)));
            ledger.check(rebalances == rebalances(), "stability", "no rebalance while nothing fails");
        }
        for (final Member member : members)
        {
            member.close();
        }
    }

    private void settle()
    {
        isAppending = false;
        for (final Member member : members)
        {
            member.repair();
        }
        final long startNs = clock.nowNs();
        final long boundNs = TimeUnit.MILLISECONDS.toNanos(2L * sessionMs + 4L * intervalMs +
            6L * (scenario.requestTimeoutMs + scenario.connectTimeoutMs + scenario.reconnectBackoffMaxMs +
            scenario.retryBackoffMaxMs)) + SLACK_NS;
        while (!isSettled())
        {
            ledger.check(clock.nowNs() - startNs < boundNs, "liveness", "a stable group that has read everything " +
                boundNs / 1e9 + " s after the last fault");
            stepUntil(clock.nowNs() + MAX_STEP_NS);
        }
        settledNs.add(clock.nowNs() - startNs);
    }

    private boolean isSettled()
    {
        for (final Member member : members)
        {
            if (!member.isStable())
            {
                return false;
            }
        }
        if (!ledger.isAllRead())
        {
            return false;
        }
        final DescribedGroup group = cluster.groups().describe(GROUP);
        return group.groupState().equals("Stable") && group.members().size() == members.length;
    }

    private long rebalances()
    {
        long count = 0;
        for (final Member member : members)
        {
            count += member.rebalances();
        }
        return count;
    }

    /** Lets the other members go on while one is in a handler. */
    void stall(final long durationNs)
    {
        final long untilNs = Math.min(clock.nowNs() + durationNs, faultsEndNs);
        stepUntil(untilNs);
    }

    @Override
    void step()
    {
        for (final Member member : members)
        {
            member.step();
        }
        if (clock.nowNs() >= nextFaultNs && clock.nowNs() < faultsEndNs)
        {
            nextFaultNs = clock.nowNs() +
                draw.exponential(FAULT_FACTOR * TimeUnit.MILLISECONDS.toNanos(scenario.faultEveryMs));
            final FaultKind kind = draw.pick(KINDS);
            if (scenario.isOn(kind))
            {
                act(kind, members[draw.below(members.length)]);
            }
        }
        clock.spend(draw.logBetween(MIN_STEP_NS, MAX_STEP_NS));
    }

    private void act(final FaultKind kind, final Member member)
    {
        final boolean hasEffect;
        switch (kind)
        {
            case COORDINATOR_MOVED:
                cluster.coordinator(
                    draw.below(scenario.brokerCount), draw.oneIn(2) ? draw.logBetween(1, MAX_LOADING_NS) : 0);
                hasEffect = true;
                break;
            case LEADER_MOVED:
                final ModelPartition moved = partitions().get(draw.below(partitions().size()));
                moved.elect(moved.replicas().get(draw.below(moved.replicas().size())));
                hasEffect = true;
                break;
            case PARTITIONS_ADDED:
                hasEffect = partitions().size() < MAX_PARTITIONS && draw.oneIn(4);
                if (hasEffect)
                {
                    cluster.topic(Scenario.TOPIC).addPartitions(1);
                }
                break;
            case CONNECTION_RESET:
                hasEffect = !network.links().isEmpty();
                if (hasEffect)
                {
                    network.links().get(draw.below(network.links().size())).reset();
                }
                break;
            default:
                hasEffect = member.act(kind, draw.logBetween(MIN_OUTAGE_NS, MAX_OUTAGE_NS));
                break;
        }
        if (hasEffect)
        {
            trace.text("member " + member.number);
            unsettledUntilNs = kind == FaultKind.COORDINATOR_MOVED || kind == FaultKind.CONNECTION_RESET ?
                clock.nowNs() + SLACK_NS : unsettledUntilNs;
            tookEffect(kind);
            network.serve();
        }
    }

    private void append()
    {
        if (isAppending)
        {
            final ModelPartition partition = partitions().get(draw.below(partitions().size()));
            final long baseOffset = partition.log().append(OF_TEN.draw(draw), EPOCH_MS + clock.nowMs());
            onAppend(partition.index(), baseOffset, partition.log().endOffset() - 1);
            network.serve();
        }
        clock.after(draw.exponential(MEAN_BATCH_NS), this::append);
    }

    @Override
    void onSocketsChanged()
    {
        for (final Member member : members)
        {
            member.poller.onChange();
        }
    }

    @Override
    long records()
    {
        return ledger.records();
    }

    /** Whether a commit may be unconfirmed, because the coordinator has moved or a connection was reset. */
    boolean isUnsettled()
    {
        return clock.nowNs() < unsettledUntilNs;
    }

    String describe()
    {
        final StringBuilder text =
            new StringBuilder("the coordinator knows ").append(cluster.groups().describe(GROUP));
        for (final Member member : members)
        {
            text.append("\n").append(member);
        }
        return text.toString();
    }
}
