// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.apache.kafka.clients.admin.NewPartitions;
import org.odradek.testkit.Await;
import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;
import org.odradek.tools.chaos.GroupHistory.Window;
import org.odradek.tools.chaos.MemberLedger.Kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The kinds of faults of a group, each with the method that strikes.
 */
enum GroupFault
{
    /** A member joins; at the most, another one leaves. */
    JOIN(GroupFault::join),
    /** A member is closed, and another one joins if few are left. */
    LEAVE(GroupFault::leave),
    /** A member is killed (SIGKILL), and another one joins. */
    KILL(GroupFault::kill),
    /** A process is stopped (SIGSTOP) for half of a session. */
    SHORT_STOP((group, random) -> stop(group, random, ChaosGroup.SESSION_MS / 2)),
    /** A process is stopped for two sessions. */
    LONG_STOP((group, random) -> stop(group, random, ChaosGroup.SESSION_MS * 2)),
    /** A handler takes longer than a session. */
    LONG_HANDLER(GroupFault::block),
    /** A handler takes longer than a session, and keeps the member alive. */
    KEPT_ALIVE(GroupFault::keepAlive),
    /** A consumer of kafka-clients with the consumer protocol joins, or leaves if it is there. */
    STOCK_MEMBER((group, random) -> toggleStock(group, "consumer")),
    /** A consumer of kafka-clients with the classic protocol joins, or leaves if it is there. */
    CLASSIC_MEMBER((group, random) -> toggleStock(group, "classic")),
    /** A static member is closed and started again within its session. */
    STATIC_RESTART(GroupFault::restartStatic),
    /** A static member is killed and started again. */
    STATIC_KILL(GroupFault::killStatic),
    /** The broker of the coordinator is killed and started again. */
    COORDINATOR_KILL(GroupFault::killCoordinator),
    /** Another broker becomes the coordinator. */
    COORDINATOR_MOVE(GroupFault::moveCoordinator),
    /** Half of our members cannot reach the broker of the coordinator, for half of a session or for two. */
    COORDINATOR_CUT(GroupFault::cutCoordinator),
    /** Responses of the coordinator to half of our members are lost, several times. */
    RESPONSES_LOST(GroupFault::loseResponses),
    /** The topic gets a partition. */
    TOPIC_GROWTH(GroupFault::addPartition);

    private static final int MIN_MEMBERS = 2;
    private static final int MAX_MEMBERS = 4;
    private static final int LOSSES = 3;
    private static final String INSTANCE_ID = "static";

    /** Strikes with one kind of fault. */
    @FunctionalInterface
    private interface Fault
    {
        /**
         * @param random of this fault.
         * @return a few words on what was done.
         */
        String strike(ChaosGroup group, Random random);
    }

    private final Fault fault;

    GroupFault(final Fault fault)
    {
        this.fault = fault;
    }

    String strike(final ChaosGroup group, final Random random)
    {
        return fault.strike(group, random);
    }

    private static int ourCount(final ChaosGroup group)
    {
        return group.running((member) -> member.isOurs() && member.instanceId() == null).size();
    }

    private static String join(final ChaosGroup group, final Random random)
    {
        final String before = ourCount(group) < MAX_MEMBERS ? "" : leaveOne(group, random) + ", ";
        return before + joinOne(group);
    }

    private static String joinOne(final ChaosGroup group)
    {
        final GroupMemberProcess member = group.prepare(null);
        member.join();
        return member.name() + " joins";
    }

    private static String leave(final ChaosGroup group, final Random random)
    {
        final String after = ourCount(group) > MIN_MEMBERS ? "" : ", " + joinOne(group);
        return leaveOne(group, random) + after;
    }

    private static String leaveOne(final ChaosGroup group, final Random random)
    {
        final GroupMemberProcess member = group.any(random);
        member.leave();
        return member.name() + " leaves";
    }

    private static String kill(final ChaosGroup group, final Random random)
    {
        final GroupMemberProcess member = group.any(random);
        member.kill();
        return member.name() + " is killed, " + joinOne(group);
    }

    private static String stop(final ChaosGroup group, final Random random, final int ms)
    {
        final GroupMemberProcess member = group.any(random);
        member.stop(ms);
        return member.name() + " stops for " + ms + " ms";
    }

    private static String block(final ChaosGroup group, final Random random)
    {
        final int ms = ChaosGroup.SESSION_MS * 3 / 2;
        final GroupMemberProcess member = group.any(random);
        member.send(GroupMemberMain.BLOCK + ms);
        pause(ms);
        return "the handler of " + member.name() + " takes " + ms + " ms";
    }

    private static String keepAlive(final ChaosGroup group, final Random random)
    {
        final int ms = ChaosGroup.SESSION_MS * 3 / 2;
        group.awaitOwned();
        final GroupMemberProcess member = group.any(random);
        member.update();
        final long before = member.count(Kind.LOST);
        member.send(GroupMemberMain.KEEP_ALIVE + ms);
        pause(ms + ChaosGroup.SESSION_MS / 2);
        member.update();
        if (member.count(Kind.LOST) > before)
        {
            throw new IllegalStateException(member.name() + " has lost partitions although its handler kept it alive");
        }
        return "the handler of " + member.name() + " takes " + ms + " ms and keeps it alive";
    }

    private static String toggleStock(final ChaosGroup group, final String protocol)
    {
        final List<GroupMemberProcess> stock = group.running((member) -> member.client().equals(protocol));
        if (stock.isEmpty())
        {
            final GroupMemberProcess member = group.prepareStock(protocol);
            member.join();
            return member.name() + " joins";
        }
        stock.get(0).leave();
        return stock.get(0).name() + " leaves";
    }

    private static GroupMemberProcess staticMember(final ChaosGroup group)
    {
        final List<GroupMemberProcess> members = group.running((member) -> member.instanceId() != null);
        if (!members.isEmpty())
        {
            return members.get(0);
        }
        final GroupMemberProcess member = group.prepare(INSTANCE_ID);
        member.join();
        return member;
    }

    /** A restart that takes longer than a session, because the machine is slow, is not judged. */
    private static String restartStatic(final ChaosGroup group, final Random random)
    {
        final GroupMemberProcess member = staticMember(group);
        group.awaitQuiet();
        final GroupMemberProcess next = group.prepare(INSTANCE_ID);
        final long fromNs = System.nanoTime();
        member.leave();
        next.join();
        Await.until(next.name() + " to own partitions", () ->
        {
            next.update();
            return next.ownedCount() > 0;
        });
        final long toNs = System.nanoTime();
        final long ms = TimeUnit.NANOSECONDS.toMillis(toNs - fromNs);
        if (ms < ChaosGroup.SESSION_MS)
        {
            group.addRestart(new Window(member.name(), fromNs, toNs));
        }
        return member.name() + " is " + next.name() + " after " + ms + " ms";
    }

    private static String killStatic(final ChaosGroup group, final Random random)
    {
        final GroupMemberProcess member = staticMember(group);
        final GroupMemberProcess next = group.prepare(INSTANCE_ID);
        member.kill();
        next.join();
        return member.name() + " is killed, and is " + next.name();
    }

    private static String killCoordinator(final ChaosGroup group, final Random random)
    {
        final ChaosCluster cluster = group.cluster();
        final long fromNs = System.nanoTime();
        awaitCommitsInSync(cluster);
        final int broker = cluster.awaitLeader(CommitLog.TOPIC, 0);
        cluster.brokers().broker(broker).kill();
        final int next = cluster.brokers().awaitLeaderOtherThan(CommitLog.TOPIC, 0, broker);
        pause(random.nextInt(ChaosGroup.SESSION_MS));
        cluster.brokers().broker(broker).restart();
        awaitCommitsInSync(cluster);
        cluster.awaitInSync(ChaosGroup.TOPIC, group.partitionCount());
        addFault(group, "coordinator killed", fromNs);
        return "broker " + broker + " is killed, broker " + next + " becomes the coordinator";
    }

    private static void awaitCommitsInSync(final ChaosCluster cluster)
    {
        cluster.awaitInSync(CommitLog.TOPIC, 0, ChaosCluster.BROKER_COUNT);
    }

    private static String moveCoordinator(final ChaosGroup group, final Random random)
    {
        final ChaosCluster cluster = group.cluster();
        final long fromNs = System.nanoTime();
        awaitCommitsInSync(cluster);
        final int broker = cluster.awaitLeader(CommitLog.TOPIC, 0);
        final int next = 1 + (broker + random.nextInt(ChaosCluster.BROKER_COUNT - 1)) % ChaosCluster.BROKER_COUNT;
        cluster.brokers().moveLeader(CommitLog.TOPIC, 0, next);
        addFault(group, "coordinator moved", fromNs);
        return "the coordinator moves from broker " + broker + " to broker " + next;
    }

    private static String cutCoordinator(final ChaosGroup group, final Random random)
    {
        final TcpProxy proxy = coordinatorProxy(group);
        final Direction direction = random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_SERVER;
        final int ms = random.nextBoolean() ? ChaosGroup.SESSION_MS / 2 : ChaosGroup.SESSION_MS * 2;
        final long fromNs = System.nanoTime();
        proxy.stall(direction);
        pause(ms);
        proxy.resume(direction);
        if (random.nextBoolean())
        {
            proxy.cut();
        }
        addFault(group, "coordinator cut off", fromNs);
        return "bytes " + direction + " are held back for " + ms + " ms";
    }

    private static String loseResponses(final ChaosGroup group, final Random random)
    {
        final TcpProxy proxy = coordinatorProxy(group);
        final long fromNs = System.nanoTime();
        final List<GroupMemberProcess> moving = new ArrayList<>();
        for (int i = 0; i < LOSSES; i++)
        {
            moving.add(group.prepare(null));
        }
        for (int i = 0; i < 2 * LOSSES; i++)
        {
            final GroupMemberProcess member = moving.get(i % LOSSES);
            proxy.stall(Direction.TO_CLIENT);
            // Others learn of the change by responses that are lost.
            member.send(i < LOSSES ? "join" : GroupMemberMain.CLOSE);
            pause(100 + random.nextInt(400));
            proxy.cut();
            proxy.resume(Direction.TO_CLIENT);
            pause(500 + random.nextInt(500));
        }
        moving.forEach(GroupMemberProcess::awaitEnd);
        addFault(group, "responses lost", fromNs);
        return 2 * LOSSES + " times, while " + LOSSES + " members join and leave";
    }

    private static TcpProxy coordinatorProxy(final ChaosGroup group)
    {
        return group.cluster().proxy(group.cluster().awaitLeader(CommitLog.TOPIC, 0));
    }

    /** Commits that wait for the coordinator may fail for a while after the fault. */
    private static void addFault(final ChaosGroup group, final String name, final long fromNs)
    {
        group.addFault(new Window(
            name, fromNs, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ChaosGroup.SESSION_MS)));
    }

    private static String addPartition(final ChaosGroup group, final Random random)
    {
        final int count = group.partitionCount() + 1;
        if (count > ClusterFaults.MAX_PARTITIONS)
        {
            return "none, the topic has all its partitions; " + join(group, random);
        }
        ChaosCluster.await(group.cluster().brokers().admin().createPartitions(
            Map.of(ChaosGroup.TOPIC, NewPartitions.increaseTo(count))).all());
        group.cluster().awaitLeader(ChaosGroup.TOPIC, count - 1);
        group.partitionCount(count);
        group.awaitOwned();
        return "now " + count + " partitions";
    }

    static void pause(final long ms)
    {
        try
        {
            TimeUnit.MILLISECONDS.sleep(ms);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted during a fault.", ex);
        }
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
