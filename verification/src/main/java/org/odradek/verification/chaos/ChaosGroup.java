// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.IoUtil;
import org.odradek.testkit.Await;
import org.odradek.verification.chaos.GroupHistory.Windows;
import org.odradek.verification.matrix.VersionFiles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A group under test: the members, the topic that they read, and its cluster. Half of our members reach the brokers
 * through the proxies of the cluster; a fault of a proxy concerns only them.
 */
final class ChaosGroup implements AutoCloseable
{
    /** Also the id of the group. */
    static final String TOPIC = "chaos-group";

    /** What a loaded machine may take on top of what the group may. */
    private static final int MACHINE_MS = 10_000;
    private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(1);

    private final GroupIntervals intervals;
    private final String protocol;
    private final ChaosCluster cluster;
    private final ChaosLedger acked = new ChaosLedger(false);
    private final SequenceProducer producer;
    private final StockLog log;
    private final Path folder;
    private final GroupSabotage sabotage;
    private final List<GroupMemberProcess> members = new ArrayList<>();
    private final Windows windows = new Windows();
    private final WallClock clock = WallClock.start();
    private int started;
    private int partitionCount;

    ChaosGroup(final GroupRun.Settings settings, final GroupSabotage sabotage)
    {
        this.partitionCount = settings.partitionCount();
        this.sabotage = sabotage;
        intervals = settings.intervals();
        protocol = settings.protocol();
        try
        {
            folder = Files.createTempDirectory("odradek-chaos-group-");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        sabotage.compile(folder);
        cluster = new ChaosCluster(false, intervals.brokerSettings(),
            settings.brokerVersion() == null ? null : new VersionFiles(settings.brokerVersion()));
        cluster.brokers().createTopic(TOPIC, partitionCount, Map.of());
        producer = new SequenceProducer(
            cluster.directServers(), TOPIC, partitionCount, settings.rate(), acked::onAcked);
        producer.release();
        log = new StockLog(cluster.directServers(), TOPIC);
    }

    ChaosCluster cluster()
    {
        return cluster;
    }

    int sessionMs()
    {
        return intervals.sessionMs();
    }

    /** How often our members send heartbeats. */
    int heartbeatMs()
    {
        return isClassic() ? GroupMemberMain.heartbeatMs(sessionMs()) : intervals.heartbeatMs();
    }

    private int limitMs()
    {
        return intervals.settlingMs() + MACHINE_MS;
    }

    boolean isClassic()
    {
        return protocol.equals(GroupRun.CLASSIC);
    }

    int partitionCount()
    {
        return partitionCount;
    }

    void partitionCount(final int count)
    {
        partitionCount = count;
        producer.partitionCount(count);
    }

    /**
     * Starts a process of ours that joins on a command. Half of these processes connect through the proxies. Half of
     * them have workers, unless they have a defect.
     */
    GroupMemberProcess prepare(final String instanceId)
    {
        final int polling = running(GroupMemberProcess::isPolling).size();
        final boolean hasWorkers = sabotage == GroupSabotage.NONE && instanceId == null &&
            2 * polling > running(GroupMemberProcess::isOurs).size();
        return prepare(hasWorkers ? GroupMemberMain.WORKERS : GroupMemberMain.OURS, instanceId,
            2 * running(GroupMemberProcess::isRemote).size() <= running(GroupMemberProcess::isOurs).size());
    }

    /**
     * Starts a process that joins on a command.
     *
     * @param client   as in {@link GroupMemberMain.Arguments}.
     * @param isRemote whether it is behind the proxies.
     */
    GroupMemberProcess prepare(final String client, final String instanceId, final boolean isRemote)
    {
        final GroupMemberProcess member = start(TOPIC, client, instanceId, isRemote);
        members.add(member);
        return member;
    }

    /** Starts a process of ours that is to be a member of another group, and that the caller closes. */
    GroupMemberProcess start(final String topic)
    {
        return start(topic, GroupMemberMain.OURS, null, false);
    }

    private GroupMemberProcess start(
        final String topic, final String client, final String instanceId, final boolean isRemote)
    {
        return new GroupMemberProcess(client + "-" + started++, folder, sabotage != GroupSabotage.NONE, isRemote,
            new GroupMemberMain.Arguments(
                isRemote ? cluster.connection().get("bootstrap.servers") : cluster.directServers(),
                topic, client, protocol, sessionMs(), instanceId));
    }

    /** The members that run and have been told to join. */
    List<GroupMemberProcess> running(final Predicate<GroupMemberProcess> condition)
    {
        return members.stream().filter((member) -> !member.isEnded() && condition.test(member)).toList();
    }

    /** Returns one of our dynamic members. */
    GroupMemberProcess any(final Random random)
    {
        final List<GroupMemberProcess> ours = running((member) -> member.isOurs() && member.instanceId() == null);
        return ours.get(random.nextInt(ours.size()));
    }

    /**
     * Returns one of our dynamic members whose handler runs on the thread that polls, and that owns partitions if one
     * of them does; it joins if there is none.
     */
    GroupMemberProcess anyPolling(final Random random)
    {
        final List<GroupMemberProcess> polling =
            running((member) -> member.isPolling() && member.instanceId() == null);
        if (polling.isEmpty())
        {
            final GroupMemberProcess member = prepare(GroupMemberMain.OURS, null, false);
            member.join();
            awaitOwned();
            return member;
        }
        return preferOwner(polling, random);
    }

    /** Returns one of our dynamic members that owns partitions, if there is one. */
    GroupMemberProcess anyOwner(final Random random)
    {
        return preferOwner(running((member) -> member.isOurs() && member.instanceId() == null), random);
    }

    private static GroupMemberProcess preferOwner(final List<GroupMemberProcess> members, final Random random)
    {
        final List<GroupMemberProcess> owners = members.stream().filter((member) -> member.ownedCount() > 0).toList();
        final List<GroupMemberProcess> candidates = owners.isEmpty() ? members : owners;
        return candidates.get(random.nextInt(candidates.size()));
    }

    private void update()
    {
        for (final GroupMemberProcess member : members)
        {
            member.update();
            if (!member.isAsTold())
            {
                throw new IllegalStateException(member.name() + " has ended by itself: " + member.output());
            }
        }
    }

    /** Waits until each partition has one owner. */
    void awaitOwned()
    {
        awaitOwned(Await.DEFAULT_TIMEOUT_MS);
    }

    /** Waits as long as the group may take to settle. */
    void awaitOwnedInTime()
    {
        awaitOwned(limitMs());
    }

    private void awaitOwned(final long ms)
    {
        Await.until("an owner of each partition", ms, () ->
        {
            update();
            return isOwned();
        });
    }

    private boolean isOwned()
    {
        for (int p = 0; p < partitionCount; p++)
        {
            final int partition = p;
            if (members.stream().filter((member) -> member.isOwner(partition)).count() != 1)
            {
                return false;
            }
        }
        return true;
    }

    /** Waits until each partition has had the same owner for a second, and each member owns a partition. */
    void awaitQuiet()
    {
        final long[] sinceNs = {System.nanoTime()};
        final List<Long> seen = new ArrayList<>();
        Await.until("the group to be quiet", () ->
        {
            update();
            final List<Long> owned = new ArrayList<>();
            members.forEach((member) -> owned.add(member.changes()));
            if (!isOwned() || !owned.equals(seen) || !running((member) -> member.ownedCount() == 0).isEmpty())
            {
                seen.clear();
                seen.addAll(owned);
                sinceNs[0] = System.nanoTime();
            }
            return System.nanoTime() - sinceNs[0] > QUIET_NS;
        });
    }

    /** The times of what is judged; faults add to it. */
    Windows windows()
    {
        return windows;
    }

    /** Ends all faults, waits until the group has settled, lets all members leave, and returns what has happened. */
    GroupHistory settle()
    {
        cluster.heal(TOPIC, partitionCount);
        producer.hold();
        final long settledMs = settledMs(log.endOffsets(partitionCount));
        running((member) -> true).forEach(GroupMemberProcess::leave);
        return new GroupHistory(
            members.stream().map(GroupMemberProcess::history).toList(),
            CommitLog.read(cluster.directServers(), TOPIC, TOPIC, clock),
            log.readAll(partitionCount), acked, windows, sessionMs(), settledMs, limitMs());
    }

    private long settledMs(final long[] ends)
    {
        final long fromNs = System.nanoTime();
        try
        {
            Await.until("the group to settle", () ->
            {
                update();
                return isOwned() && isRead(ends);
            });
        }
        catch (final IllegalStateException ex)
        {
            return GroupHistory.NEVER;
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - fromNs);
    }

    private boolean isRead(final long[] ends)
    {
        for (int p = 0; p < ends.length; p++)
        {
            final int partition = p;
            final long end = ends[p];
            if (members.stream().noneMatch((member) -> member.nextOffset(partition) >= end))
            {
                return false;
            }
        }
        return true;
    }

    /** The last lines of the output of all members, and what each owns. */
    String describe()
    {
        final Map<String, String> outputs = new HashMap<>();
        running((member) -> true).forEach((member) ->
            outputs.put(member.name() + " owns " + member.ownedCount(), member.output()));
        return outputs.toString();
    }

    @Override
    public void close()
    {
        members.forEach(GroupMemberProcess::close);
        clock.close();
        producer.close();
        log.close();
        cluster.close();
        IoUtil.delete(folder.toFile(), true);
    }
}
