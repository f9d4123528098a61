// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.partitions;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.testkit.TopicClient;

import java.util.concurrent.locks.LockSupport;

/**
 * Writes a record to each active partition a hundred times a second, on a thread of its own, until it is closed.
 */
final class Trickle implements AutoCloseable
{
    private static final long INTERVAL_NS = 10_000_000;

    private final PartitionsPlan plan;
    private final String topic;
    private final Producer<byte[], byte[]> producer;
    private final Thread thread = new Thread(this::run, "trickle");
    private volatile boolean isClosed; // set by the measuring thread

    Trickle(final PartitionsPlan plan, final String topic, final TopicClient client)
    {
        this.plan = plan;
        this.topic = topic;
        producer = client.producer(0, "1");
    }

    void start()
    {
        thread.start();
    }

    private void run()
    {
        final byte[] value = new byte[100];
        while (!isClosed)
        {
            for (int i = 0; i < plan.active(); i++)
            {
                producer.send(new ProducerRecord<>(topic, i * plan.step(), null, value));
            }
            LockSupport.parkNanos(INTERVAL_NS);
        }
    }

    @Override
    public void close()
    {
        isClosed = true;
        LockSupport.unpark(thread);
        joinUninterrupted();
        producer.close();
    }

    private void joinUninterrupted()
    {
        boolean isInterrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }
}
