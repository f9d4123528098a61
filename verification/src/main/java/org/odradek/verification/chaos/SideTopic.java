// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A second topic of one partition for faults that destroy what the judged topic is compared with: such a fault writes
 * to it only when it needs to, and a second consumer reads it.
 */
final class SideTopic implements AutoCloseable
{
    private static final int MAX_RECORDS = 2_000;
    private static final int POLLS_AFTER = 100;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final ChaosCluster cluster;
    private final String name;
    private final ChaosLedger ledger;
    private final ChaosReader reader;
    private long sequence;

    /**
     * @param name    of a topic that exists.
     * @param context of the reader, from {@link ChaosTopic#readerContext}.
     */
    private SideTopic(
        final ChaosCluster cluster, final String name, final ConsumerContext context, final boolean mayTruncate)
    {
        this.cluster = cluster;
        this.name = name;
        ledger = new ChaosLedger(mayTruncate);
        reader = new ChaosReader(
            name + "-reader", context.startPosition(StartPosition.earliest()), ledger, ChaosSettings.Sabotage.NONE, 0);
    }

    /**
     * The leader that has all records is dead, so a replica that lacks the last ones is elected and takes other records
     * at their offsets. The consumer, which has read the lost records, must report the offset from which on they are
     * void, and deliver the new ones. The partition has two replicas: with three, two of the three brokers would be
     * down while the lost records are written, and with them the majority of controllers. Here that majority is missing
     * only from the death of the leader to the restart of the other replica.
     */
    static String electUncleanLeader(final ChaosTopic topic, final Random random)
    {
        final ChaosCluster cluster = topic.cluster();
        final BrokerCluster brokers = cluster.brokers();
        final String name = topic.name() + "-unclean-" + COUNT.incrementAndGet();
        final int ahead = 1 + random.nextInt(ChaosCluster.BROKER_COUNT);
        final int behind = 1 + ahead % ChaosCluster.BROKER_COUNT;
        final int common = 1 + random.nextInt(MAX_RECORDS);
        final int lost = 1 + random.nextInt(MAX_RECORDS);
        final int instead = 1 + random.nextInt(MAX_RECORDS);
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
                () -> side.ledger.tally().truncations > 0);
            side.awaitNext(common + instead);
            try (StockLog log = new StockLog(cluster.directServers(), name))
            {
                side.ledger.partition(0).compare(log.read(0, 0));
            }
            topic.ledger().absorb(side.ledger);
        }
        brokers.deleteTopic(name);
        return lost + " records lost from offset " + common + ", " + instead + " written at their offsets";
    }

    private static void awaitLeader(final BrokerCluster brokers, final String topic, final int brokerId)
    {
        Await.until("broker " + brokerId + " to lead " + topic, ChaosCluster.LIMIT_MS, () ->
        {
            // The cluster elects it by itself sooner or later, so the result of this request does not matter.
            brokers.admin().electLeaders(ElectionType.UNCLEAN, Set.of(new TopicPartition(topic, 0)));
            return ChaosCluster.holds(() -> brokers.leaderOf(topic, 0) == brokerId);
        });
    }

    /**
     * The consumer must stop the partition and deliver no record of the new topic: its offsets mean something else.
     */
    static String recreate(final ChaosTopic topic, final Random random)
    {
        final ChaosCluster cluster = topic.cluster();
        final String name = topic.name() + "-recreated-" + COUNT.incrementAndGet();
        final int before = 1 + random.nextInt(MAX_RECORDS);
        final int after = 1 + random.nextInt(2 * MAX_RECORDS);
        cluster.brokers().createTopic(name, 1, Map.of());
        final ChaosLedger ledger;
        try (SideTopic side = new SideTopic(cluster, name, ChaosTopic.readerContext(cluster, name), false))
        {
            ledger = side.ledger;
            side.write(before);
            side.awaitNext(before);
            cluster.brokers().deleteTopic(name);
            cluster.brokers().createTopic(name, 1, Map.of());
            side.write(after);
            Await.until("the consumer to stop at the new " + name, ChaosCluster.LIMIT_MS,
                () -> ledger.stoppedCount() > 0);
            for (int i = 0; i < POLLS_AFTER; i++)
            {
                side.reader.perform((consumer) -> {});
            }
        }
        if (ledger.deliveries() != before)
        {
            topic.ledger().onError(ledger.deliveries() + " records of " + name + " were delivered, which held " +
                before + " before it was created again");
            topic.ledger().partition(0).onFalseEvent();
        }
        cluster.brokers().deleteTopic(name);
        return name + " created again, its consumer stopped after " + before + " records";
    }

    /** Returns when all are acknowledged. Each call has a producer of its own, which knows nothing of lost records. */
    private void write(final int count)
    {
        try (Producer<byte[], byte[]> producer = cluster.brokers().client().producer(Map.of(
            "request.timeout.ms", 5_000, "delivery.timeout.ms", (int) ChaosCluster.LIMIT_MS)))
        {
            final long end = sequence + count;
            final String[] failure = new String[1];
            for (; sequence < end; sequence++)
            {
                final long own = sequence;
                producer.send(new ProducerRecord<>(name, 0, null, ChaosRecord.value(0, own)), (metadata, exception) ->
                {
                    if (exception == null)
                    {
                        ledger.partition(0).onAcked(metadata.offset(), own);
                    }
                    else
                    {
                        failure[0] = exception.toString();
                    }
                });
            }
            producer.flush();
            if (failure[0] != null)
            {
                throw new IllegalStateException("Not all records were written to " + name + ": " + failure[0]);
            }
        }
    }

    /** Waits until the next offset to deliver is this. */
    private void awaitNext(final long offset)
    {
        Await.until("offset " + offset + " of " + name, ChaosCluster.LIMIT_MS,
            () -> ledger.partition(0).next() == offset && reader.isDone());
    }

    @Override
    public void close()
    {
        reader.close();
    }
}
