// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.HdrHistogram.SingleWriterRecorder;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.TopicClient;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The stock producer on a schedule. A value begins with the time at which it was due. How late the schedule is kept is
 * recorded as the producer's latency: it is part of each client's latency, and the same for all clients. A record that
 * is not acknowledged ends the run.
 */
public final class PacedProducer implements RigMain.Task
{
    /** A stall is to be visible in the figures, not to end the run. */
    private static final int MAX_BLOCK_MS = 300_000;
    private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Settings settings;
    private final int[] partitions;
    private final int valueLength;
    private final SingleWriterRecorder lag =
        new SingleWriterRecorder(Usage.LEAST_NS, Usage.MOST_NS, Usage.DIGITS);
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Meters meters = new Meters();
    private Producer<byte[], byte[]> producer;
    private Thread thread;
    private long sentAtStart;
    /** Volatile: written by one of the threads and read by another. */
    private volatile boolean running;
    private volatile long sent;

    /** @param settings bootstrap, topic, partitions, recordsPerSecond over all of them, valueLength, lingerMs, acks. */
    public PacedProducer(final Settings settings)
    {
        this.settings = settings;
        partitions = settings.numbers("partitions");
        valueLength = settings.number("valueLength");
        if (valueLength < ThreeLongs.SMALLEST_VALUE)
        {
            throw new IllegalArgumentException("A value holds three longs in at least " + ThreeLongs.SMALLEST_VALUE +
                " bytes, so it cannot have " + valueLength + ".");
        }
    }

    @Override
    public Object obey(final String word, final String argument) throws InterruptedException
    {
        return switch (word)
        {
            case Child.RUN -> start(Long.parseLong(argument.isEmpty() ? settings.text("recordsPerSecond") : argument));
            case Child.MEASURE -> measure();
            case Child.STOP -> stop();
            default -> throw new IllegalArgumentException("A producer cannot do " + word + ".");
        };
    }

    /** Returns when the producer knows the topic and the schedule has begun. */
    private Object start(final long rate)
    {
        if (rate < 1)
        {
            throw new IllegalArgumentException("At least one record a second is sent, not " + rate + ".");
        }
        final String acks = settings.text("acks");
        producer = new TopicClient(settings.text("bootstrap")).producer(Map.of(
            ProducerConfig.LINGER_MS_CONFIG, settings.number("lingerMs"),
            ProducerConfig.ACKS_CONFIG, acks,
            ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS,
            // A retry must not change the order, and an idempotent producer is possible only with acks=all.
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, acks.equals("all")));
        producer.partitionsFor(settings.text("topic"));
        sent = 0;
        running = true;
        thread = new Thread(() -> send(rate), "paced-producer");
        thread.setDaemon(true);
        thread.start();
        return RigMain.state("running");
    }

    private void send(final long recordsPerSecond)
    {
        final String topic = settings.text("topic");
        try
        {
            Kernel.leastTimerSlack();
            final long firstNs = System.nanoTime();
            for (long sequence = 0; running; sequence++)
            {
                final long dueNs = dueNs(firstNs, recordsPerSecond, sequence);
                for (long waitNs = dueNs - System.nanoTime(); waitNs > 0; waitNs = dueNs - System.nanoTime())
                {
                    LockSupport.parkNanos(waitNs);
                }
                lag.recordValue(Math.min(Usage.MOST_NS, System.nanoTime() - dueNs));
                final int partition = partitions[(int)(sequence % partitions.length)];
                final byte[] value = ThreeLongs.fill(new byte[valueLength], dueNs, sequence);
                producer.send(new ProducerRecord<>(topic, partition, null, value),
                    (metadata, exception) -> failure.compareAndSet(null, exception));
                sent = sequence + 1;
            }
        }
        catch (final Exception ex)
        {
            failure.set(ex);
        }
        catch (final LinkageError ex)
        {
            failure.set(new IllegalStateException(ex));
        }
    }

    /**
     * When a record is due: at an absolute time, so that being late once does not move those that follow. Whole seconds
     * and the rest are computed separately, so that nothing adds up or overflows.
     */
    static long dueNs(final long firstNs, final long perSecond, final long sequence)
    {
        return firstNs + sequence / perSecond * NS_PER_SECOND + sequence % perSecond * NS_PER_SECOND / perSecond;
    }

    private Object measure()
    {
        checkAlive();
        sentAtStart = sent;
        meters.begin();
        lag.getIntervalHistogram();
        return RigMain.state("measuring");
    }

    /** Ends the schedule and waits until all is acknowledged. */
    private Usage stop() throws InterruptedException
    {
        final Usage usage = new Usage();
        meters.end(usage);
        Meters.forgetThread(usage);
        usage.records = sent - sentAtStart;
        usage.bytes = usage.records * valueLength;
        usage.latency = Usage.encode(lag.getIntervalHistogram());
        running = false;
        thread.join();
        producer.flush();
        checkAlive();
        producer.close();
        return usage;
    }

    private void checkAlive()
    {
        if (failure.get() != null)
        {
            throw new IllegalStateException("The producer cannot send: " + failure, failure.get());
        }
    }
}
