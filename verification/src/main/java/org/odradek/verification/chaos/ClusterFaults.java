// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * The faults of brokers and of the judged topic itself. {@link FaultKind} describes each of them.
 */
final class ClusterFaults
{
    static final int MAX_PARTITIONS = 16;

    private ClusterFaults()
    {
    }

    static String killLeader(final ChaosTopic topic, final Random random)
    {
        final int partition = random.nextInt(topic.partitionCount());
        return killLeader(topic.cluster(), topic.name(), partition, () -> topic.awaitWritten(500));
    }

    /** @param meanwhile what happens from the election of another leader to the restart of the killed one. */
    static String killLeader(
        final ChaosCluster cluster, final String topic, final int partition, final Runnable meanwhile)
    {
        final BrokerCluster brokers = cluster.brokers();
        final int killed = cluster.awaitLeader(topic, partition);
        brokers.broker(killed).kill();
        final int leader = brokers.awaitLeaderOtherThan(topic, partition, killed);
        meanwhile.run();
        brokers.broker(killed).restart();
        return "broker " + killed + " killed, partition " + partition + " moved to broker " + leader;
    }

    static String restartAll(final ChaosTopic topic, final Random random)
    {
        final int first = random.nextInt(ChaosCluster.BROKER_COUNT);
        for (int i = 0; i < ChaosCluster.BROKER_COUNT; i++)
        {
            final int id = 1 + (first + i) % ChaosCluster.BROKER_COUNT;
            topic.cluster().awaitInSync(topic.name(), topic.partitionCount());
            topic.cluster().brokers().broker(id).restart();
        }
        return "all brokers restarted, broker " + (first + 1) + " first";
    }

    static String moveLeaders(final ChaosTopic topic, final Random random)
    {
        return moveLeaders(topic.cluster(), topic.name(), topic.partitionCount(), random);
    }

    static String moveLeaders(
        final ChaosCluster cluster, final String topic, final int partitionCount, final Random random)
    {
        final int count = 1 + partitionCount / 2;
        for (int i = 0; i < count; i++)
        {
            moveLeader(cluster, topic, random.nextInt(partitionCount), random);
        }
        return count + " leaders moved";
    }

    static String moveLeader(
        final ChaosCluster cluster, final String topic, final int partition, final Random random)
    {
        final int leader = cluster.awaitLeader(topic, partition);
        final int target = 1 + (leader + random.nextInt(ChaosCluster.BROKER_COUNT - 1)) % ChaosCluster.BROKER_COUNT;
        Await.until("partition " + partition + " to move to broker " + target, ChaosCluster.LIMIT_MS,
            () -> isMoved(cluster, topic, partition, target));
        return "partition " + partition + " moved from broker " + leader + " to broker " + target;
    }

    private static boolean isMoved(
        final ChaosCluster cluster, final String topic, final int partition, final int target)
    {
        try
        {
            cluster.brokers().moveLeader(topic, partition, target);
            return true;
        }
        catch (final RuntimeException ex)
        {
            // The target fell out of sync just before the election: try again.
            return false;
        }
    }

    static String addPartition(final ChaosTopic topic, final Random random)
    {
        final int count = topic.partitionCount() + 1;
        if (count > MAX_PARTITIONS)
        {
            return "none, the topic has " + MAX_PARTITIONS + " partitions; " + moveLeaders(topic, random);
        }
        topic.cluster().growTopic(topic.name(), count);
        topic.partitionCount(count);
        final ChaosLedger.Partition added = topic.ledger().partition(count - 1);
        Await.until("records of the new partition", ChaosCluster.LIMIT_MS, () -> added.deliveries() > 0);
        return "now " + count + " partitions";
    }

    static String deleteRecords(final ChaosTopic topic, final Random random)
    {
        final int partition = random.nextInt(topic.partitionCount());
        final long[] before = new long[1];
        final long next = removeUnread(topic, partition, () ->
        {
            topic.awaitWritten(200 * topic.partitionCount());
            final long first = topic.ledger().partition(partition).next();
            Await.until("records from offset " + first, ChaosCluster.LIMIT_MS,
                () -> topic.log().endOffset(partition) > first);
            final long deletable = topic.log().endOffset(partition) - first;
            before[0] = first + 1 + random.nextInt((int) deletable);
            ChaosCluster.await(topic.cluster().brokers().admin().deleteRecords(Map.of(
                new TopicPartition(topic.name(), partition), RecordsToDelete.beforeOffset(before[0]))).all());
            Await.until("the deletion", ChaosCluster.LIMIT_MS, () -> topic.log().startOffset(partition) >= before[0]);
            return first;
        });
        return "partition " + partition + " deleted from offset " + next + " to " + before[0];
    }

    /** All partitions lose records here that are read too slowly. */
    static String expireRecords(final ChaosTopic topic, final Random random)
    {
        final int partition = random.nextInt(topic.partitionCount());
        final long next = removeUnread(topic, partition, () ->
        {
            final long first = topic.ledger().partition(partition).next();
            topic.awaitWritten(200 * topic.partitionCount());
            retain(topic, 1);
            Await.until("the records from offset " + first + " to expire", ChaosCluster.LIMIT_MS,
                () -> topic.log().startOffset(partition) > first);
            retain(topic, ChaosTopic.RETENTION_MS);
            return first;
        });
        return "partition " + partition + " expired from offset " + next;
    }

    /**
     * Pauses a partition, removes records that it has not delivered, resumes it and waits for its gap event.
     *
     * @param removal returns the first offset that it removed.
     */
    private static long removeUnread(final ChaosTopic topic, final int partition, final LongSupplier removal)
    {
        final ChaosLedger.Partition ledger = topic.ledger().partition(partition);
        final long gapsBefore = ledger.gaps();
        topic.reader().perform((consumer) -> consumer.pause(partition));
        final long next = removal.getAsLong();
        topic.reader().perform((consumer) -> consumer.resume(partition));
        Await.until("the gap event of partition " + partition + " at offset " + next, ChaosCluster.LIMIT_MS,
            () -> ledger.gaps() > gapsBefore);
        return next;
    }

    private static void retain(final ChaosTopic topic, final int retentionMs)
    {
        final ConfigEntry retention = new ConfigEntry("retention.ms", Integer.toString(retentionMs));
        ChaosCluster.await(topic.cluster().brokers().admin().incrementalAlterConfigs(Map.of(
            new ConfigResource(ConfigResource.Type.TOPIC, topic.name()),
            List.of(new AlterConfigOp(retention, AlterConfigOp.OpType.SET)))).all());
    }
}
