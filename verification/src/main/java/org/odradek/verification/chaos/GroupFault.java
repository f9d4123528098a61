// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.testkit.Await;
import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;
import org.odradek.verification.chaos.GroupHistory.Window;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    SHORT_STOP((group, random) -> stop(group, random, group.sessionMs() / 2)),
    /** A process is stopped for two sessions. */
    LONG_STOP((group, random) -> stop(group, random, group.sessionMs() * 2)),
    /** A handler takes longer than a session. */
    LONG_HANDLER(GroupFault::block),
    /** A handler takes longer than a session, and keeps the member alive. */
    KEPT_ALIVE(GroupFault::keepAlive),
    /** Polls of some members take one to three heartbeat intervals, while one joins and another one leaves. */
    SLOW_POLLS(MemberFaults::slowPolls),
    /** Members are stopped by {@link java.util.concurrent.ExecutorService#shutdownNow()}, and close. */
    INTERRUPT(MemberFaults::interrupt),
    /** The revocation handlers of our members never say that they are done, while another one joins. */
    NEVER_DONE(GroupFault::neverBeDone),
    /** A consumer of kafka-clients with the consumer protocol joins, or leaves if it is there. */
    STOCK_MEMBER((group, random) -> toggleStock(group, GroupRun.CONSUMER)),
    /** A consumer of kafka-clients with the classic protocol joins, or leaves if it is there. */
    CLASSIC_MEMBER((group, random) -> toggleStock(group, GroupRun.CLASSIC)),
    /** A consumer of librdkafka with the protocol of our members joins, or leaves if it is there. */
    LIBRDKAFKA_MEMBER((group, random) -> toggleStock(group, GroupMemberMain.LIBRDKAFKA)),
    /** A static member is closed and started again within its session. */
    STATIC_RESTART(GroupFault::restartStatic),
    /** A static member is killed and started again. */
    STATIC_KILL(GroupFault::killStatic),
    /** A second process has the instance id of a static member, which leaves later. */
    DUPLICATE_INSTANCE(GroupFault::duplicateInstance),
    /** The broker of the coordinator is killed and started again. */
    COORDINATOR_KILL(GroupFault::killCoordinator),
    /** Another broker becomes the coordinator. */
    COORDINATOR_MOVE(GroupFault::moveCoordinator),
    /** Half of our members cannot reach the broker of the coordinator for half of a session. */
    SHORT_CUT((group, random) -> cutCoordinator(group, random, group.sessionMs() / 2)),
    /** Half of our members cannot reach the broker of the coordinator for two sessions, and go on with the others. */
    LONG_CUT((group, random) -> cutCoordinator(group, random, group.sessionMs() * 2)),
    /** Responses of the coordinator to half of our members are lost, several times, after the group has changed. */
    RESPONSES_LOST(GroupFault::loseResponses),
    /** Responses of the coordinator to half of our members arrive twice, several times. */
    RESPONSES_REPEATED(GroupFault::repeatResponses),
    /** A group is deleted whose members are stopped. */
    GROUP_DELETION(SideGroup::deleteGroup),
    /** A topic is deleted and created again. */
    TOPIC_RECREATION(SideGroup::recreateTopic),
    /** The topic gets a partition. */
    TOPIC_GROWTH(GroupFault::addPartition);

    private static final int MIN_MEMBERS = 2;
    private static final int MAX_MEMBERS = 4;
    private static final int LOSSES = 2;
    private static final int REPEATS = 5;
    /** A member that leaves takes about half of it, and a request times out after three times of it. */
    private static final int CHANGE_MS = 700;
    /** How long a commit may fail after a fault of the coordinator. */
    private static final long COMMIT_MS = 4_000;
    private static final String INSTANCE_ID = "static";

    final Fault<ChaosGroup> fault;

    GroupFault(final Fault<ChaosGroup> fault)
    {
        this.fault = fault;
    }

    /**
     * The kinds that can strike on this machine.
     *
     * @param protocol of our members. With the classic one, a member with the consumer protocol would convert the
     *                 group; and a second process with an instance id replaces the first at once, which fails.
     */
    static List<GroupFault> available(final String protocol)
    {
        final List<GroupFault> kinds = new ArrayList<>(List.of(values()));
        if (protocol.equals(GroupRun.CLASSIC))
        {
            kinds.removeAll(List.of(STOCK_MEMBER, DUPLICATE_INSTANCE));
        }
        if (LibrdkafkaMember.version() == null)
        {
            kinds.remove(LIBRDKAFKA_MEMBER);
        }
        return kinds;
    }

    private static int ourCount(final ChaosGroup group)
    {
        return group.running((member) -> member.isOurs() && member.instanceId() == null).size();
    }

    private static String join(final ChaosGroup group, final Random random)
    {
        return makeRoom(group, random) + joinOne(group);
    }

    /** Has a member leave if there are as many as there may be. */
    static String makeRoom(final ChaosGroup group, final Random random)
    {
        return ourCount(group) < MAX_MEMBERS ? "" : leaveOne(group, random) + ", ";
    }

    static String joinOne(final ChaosGroup group)
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
        group.awaitOwned();
        final GroupMemberProcess member = group.anyOwner(random);
        member.stop(ms);
        return member.name() + " stops for " + ms + " ms";
    }

    private static String block(final ChaosGroup group, final Random random)
    {
        final int ms = group.sessionMs() * 3 / 2;
        group.awaitOwned();
        final GroupMemberProcess member = group.anyPolling(random);
        member.send(GroupMemberMain.BLOCK + ms);
        ChaosCluster.pause(ms);
        return "the handler of " + member.name() + " takes " + ms + " ms";
    }

    private static String keepAlive(final ChaosGroup group, final Random random)
    {
        final int ms = group.sessionMs() * 3 / 2;
        group.awaitOwned();
        final GroupMemberProcess member = group.anyPolling(random);
        member.update();
        final long before = member.count(Kind.LOST);
        member.send(GroupMemberMain.KEEP_ALIVE + ms);
        ChaosCluster.pause(ms + group.sessionMs() / 2);
        member.update();
        if (member.count(Kind.LOST) > before)
        {
            throw new IllegalStateException(member.name() + " has lost partitions although its handler kept it alive");
        }
        return "the handler of " + member.name() + " takes " + ms + " ms and keeps it alive";
    }

    /** The members give partitions up when the time for it has expired, and do not commit what was not acknowledged. */
    private static String neverBeDone(final ChaosGroup group, final Random random)
    {
        final String before = makeRoom(group, random);
        group.awaitOwned();
        final List<GroupMemberProcess> members = group.running(GroupMemberProcess::isOurs);
        final long fromNs = System.nanoTime();
        members.forEach((member) -> member.send(GroupMemberMain.NEVER_DONE));
        final String joined = joinOne(group);
        ChaosCluster.pause(GroupMemberMain.REVOCATION_MS);
        members.forEach((member) -> member.send(GroupMemberMain.DONE));
        group.windows().faults().add(new Window("never done", fromNs, System.nanoTime()));
        return before + joined + ", and " + members.size() + " others are never done with what they are to give up";
    }

    private static String toggleStock(final ChaosGroup group, final String protocol)
    {
        final List<GroupMemberProcess> stock = group.running((member) -> member.client().equals(protocol));
        if (stock.isEmpty())
        {
            final GroupMemberProcess member = group.prepare(protocol, null, false);
            member.join();
            return member.name() + " joins";
        }
        stock.get(0).leave();
        return stock.get(0).name() + " leaves";
    }

    /** Returns the static member, when each member owns partitions and nothing moves. */
    private static GroupMemberProcess quietStaticMember(final ChaosGroup group, final Random random)
    {
        final GroupMemberProcess member = staticMember(group);
        while (group.running((each) -> true).size() > group.partitionCount())
        {
            leaveOne(group, random);
        }
        group.awaitQuiet();
        return member;
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
        final GroupMemberProcess member = quietStaticMember(group, random);
        final GroupMemberProcess next = group.prepare(INSTANCE_ID);
        final long fromNs = System.nanoTime();
        member.leave();
        next.join();
        awaitOwner(next);
        final long toNs = System.nanoTime();
        final long ms = TimeUnit.NANOSECONDS.toMillis(toNs - fromNs);
        if (ms < group.sessionMs())
        {
            group.windows().restarts().add(new Window(member.name(), fromNs, toNs));
        }
        return member.name() + " is " + next.name() + " after " + ms + " ms";
    }

    private static void awaitOwner(final GroupMemberProcess member)
    {
        Await.until(member.name() + " to own partitions", () ->
        {
            member.update();
            return member.ownedCount() > 0;
        });
    }

    /** Nothing moves while the second process waits, and the first one, which is not disturbed, leaves. */
    private static String duplicateInstance(final ChaosGroup group, final Random random)
    {
        final GroupMemberProcess member = quietStaticMember(group, random);
        final GroupMemberProcess second = group.prepare(INSTANCE_ID);
        final long fromNs = System.nanoTime();
        second.join();
        ChaosCluster.pause(group.sessionMs());
        second.update();
        if (second.ownedCount() > 0)
        {
            throw new IllegalStateException(second.name() + " owns partitions, and has the instance id of " +
                member.name() + ", which has not left");
        }
        group.windows().restarts().add(new Window(second.name(), fromNs, System.nanoTime()));
        member.leave();
        awaitOwner(second);
        return second.name() + " has the instance id of " + member.name() + ", and waits until it has left";
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
        final String done = ClusterFaults.killLeader(
            cluster, CommitLog.TOPIC, 0, () -> ChaosCluster.pause(random.nextInt(group.sessionMs())));
        awaitCommitsInSync(cluster);
        cluster.awaitInSync(ChaosGroup.TOPIC, group.partitionCount());
        addFault(group, "coordinator killed", fromNs);
        return "the coordinator: " + done;
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
        final String done = ClusterFaults.moveLeader(cluster, CommitLog.TOPIC, 0, random);
        addFault(group, "coordinator moved", fromNs);
        return "the coordinator: " + done;
    }

    private static String cutCoordinator(final ChaosGroup group, final Random random, final int ms)
    {
        final TcpProxy proxy = coordinatorProxy(group);
        final Direction direction = random.nextBoolean() ? Direction.TO_CLIENT : Direction.TO_SERVER;
        final long fromNs = System.nanoTime();
        proxy.stall(direction);
        ChaosCluster.pause(ms);
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
        for (int i = 0; i < LOSSES; i++)
        {
            final GroupMemberProcess near = group.prepare(GroupMemberMain.OURS, null, false);
            final GroupMemberProcess remote = group.prepare(GroupMemberMain.OURS, null, true);
            loseResponsesTo(proxy, random, near, remote);
            group.awaitOwned();
            loseResponsesTo(proxy, random, near);
            near.awaitEnd();
            group.awaitOwned();
            loseResponsesTo(proxy, random, remote);
            remote.awaitEnd();
            group.awaitOwned();
        }
        addFault(group, "responses lost", fromNs);
        return 3 * LOSSES + " times, while two members join and leave";
    }

    /**
     * Lets members join or leave, and each remote member lose the response from which it would learn of that: its
     * heartbeat arrives after the change. A member that has lost two of these may be removed, so it has time for
     * another heartbeat.
     */
    private static void loseResponsesTo(
        final TcpProxy proxy, final Random random, final GroupMemberProcess... changed)
    {
        proxy.stall(Direction.TO_SERVER);
        for (final GroupMemberProcess member : changed)
        {
            member.send(member.isJoined() ? GroupMemberMain.CLOSE : GroupMemberMain.JOIN);
        }
        ChaosCluster.pause(CHANGE_MS);
        proxy.stall(Direction.TO_CLIENT);
        proxy.resume(Direction.TO_SERVER);
        ChaosCluster.pause(100 + random.nextInt(400));
        proxy.cut();
        proxy.resume(Direction.TO_CLIENT);
        ChaosCluster.pause(1_000 + random.nextInt(500));
    }

    private static String repeatResponses(final ChaosGroup group, final Random random)
    {
        final TcpProxy proxy = coordinatorProxy(group);
        final long fromNs = System.nanoTime();
        final String moved = join(group, random);
        for (int i = 0; i < REPEATS; i++)
        {
            proxy.repeat(1 + random.nextInt(2));
            ChaosCluster.pause(200 + random.nextInt(400));
        }
        addFault(group, "responses repeated", fromNs);
        return REPEATS + " times, while " + moved;
    }

    /** The proxy in front of the coordinator's broker; at least one of our members is behind it. */
    private static TcpProxy coordinatorProxy(final ChaosGroup group)
    {
        if (group.running(GroupMemberProcess::isRemote).isEmpty())
        {
            group.prepare(GroupMemberMain.OURS, null, true).join();
        }
        group.awaitOwned();
        return group.cluster().proxy(group.cluster().awaitLeader(CommitLog.TOPIC, 0));
    }

    /** Commits that wait for the coordinator may fail for a while after the fault. */
    private static void addFault(final ChaosGroup group, final String name, final long fromNs)
    {
        group.windows().faults().add(new Window(
            name, fromNs, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(COMMIT_MS)));
    }

    private static String addPartition(final ChaosGroup group, final Random random)
    {
        final int count = group.partitionCount() + 1;
        if (count > ClusterFaults.MAX_PARTITIONS)
        {
            return "none, the topic has all its partitions; " + join(group, random);
        }
        group.cluster().growTopic(ChaosGroup.TOPIC, count);
        group.partitionCount(count);
        // No member of a classic group looks for new partitions after a static leader has come back.
        final String joined = group.isClassic() ? ", " + join(group, random) : "";
        group.awaitOwned();
        return "now " + count + " partitions" + joined;
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
