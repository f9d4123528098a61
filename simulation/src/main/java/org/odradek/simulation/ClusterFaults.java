// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The faults of brokers and of the topic, and the work of the controller: a leader for each partition. */
final class ClusterFaults
{
    private static final long MIN_DOWN_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_DOWN_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long MAX_DETECTION_NS = TimeUnit.SECONDS.toNanos(9);
    private static final long MAX_PAUSE_NS = TimeUnit.SECONDS.toNanos(40);
    private static final long MAX_LOADING_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long MAX_DELETED_NS = TimeUnit.SECONDS.toNanos(3);
    private static final int MAX_TRUNCATED = 300;
    private static final int MAX_PARTITIONS = 16;

    private final SimulatedCluster world;
    private final GoneBrokers goneBrokers;
    /** For groups with members, which need a coordinator that runs. */
    private final Draw coordinatorDraw;
    /** Repairs of {@link #end()} and later faults make the planned ends of earlier faults void. */
    private int round;
    private boolean isTopicDeleted;

    ClusterFaults(final SimulatedCluster world)
    {
        this.world = world;
        goneBrokers = new GoneBrokers(world);
        coordinatorDraw = new Draw(world.scenario.seed, "coordinator");
    }

    boolean strike(final FaultKind kind, final Draw draw)
    {
        switch (kind)
        {
            case BROKER_PAUSED:
                return pause(draw);
            case BROKER_CRASHED:
                return crash(draw);
            case BROKER_RESTARTED:
                return restart(draw, false);
            case BROKER_LOST:
                return lose(draw);
            case BROKER_DECOMMISSIONED:
                return decommission(draw);
            case BROKER_UPGRADED:
                return restart(draw, true);
            case LEADER_MOVED:
                return moveLeader(draw);
            case UNCLEAN_ELECTION:
                return electUncleanly(draw);
            case RETENTION:
                return deleteRecords(draw);
            case HIGH_WATERMARK_HELD:
                return holdHighWatermark(draw);
            case TOPIC_RECREATED:
                return recreateTopic(draw);
            case PARTITIONS_ADDED:
                return addPartition(draw);
            case STALE_METADATA:
                return makeStale(draw);
            case COORDINATOR_MOVED:
                return moveCoordinator(draw);
            case SESSION_EVICTED:
                return evictSessions(draw);
            case PASSWORD_CHANGED:
                return changePassword(draw);
            default:
                throw new IllegalArgumentException(kind + " is no fault of the cluster");
        }
    }

    /** Repairs everything: all brokers run, every partition has a leader, and nobody's view is stale. */
    void end()
    {
        round++;
        restoreTopic();
        restorePassword();
        for (final Host host : world.network.hosts())
        {
            host.broker.stale(false);
            resume(host);
            start(host, host.broker.release());
        }
        for (final ModelPartition partition : world.partitions())
        {
            partition.log().holdHighWatermark(false);
        }
    }

    private void later(final long delayNs, final Runnable event)
    {
        final int planned = round;
        world.clock.after(delayNs, () ->
        {
            if (planned == round)
            {
                event.run();
                world.network.serve();
            }
        });
    }

    /** Returns a host that runs and has a connection of the consumer, or null. */
    private Host connectedHost(final Draw draw)
    {
        final List<Link> links = world.network.links();
        final int number = draw.below(Math.max(1, links.size()));
        final Host host = links.isEmpty() ? null : links.get(number).host;
        return host != null && links.get(number).isOpen() && host.isUp && !host.isPaused ? host : null;
    }

    /** Returns false: it takes effect when a connection is refused. */
    private boolean changePassword(final Draw draw)
    {
        world.sasl.password("another");
        later(draw.logBetween(MIN_DOWN_NS, MAX_DOWN_NS), this::restorePassword);
        return false;
    }

    private void restorePassword()
    {
        if (world.sasl != null)
        {
            world.sasl.password(Scenario.PASSWORD);
        }
    }

    private boolean pause(final Draw draw)
    {
        final Host host = connectedHost(draw);
        final long pauseNs = draw.logBetween(MIN_DOWN_NS, MAX_PAUSE_NS);
        if (host == null)
        {
            return false;
        }
        host.isPaused = true;
        later(pauseNs, () -> resume(host));
        return true;
    }

    private void resume(final Host host)
    {
        if (host.isPaused)
        {
            host.isPaused = false;
            world.network.serve(host);
        }
    }

    private boolean crash(final Draw draw)
    {
        final Host host = connectedHost(draw);
        final boolean isSilent = draw.oneIn(3);
        final long detectionNs = draw.logBetween(MIN_DOWN_NS, MAX_DETECTION_NS);
        final long downNs = draw.logBetween(MIN_DOWN_NS, MAX_DOWN_NS);
        if (host == null)
        {
            return false;
        }
        crash(host, isSilent);
        later(detectionNs, this::electLeaders);
        later(downNs, () -> start(host, host.broker.release()));
        return true;
    }

    /** A certain broker crashes, and stays down until the end of all faults. */
    void crash(final Host host, final boolean isSilent)
    {
        host.isUp = false;
        host.isSilent = isSilent;
        if (isSilent)
        {
            world.network.lose(host);
        }
        else
        {
            world.network.reset(host);
        }
        host.broker.stop();
    }

    private boolean lose(final Draw draw)
    {
        final boolean isLost = goneBrokers.lose(draw);
        later(draw.logBetween(MIN_DOWN_NS, MAX_DETECTION_NS), this::electLeaders);
        return isLost;
    }

    /** A certain broker is lost, which is noticed at once. Returns false if it cannot be spared. */
    boolean lose(final int brokerId, final Draw draw)
    {
        final boolean isLost = goneBrokers.lose(world.network.hosts().get(brokerId), draw);
        electLeaders();
        world.network.serve();
        return isLost;
    }

    private boolean decommission(final Draw draw)
    {
        final boolean isGone = goneBrokers.decommission(draw);
        electLeaders();
        world.network.serve();
        return isGone;
    }

    private boolean restart(final Draw draw, final boolean isUpgrade)
    {
        final Host host = connectedHost(draw);
        final long downNs = draw.logBetween(MIN_DOWN_NS, MAX_DOWN_NS / 4);
        final BrokerRelease release = world.release(draw);
        if (host == null)
        {
            return false;
        }
        host.isUp = false;
        electLeaders();
        world.network.finish(host);
        host.broker.stop();
        later(downNs, () -> start(host, isUpgrade ? release : host.broker.release()));
        return true;
    }

    private void start(final Host host, final BrokerRelease release)
    {
        if (!host.isUp && !host.isGone)
        {
            host.isUp = true;
            host.isSilent = false;
            host.broker.start(release);
            if (world.cluster.groups() != null && world.cluster.coordinatorId() == host.broker.id())
            {
                loadGroups(host.broker.id());
            }
        }
        electLeaders();
    }

    /** Gives each partition whose leader does not run another one, if there is one. */
    private void electLeaders()
    {
        for (final ModelPartition partition : world.partitions())
        {
            final int leader = partition.leader();
            if (leader == ModelPartition.NO_LEADER || !isUp(leader))
            {
                final List<Integer> candidates = candidates(partition);
                final int elected = candidates.isEmpty() ? ModelPartition.NO_LEADER : candidates.get(0);
                if (elected != leader)
                {
                    partition.elect(elected);
                }
            }
        }
        electCoordinator();
    }

    /** Another broker becomes the coordinator when that never comes back, or does not run and has members. */
    private void electCoordinator()
    {
        for (int id = 0; id < world.network.hosts().size(); id++)
        {
            final Host coordinator = world.network.hosts().get(world.cluster.coordinatorId());
            if (!coordinator.isUp && isUp(id) && world.cluster.groups() != null)
            {
                loadGroups(id);
            }
            else if (coordinator.isGone && isUp(id))
            {
                world.cluster.coordinator(id);
            }
        }
    }

    private void loadGroups(final int brokerId)
    {
        world.cluster.coordinator(
            brokerId, coordinatorDraw.oneIn(2) ? coordinatorDraw.logBetween(1, MAX_LOADING_NS) : 0);
    }

    private boolean isUp(final int brokerId)
    {
        return world.network.hosts().get(brokerId).isUp;
    }

    /** Returns the replicas that run and do not lead. */
    private List<Integer> candidates(final ModelPartition partition)
    {
        final List<Integer> candidates = new ArrayList<>();
        for (final int replica : partition.replicas())
        {
            if (isUp(replica) && replica != partition.leader())
            {
                candidates.add(replica);
            }
        }
        return candidates;
    }

    private ModelPartition partition(final Draw draw)
    {
        final List<ModelPartition> partitions = world.partitions();
        final int number = draw.below(Math.max(1, partitions.size()));
        return partitions.isEmpty() ? null : partitions.get(number);
    }

    private boolean moveLeader(final Draw draw)
    {
        final ModelPartition partition = partition(draw);
        final int number = draw.below(Integer.MAX_VALUE);
        final List<Integer> candidates = partition == null ? List.of() : candidates(partition);
        if (!candidates.isEmpty())
        {
            partition.elect(candidates.get(number % candidates.size()));
            world.network.serve();
        }
        return !candidates.isEmpty();
    }

    private boolean electUncleanly(final Draw draw)
    {
        final ModelPartition partition = partition(draw);
        final long lost = draw.logBetween(1, MAX_TRUNCATED);
        final List<Integer> candidates = partition == null ? List.of() : candidates(partition);
        final ModelLog log = partition == null ? null : partition.log();
        if (candidates.isEmpty() || log.endOffset() == log.startOffset())
        {
            return false;
        }
        final long endOffset = log.endOffset();
        partition.electUncleanly(candidates.get(0), Math.max(world.firstOffsetToLose(log), endOffset - lost));
        world.network.serve();
        return log.endOffset() < endOffset;
    }

    private boolean deleteRecords(final Draw draw)
    {
        final ModelPartition partition = partition(draw);
        final boolean isNearEnd = draw.oneIn(2);
        final long drawn = draw.logBetween(1, 10_000);
        if (partition == null)
        {
            return false;
        }
        final ModelLog log = partition.log();
        final long start = log.startOffset();
        log.deleteBefore(Math.min(log.highWatermark(), isNearEnd ? log.highWatermark() - drawn : start + drawn));
        world.network.serve();
        return log.startOffset() > start;
    }

    private boolean holdHighWatermark(final Draw draw)
    {
        final ModelPartition partition = partition(draw);
        final long heldNs = draw.logBetween(MIN_DOWN_NS, MAX_DOWN_NS / 6);
        if (partition == null)
        {
            return false;
        }
        partition.log().holdHighWatermark(true);
        later(heldNs, () -> world.endHold(partition));
        return true;
    }

    private boolean recreateTopic(final Draw draw)
    {
        final long deletedNs = draw.logBetween(1, MAX_DELETED_NS);
        if (isTopicDeleted)
        {
            return false;
        }
        isTopicDeleted = true;
        world.cluster.deleteTopic(Scenario.TOPIC);
        world.network.serve();
        later(deletedNs, this::restoreTopic);
        return true;
    }

    private void restoreTopic()
    {
        if (isTopicDeleted)
        {
            isTopicDeleted = false;
            world.createTopic();
            electLeaders();
            world.onTopicCreated();
        }
    }

    private boolean addPartition(final Draw draw)
    {
        if (isTopicDeleted || world.partitions().size() >= MAX_PARTITIONS)
        {
            return false;
        }
        world.cluster.topic(Scenario.TOPIC).addPartitions(1);
        electLeaders();
        world.network.serve();
        return true;
    }

    private boolean makeStale(final Draw draw)
    {
        final Host host = world.network.hosts().get(draw.below(world.network.hosts().size()));
        final long staleNs = draw.logBetween(MIN_DOWN_NS, MAX_DOWN_NS / 2);
        if (host.isUp && !host.broker.isStale())
        {
            host.broker.stale(true);
            later(staleNs, () -> host.broker.stale(false));
        }
        return false;
    }

    /** The coordinator of groups with members may also begin again where it is. */
    private boolean moveCoordinator(final Draw draw)
    {
        final int brokerId = draw.below(world.network.hosts().size());
        if (world.cluster.groups() != null && isUp(brokerId))
        {
            loadGroups(brokerId);
            return true;
        }
        final boolean isMoved = brokerId != world.cluster.coordinatorId() && isUp(brokerId);
        if (isMoved)
        {
            world.cluster.coordinator(brokerId);
        }
        return isMoved;
    }

    private boolean evictSessions(final Draw draw)
    {
        final Host host = connectedHost(draw);
        return host != null && host.broker.sessions().clear() > 0;
    }
}
