// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.odradek.testkit.Await;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A producer that sends records to all partitions of a topic in turn, at a fixed rate, on its own thread. It reports
 * every acknowledgement. It is idempotent with acks=all: an acknowledged record is in the log once.
 */
final class SequenceProducer implements AutoCloseable
{
    /** Receives the acknowledgements, on the thread of the client. */
    @FunctionalInterface
    interface AckHandler
    {
        void onAcked(int partition, long offset, long sequence);
    }

    private static final long FLUSH_LIMIT_MS = 300_000;
    private static final int BURST = 20;

    private final String topic;
    private final AckHandler ackHandler;
    private final long burstNs;
    private final Producer<byte[], byte[]> producer;
    private final AtomicLong ackedCount = new AtomicLong();
    private final Thread thread;
    private long[] sequences = {};
    /** Set by the run, read by the thread. */
    private volatile int partitionCount;
    /** Set by the run, read by the thread. */
    private volatile boolean isHeld = true;
    /** Set by the thread, read by the run. */
    private volatile boolean isQuiet;
    /** Set by the run, read by the thread. */
    private volatile boolean isClosed;
    /** Set by the client's thread, read by the run. */
    private volatile String failure;

    /**
     * @param rate records per second, over all partitions.
     */
    SequenceProducer(
        final String bootstrapServers,
        final String topic,
        final int partitionCount,
        final int rate,
        final AckHandler ackHandler)
    {
        this.topic = topic;
        this.ackHandler = ackHandler;
        this.partitionCount = partitionCount;
        burstNs = TimeUnit.SECONDS.toNanos(1) * BURST / rate;
        producer = new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers,
                ProducerConfig.ACKS_CONFIG, "all",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true,
                ProducerConfig.LINGER_MS_CONFIG, 5,
                ProducerConfig.METADATA_MAX_AGE_CONFIG, 1_000,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000,
                ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200,
                ProducerConfig.MAX_BLOCK_MS_CONFIG, FLUSH_LIMIT_MS,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) FLUSH_LIMIT_MS),
            new ByteArraySerializer(),
            new ByteArraySerializer());
        thread = new Thread(this::run, "chaos-producer-" + topic);
        thread.setDaemon(true);
        thread.start();
    }

    void partitionCount(final int count)
    {
        partitionCount = count;
    }

    /** Starts or resumes sending. */
    synchronized void release()
    {
        isQuiet = false;
        isHeld = false;
    }

    /** Stops sending, and returns when all sent records are acknowledged. */
    void hold()
    {
        isHeld = true;
        Await.until("all records sent to " + topic + " to be acknowledged", FLUSH_LIMIT_MS,
            () -> isQuiet || failure != null);
        check();
    }

    /** Waits until this many more records are acknowledged. */
    void awaitAcked(final int count)
    {
        final long wanted = ackedCount.get() + count;
        Await.until(count + " more records written", ChaosCluster.LIMIT_MS, () ->
        {
            check();
            return ackedCount.get() >= wanted;
        });
    }

    /**
     * After a failure, such as an expired batch: it, the partitions as this producer knows them, and its metrics that
     * are not 0. Empty without a failure.
     */
    String describe()
    {
        final String what = failure;
        if (what == null)
        {
            return "";
        }
        final StringBuilder text = new StringBuilder("the producer of ").append(topic).append(": ").append(what);
        // A topic that it does not know would block the call.
        producer.partitionsFor(topic).forEach((partition) -> text.append("\n  ").append(partition));
        producer.metrics().values().stream()
            .filter((metric) -> metric.metricValue() instanceof Double value && !value.isNaN() && value != 0)
            .map((metric) -> "\n  " + metric.metricName().group() + " " + metric.metricName().name() + " " +
                metric.metricName().tags() + " = " + metric.metricValue())
            .sorted().forEach(text::append);
        return text.append('\n').toString();
    }

    private void check()
    {
        if (failure != null)
        {
            throw new IllegalStateException("The producer of " + topic + " failed: " + failure);
        }
    }

    private void run()
    {
        long nextNs = System.nanoTime();
        try
        {
            while (!isClosed)
            {
                if (isHeld)
                {
                    producer.flush();
                    becomeQuiet();
                    LockSupport.parkNanos(burstNs);
                    nextNs = System.nanoTime();
                }
                else
                {
                    sendBurst();
                    nextNs = Math.max(nextNs + burstNs, System.nanoTime() - burstNs);
                    LockSupport.parkNanos(nextNs - System.nanoTime());
                }
            }
        }
        catch (final RuntimeException ex)
        {
            if (!isClosed)
            {
                failure = ex.toString();
            }
        }
    }

    private synchronized void becomeQuiet()
    {
        isQuiet = isHeld;
    }

    private void sendBurst()
    {
        final int count = partitionCount;
        if (sequences.length < count)
        {
            sequences = Arrays.copyOf(sequences, count);
        }
        for (int i = 0; i < BURST; i++)
        {
            final int partition = i % count;
            send(partition, sequences[partition]++);
        }
    }

    private void send(final int partition, final long sequence)
    {
        final byte[] value = ChaosRecord.value(partition, sequence);
        producer.send(new ProducerRecord<>(topic, partition, null, value), (metadata, exception) ->
        {
            if (exception == null)
            {
                ackHandler.onAcked(partition, metadata.offset(), sequence);
                ackedCount.incrementAndGet();
            }
            else if (!isClosed)
            {
                failure = exception.toString();
            }
        });
    }

    @Override
    public void close()
    {
        isClosed = true;
        LockSupport.unpark(thread);
        producer.close(Duration.ZERO);
    }
}
