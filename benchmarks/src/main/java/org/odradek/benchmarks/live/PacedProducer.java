// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.odradek.benchmarks.arm.ProcessCpu;
import org.odradek.benchmarks.arm.TimerSlack;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The stock producer on a schedule. A value begins with the time at which it was to be sent; if there is room, the
 * number of the record follows, and both mixed end it. How late the schedule is kept is recorded: a client's latency
 * holds it, and it is the same for all clients.
 */
final class PacedProducer implements Runnable, Callback, AutoCloseable
{
    /** A stall is to be seen in the figures, not to end the run. */
    private static final int MAX_BLOCK_MS = 300_000;

    private final ProducerSettings settings;
    private final KafkaProducer<byte[], byte[]> producer;
    private final SingleWriterRecorder lag =
        new SingleWriterRecorder(ValueSink.LEAST_NS, ValueSink.MOST_NS, ValueSink.DIGITS);
    private final LongAdder acknowledged = new LongAdder();
    private final Thread thread = new Thread(this, "paced-producer");
    // Volatile: written by one of the threads and read by another.
    private volatile boolean running = true;
    private volatile long sent;
    private volatile Exception failure;

    private long sentAtStart;
    private long cpuNsAtStart;
    private long startNs;

    PacedProducer(final ProducerSettings settings)
    {
        this.settings = settings;
        final Map<String, Object> properties = Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrap(),
            ProducerConfig.LINGER_MS_CONFIG, settings.lingerMs(),
            ProducerConfig.ACKS_CONFIG, settings.acks(),
            ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS,
            // A retry must not change the order, and an idempotent producer is possible only with acks=all.
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, settings.acks().equals("all"));
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Returns when the producer knows the topic and the schedule has begun.
     */
    void start()
    {
        producer.partitionsFor(settings.topic());
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run()
    {
        try
        {
            TimerSlack.least();
            send(new Schedule(System.nanoTime(), settings.recordsPerSecond()));
        }
        catch (final Exception ex)
        {
            failure = ex;
        }
    }

    private void send(final Schedule schedule)
    {
        final int[] partitions = settings.partitions();
        for (long sequence = 0; running; sequence++)
        {
            final long dueNs = schedule.dueNs(sequence);
            Schedule.await(dueNs);
            lag.recordValue(Math.min(ValueSink.MOST_NS, System.nanoTime() - dueNs));
            final int partition = partitions[(int) (sequence % partitions.length)];
            producer.send(new ProducerRecord<>(settings.topic(), partition, null,
                value(settings.valueLength(), dueNs, sequence)), this);
            sent = sequence + 1;
        }
    }

    static byte[] value(final int length, final long dueNs, final long sequence)
    {
        final ByteBuffer value = ByteBuffer.allocate(length);
        value.putLong(length - Long.BYTES, sequence ^ dueNs);
        if (length >= 2 * Long.BYTES)
        {
            value.putLong(Long.BYTES, sequence);
        }
        value.putLong(0, dueNs);
        return value.array();
    }

    @Override
    public void onCompletion(final RecordMetadata metadata, final Exception exception)
    {
        if (exception == null)
        {
            acknowledged.increment();
        }
        else
        {
            failure = exception;
        }
    }

    /**
     * Lets the counts begin anew.
     */
    void measure()
    {
        checkAlive();
        sentAtStart = sent;
        startNs = System.nanoTime();
        cpuNsAtStart = ProcessCpu.ownNs();
        lag.getIntervalHistogram();
    }

    /**
     * Ends the schedule and waits until all is acknowledged.
     */
    ProducerUsage stop() throws InterruptedException
    {
        final long wallNs = System.nanoTime() - startNs;
        final long cpuNs = ProcessCpu.ownNs() - cpuNsAtStart;
        final long sentSince = sent - sentAtStart;
        final Histogram lags = lag.getIntervalHistogram();
        running = false;
        thread.join();
        producer.flush();
        checkAlive();
        return new ProducerUsage(sentSince, sent - acknowledged.sum(), wallNs, cpuNs, lags.getMaxValue(),
            Latencies.encode(lags));
    }

    private void checkAlive()
    {
        if (failure != null)
        {
            throw new IllegalStateException("The producer cannot send: " + failure, failure);
        }
    }

    @Override
    public void close()
    {
        producer.close();
    }
}
