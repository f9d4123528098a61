// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ElectionNotNeededException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Several brokers, each in a JVM of its own and each a controller as well, that make one cluster. Their ids count from
 * 1, and every partition has a replica on each of them. As with any cluster more than half must run for it to work.
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
     * @param brokerCount how many brokers.
     * @return a running cluster.
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
     * @param settings of each broker, in the order of their ids.
     * @return a running cluster.
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
     * @param id of the broker, counted from 1.
     * @return that broker.
     */
    public BrokerProcess broker(final int id)
    {
        return brokers.get(id - 1);
    }

    /**
     * @return how many brokers there are, running or not.
     */
    public int brokerCount()
    {
        return brokers.size();
    }

    /**
     * @param topic     name of the topic.
     * @param partition of the topic.
     * @return id of the broker that leads the partition now, -1 if none does.
     */
    public int leaderOf(final String topic, final int partition)
    {
        final TopicPartitionInfo info = client.partition(topic, partition);
        return info.leader() == null ? -1 : info.leader().id();
    }

    /**
     * Waits until another broker than the given one leads the partition, for instance after that one was killed.
     *
     * @param topic     name of the topic.
     * @param partition of the topic.
     * @param brokerId  that does not lead any more.
     * @return id of the new leader.
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
     * Waits until exactly so many replicas are in sync.
     *
     * @param topic     name of the topic.
     * @param partition of the topic.
     * @param count     of in-sync replicas, the leader included.
     */
    public void awaitIsr(final String topic, final int partition, final int count)
    {
        Await.until(count + " replicas of " + topic + "-" + partition + " in sync",
            () -> client.partition(topic, partition).isr().size() == count);
    }

    /**
     * Makes the broker the leader: it becomes the preferred replica, then the preferred replica is elected. A broker
     * that holds no replica takes the place of the last one. Returns when the cluster names it as leader.
     *
     * @param topic     name of the topic.
     * @param partition of the topic.
     * @param brokerId  of the new leader, which must run.
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
        client.close();
        brokers.forEach(BrokerProcess::close);
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
