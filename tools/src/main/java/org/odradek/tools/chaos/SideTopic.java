// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.testkit.Await;

import java.util.Map;

/**
 * A topic of one partition beside the judged one, for what would take away the base of judging that: written only when
 * its fault says so, read by a consumer of its own.
 */
final class SideTopic implements AutoCloseable
{
    private final ChaosCluster cluster;
    private final String name;
    private final ChaosLedger ledger;
    private final ChaosReader reader;
    private long sequence;

    /**
     * @param name    of a topic that exists.
     * @param context of the reader, from {@link ChaosTopic#readerContext}.
     */
    SideTopic(final ChaosCluster cluster, final String name, final ConsumerContext context, final boolean mayTruncate)
    {
        this.cluster = cluster;
        this.name = name;
        ledger = new ChaosLedger(mayTruncate);
        reader = new ChaosReader(
            name + "-reader", context.startPosition(StartPosition.earliest()), ledger, Sabotage.NONE, 0);
    }

    /** Returns when all are acknowledged. Each call has a producer of its own, which knows nothing of what was lost. */
    void write(final int count)
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
                throw new IllegalStateException("Not all was written to " + name + ": " + failure[0]);
            }
        }
    }

    /** Waits until the next offset to deliver is this. */
    void awaitNext(final long offset)
    {
        Await.until("offset " + offset + " of " + name, ChaosCluster.LIMIT_MS,
            () -> ledger.partition(0).next() == offset && reader.isDone());
    }

    ChaosLedger ledger()
    {
        return ledger;
    }

    ChaosReader reader()
    {
        return reader;
    }

    @Override
    public void close()
    {
        reader.close();
    }
}
