// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ElectionNotNeededException;
import org.odradek.testkit.internal.CleanUp;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cluster of several brokers. Each broker runs in its own JVM and by default is also a controller. The broker ids are
 * 1, 2 and so on. By default every partition has a replica on each broker. The cluster works while more than half of
 * the brokers run.
 */
public final class BrokerCluster implements Brokers
{
    private final List<BrokerHome> homes = new ArrayList<>();
    private final List<BrokerProcess> brokers = new ArrayList<>();
    private final TopicClient client;

    private BrokerCluster(final List<BrokerSettings> settings)
    {
        for (final BrokerSettings each : settings)
        {
            final BrokerHome home = new BrokerHome(homes.size() + 1, each);
            homes.add(home);
            brokers.add(new BrokerProcess(home));
        }
        client = new TopicClient(bootstrapServers());
    }

    /**
     * Starts a cluster of brokers with the default settings, and returns when all of them have joined it.
     *
     * @param brokerCount number of brokers, 1 or more.
     * @throws IllegalStateException if a broker does not start.
     */
    public static BrokerCluster start(final int brokerCount)
    {
        final List<BrokerSettings> settings = new ArrayList<>();
        for (int i = 0; i < brokerCount; i++)
        {
            settings.add(new BrokerSettings());
        }
        return start(settings);
    }

    /**
     * Starts a cluster of brokers with these settings, and returns when all of them have joined it.
     *
     * @param settings settings of each broker, in the order of the broker ids.
     * @throws IllegalStateException if a broker does not start.
     */
    public static BrokerCluster start(final List<BrokerSettings> settings)
    {
        final BrokerCluster cluster = new BrokerCluster(settings);
        try
        {
            cluster.prepare();
            cluster.brokers.forEach(BrokerProcess::launch);
            cluster.brokers.forEach(BrokerProcess::awaitReady);
            return cluster;
        }
        catch (final RuntimeException ex)
        {
            cluster.close();
            throw ex;
        }
    }

    @Override
    public String bootstrapServers()
    {
        return brokers.stream().map(BrokerProcess::bootstrapServers).collect(Collectors.joining(","));
    }

    @Override
    public TopicClient client()
    {
        return client;
    }

    /**
     * Returns the broker with an id, which is 1 or more.
     *
     * @throws IndexOutOfBoundsException if the cluster has no broker with this id.
     */
    public BrokerProcess broker(final int id)
    {
        return brokers.get(id - 1);
    }

    /** Returns the number of brokers of the cluster, including brokers that do not run. */
    public int brokerCount()
    {
        return brokers.size();
    }

    /**
     * Returns the id of the broker that leads the partition now, or -1 if the partition has no leader.
     *
     * @throws IllegalArgumentException if there is no such partition.
     */
    public int leaderOf(final String topic, final int partition)
    {
        final TopicPartitionInfo info = client.partition(topic, partition);
        return info.leader() == null ? -1 : info.leader().id();
    }

    /**
     * Waits until another broker than {@code brokerId} leads the partition, and returns the id of the new leader.
     *
     * @throws IllegalStateException if that takes longer than {@link Await#DEFAULT_TIMEOUT_MS}.
     */
    public int awaitLeaderOtherThan(final String topic, final int partition, final int brokerId)
    {
        final int[] leader = new int[1];
        Await.until("a leader of " + topic + "-" + partition + " other than " + brokerId, () ->
        {
            leader[0] = leaderOf(topic, partition);
            return leader[0] != brokerId && leader[0] != -1;
        });
        return leader[0];
    }

    /**
     * Waits until exactly {@code count} replicas of a partition, including the leader, are in sync.
     *
     * @throws IllegalStateException if that takes longer than {@link Await#DEFAULT_TIMEOUT_MS}.
     */
    public void awaitIsr(final String topic, final int partition, final int count)
    {
        Await.until(count + " replicas of " + topic + "-" + partition + " in sync",
            () -> client.partition(topic, partition).isr().size() == count);
    }

    /**
     * Makes a running broker the preferred replica of a partition, and elects the broker as leader. If the broker holds
     * no replica, it replaces the last broker in the list of replicas. The method returns when the cluster reports the
     * broker as leader.
     *
     * @throws IllegalStateException if the broker cannot be elected, or a step takes longer than {@link
     *                               Await#DEFAULT_TIMEOUT_MS}.
     */
    public void moveLeader(final String topic, final int partition, final int brokerId)
    {
        final TopicPartition topicPartition = new TopicPartition(topic, partition);
        final List<Integer> replicas = client.partition(topic, partition).replicas().stream()
            .map((node) -> node.id()).collect(Collectors.toCollection(ArrayList::new));
        if (!replicas.remove((Integer) brokerId))
        {
            replicas.remove(replicas.size() - 1);
        }
        replicas.add(0, brokerId);
        TopicClient.answer(admin().alterPartitionReassignments(
            Map.of(topicPartition, Optional.of(new NewPartitionReassignment(replicas)))).all());
        Await.until("the reassignment of " + topicPartition, () -> TopicClient.answer(
            admin().listPartitionReassignments(Set.of(topicPartition)).reassignments()).isEmpty());
        Await.until("broker " + brokerId + " in sync with " + topicPartition,
            () -> client.partition(topic, partition).isr().stream().anyMatch((node) -> node.id() == brokerId));
        electPreferred(topicPartition);
        Await.until("broker " + brokerId + " to lead " + topicPartition,
            () -> leaderOf(topic, partition) == brokerId);
    }

    @Override
    public void close()
    {
        final List<Runnable> steps = new ArrayList<>();
        steps.add(client::close);
        brokers.forEach((broker) -> steps.add(broker::close));
        CleanUp.run(steps.toArray(new Runnable[0]));
    }

    private void prepare()
    {
        final String voters = homes.stream().map(BrokerHome::voter).collect(Collectors.joining(","));
        final String clusterId = Uuid.randomUuid().toString();
        homes.forEach((home) -> home.prepare(clusterId, voters, homes.size()));
    }

    private void electPreferred(final TopicPartition topicPartition)
    {
        final Optional<Throwable> failure = TopicClient.answer(
            admin().electLeaders(ElectionType.PREFERRED, Set.of(topicPartition)).partitions()).get(topicPartition);
        if (failure.isPresent() && !(failure.get() instanceof ElectionNotNeededException))
        {
            throw new IllegalStateException("No leader could be elected for " + topicPartition, failure.get());
        }
    }
}
