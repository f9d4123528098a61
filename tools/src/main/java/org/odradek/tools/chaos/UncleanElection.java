// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.odradek.consumer.OffsetResetPolicy;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A replica that lacks the last records becomes leader, because that of those who have them is dead, and takes others
 * in their place. All on a topic beside the judged one, whose consumer has read the lost records: it must say from
 * where on they are void, and deliver what stands there now.
 */
final class UncleanElection implements Fault
{
    private static final int MOST_RECORDS = 2_000;

    private final AtomicInteger count = new AtomicInteger();

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final BrokerCluster brokers = cluster.brokers();
        final String name = topic.name() + "-unclean-" + count.incrementAndGet();
        final int ahead = 1 + random.nextInt(ChaosCluster.BROKER_COUNT);
        final int behind = 1 + ahead % ChaosCluster.BROKER_COUNT;
        final int common = 1 + random.nextInt(MOST_RECORDS);
        final int lost = 1 + random.nextInt(MOST_RECORDS);
        final int instead = 1 + random.nextInt(MOST_RECORDS);
        ChaosCluster.await(brokers.admin().createTopics(
            List.of(new NewTopic(name, Map.of(0, List.of(ahead, behind))).configs(
                Map.of("unclean.leader.election.enable", "true", "min.insync.replicas", "1")))).all());
        cluster.awaitInSync(name, 0, 2);
        try (SideTopic side = new SideTopic(cluster, name, ChaosTopic.readerContext(cluster, name)
            .offsetResetPolicy(OffsetResetPolicy.nearest()), true))
        {
            side.write(common);
            cluster.awaitInSync(name, 0, 2);
            brokers.broker(behind).kill();
            side.write(lost);
            side.awaitNext(common + lost);
            brokers.broker(ahead).kill();
            brokers.broker(behind).restart();
            awaitLeader(brokers, name, behind);
            side.write(instead);
            brokers.broker(ahead).restart();
            cluster.awaitInSync(name, 0, 2);
            Await.until("the truncation event of " + name, ChaosCluster.LIMIT_MS,
                () -> side.ledger().tally().truncations > 0);
            side.awaitNext(common + instead);
            try (StockLog log = new StockLog(cluster.directServers(), name))
            {
                side.ledger().partition(0).compare(log.read(0, 0));
            }
            topic.ledger().absorb(side.ledger());
        }
        brokers.deleteTopic(name);
        return lost + " records lost behind offset " + common + ", " + instead + " in their place";
    }

    private static void awaitLeader(final BrokerCluster brokers, final String topic, final int brokerId)
    {
        Await.until("broker " + brokerId + " to lead " + topic, ChaosCluster.LIMIT_MS, () ->
        {
            // The cluster does it by itself sooner or later; what this answers is of no interest.
            brokers.admin().electLeaders(ElectionType.UNCLEAN, Set.of(new TopicPartition(topic, 0)));
            return ChaosCluster.holds(() -> brokers.leaderOf(topic, 0) == brokerId);
        });
    }
}
