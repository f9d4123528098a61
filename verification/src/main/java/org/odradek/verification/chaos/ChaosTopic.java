// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.testkit.Await;

import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The judged topic with its producer, its consumer and the ledger that judges the consumer.
 */
final class ChaosTopic implements AutoCloseable
{
    /** If the reader delivers nothing for this long although the log holds more records, they count as lost. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(180);
    static final int RETENTION_MS = 3_600_000;
    private static final int MAX_CONNECTIONS = 8;

    private final ChaosCluster cluster;
    private final String name;
    private final ChaosLedger ledger;
    private final SequenceProducer producer;
    private final ChaosReader reader;
    private final StockLog log;
    private int partitionCount;

    ChaosTopic(final ChaosCluster cluster, final String name, final ChaosSettings settings)
    {
        this.cluster = cluster;
        this.name = name;
        partitionCount = settings.partitionCount();
        ledger = new ChaosLedger(false);
        cluster.brokers().createTopic(name, partitionCount, Map.of(
            "min.insync.replicas", "2",
            "retention.ms", Integer.toString(RETENTION_MS)));
        log = new StockLog(cluster.directServers(), name);
        producer = new SequenceProducer(
            cluster.directServers(), name, partitionCount, settings.rate(), ledger::onAcked);
        reader = new ChaosReader("chaos-reader", readerContext(cluster, name)
            .startPosition(StartPosition.earliest())
            .offsetResetPolicy(OffsetResetPolicy.nearest())
            .fetchConnections(1 + new Random(settings.seed()).nextInt(MAX_CONNECTIONS)),
            ledger, settings.sabotage(), settings.seed());
    }

    /** Small fetches and short waits, so that many requests happen between two faults. */
    static ConsumerContext readerContext(final ChaosCluster cluster, final String topic)
    {
        return ConsumerContext.from(cluster.connection())
            .topic(topic)
            .fetchMaxBytes(64 * 1024)
            .fetchMaxWaitMs(250)
            .requestTimeoutMs(5_000)
            .connectTimeoutMs(5_000)
            .metadataMaxAgeMs(1_000);
    }

    ChaosCluster cluster()
    {
        return cluster;
    }

    String name()
    {
        return name;
    }

    ChaosReader reader()
    {
        return reader;
    }

    SequenceProducer producer()
    {
        return producer;
    }

    ChaosLedger ledger()
    {
        return ledger;
    }

    StockLog log()
    {
        return log;
    }

    int partitionCount()
    {
        return partitionCount;
    }

    /** Sets the number of partitions that the producer writes to and that are compared. */
    void partitionCount(final int count)
    {
        partitionCount = count;
        producer.partitionCount(count);
    }

    /** Waits until this many more records are acknowledged. */
    void awaitWritten(final int count)
    {
        producer.awaitAcked(count);
    }

    /** Waits until this many more records are delivered. */
    void awaitDelivered(final int count)
    {
        final long wanted = ledger.deliveries() + count;
        Await.until(count + " more records delivered", ChaosCluster.LIMIT_MS, () -> ledger.deliveries() >= wanted);
    }

    /**
     * Stops writing, waits until the reader has reached the end of the log, and compares.
     *
     * @return a few words on where the reader stalled, or null if it reached the end.
     */
    String compare()
    {
        producer.hold();
        String stall = null;
        for (int p = 0; p < partitionCount; p++)
        {
            final ChaosLedger.Partition partition = ledger.partition(p);
            final long end = log.endOffset(p);
            if (!awaitNext(partition, end))
            {
                stall = "partition " + p + " stalled at offset " + partition.next() + " of " + end;
                ledger.onError("The reader of " + stall + ":\n" + reader.describe());
            }
        }
        for (int p = 0; p < partitionCount; p++)
        {
            final ChaosLedger.Partition partition = ledger.partition(p);
            partition.compare(log.read(p, partition.base()));
        }
        producer.release();
        return stall;
    }

    private boolean awaitNext(final ChaosLedger.Partition partition, final long end)
    {
        long seen = ledger.deliveries();
        long seenNs = System.nanoTime();
        while (partition.next() < end || !reader.isDone())
        {
            if (ledger.deliveries() != seen)
            {
                seen = ledger.deliveries();
                seenNs = System.nanoTime();
            }
            if (reader.failure() != null || System.nanoTime() - seenNs > STALL_NS)
            {
                return false;
            }
            ChaosCluster.pause(5);
        }
        return true;
    }

    @Override
    public void close()
    {
        reader.close();
        producer.close();
        log.close();
    }
}
