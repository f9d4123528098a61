// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.odradek.testkit.Await;

import java.util.Map;
import java.util.Random;

/**
 * An administrator deletes records of a partition (DeleteRecords) before its paused consumer has read them.
 */
final class RecordDeletion implements Fault
{
    @Override
    public String strike(final ChaosCluster cluster, final ChaosTopic topic, final Random random)
    {
        final int partition = random.nextInt(topic.partitionCount());
        final PartitionLedger ledger = topic.ledger().partition(partition);
        final long gapsBefore = ledger.gaps();
        topic.reader().perform((consumer) -> consumer.pause(partition));
        topic.awaitWritten(200 * topic.partitionCount());
        final long next = ledger.next();
        Await.until("records behind offset " + next, ChaosCluster.LIMIT_MS,
            () -> topic.log().endOffset(partition) > next);
        final long deletable = topic.log().endOffset(partition) - next;
        final long before = next + 1 + random.nextInt((int) deletable);
        ChaosCluster.await(cluster.brokers().admin().deleteRecords(
            Map.of(new TopicPartition(topic.name(), partition), RecordsToDelete.beforeOffset(before))).all());
        Await.until("the deletion", ChaosCluster.LIMIT_MS, () -> topic.log().startOffset(partition) >= before);
        topic.reader().perform((consumer) -> consumer.resume(partition));
        Await.until("the gap event of partition " + partition + " at offset " + next, ChaosCluster.LIMIT_MS,
            () -> ledger.gaps() > gapsBefore);
        return "partition " + partition + " deleted from offset " + next + " to " + before;
    }
}
