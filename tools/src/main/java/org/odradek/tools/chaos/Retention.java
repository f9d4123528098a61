// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.odradek.testkit.Await;

import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The topic keeps records for a millisecond only, until those that a paused partition has not delivered are gone. All
 * partitions lose what is read too slowly meanwhile.
 */
final class Retention implements Fault
{
    private static final String RETENTION = "retention.ms";

    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int partition = random.nextInt(topic.partitionCount());
        final PartitionLedger ledger = topic.ledger().partition(partition);
        final long gapsBefore = ledger.gaps();
        topic.reader().perform((consumer) -> consumer.pause(partition));
        final long next = ledger.next();
        topic.awaitWritten(200 * topic.partitionCount());
        alter(cluster, topic, "1");
        Await.until("the end of records behind offset " + next, ChaosCluster.LIMIT_MS,
            () -> topic.log().startOffset(partition) > next);
        alter(cluster, topic, Integer.toString(ChaosTopic.RETENTION_MS));
        topic.reader().perform((consumer) -> consumer.resume(partition));
        Await.until("the gap event of partition " + partition + " at offset " + next, ChaosCluster.LIMIT_MS,
            () -> ledger.gaps() > gapsBefore);
        return "partition " + partition + " ran out from offset " + next;
    }

    private static void alter(final ChaosCluster cluster, final ChaosTopic topic, final String retentionMs)
    {
        ChaosCluster.await(cluster.brokers().admin().incrementalAlterConfigs(Map.of(
            new ConfigResource(ConfigResource.Type.TOPIC, topic.name()),
            List.of(new AlterConfigOp(new ConfigEntry(RETENTION, retentionMs), AlterConfigOp.OpType.SET)))).all());
    }
}
