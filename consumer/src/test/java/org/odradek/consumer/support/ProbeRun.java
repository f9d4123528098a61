// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.odradek.affinity.ThreadPinning;
import org.odradek.client.CountersFileReader;
import org.odradek.client.TransportType;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.testkit.Await;
import org.odradek.testkit.Brokers;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.testkit.internal.JavaProcessBuilder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs an {@link AllocationProbe} in a JVM of its own, which must print no warning, and prints its output here too.
 */
public final class ProbeRun
{
    /** The note that a mechanism sends its secret as it is. */
    private static final String SENT_AS_TEXT = "security.protocol is SASL_PLAINTEXT: ";
    private static final long TIMEOUT_SECONDS = 400;
    private static final long TIMEOUT_MS = 1_000 * TIMEOUT_SECONDS;

    private final String title;
    private final JavaProcessBuilder builder;
    private final List<String> stdout = Collections.synchronizedList(new ArrayList<>());
    private List<String> figures = stdout;
    private final List<String> stderr = Collections.synchronizedList(new ArrayList<>());
    private int exitCode;
    private int core = -1;
    private Path countersFile;

    /**
     * @param title     to print before each line.
     * @param brokers   that hold the topic.
     * @param topic     that was {@link #fill filled}.
     * @param transport to use.
     */
    public ProbeRun(final String title, final Brokers brokers, final String topic, final TransportType transport)
    {
        this(title, brokers, topic, transport, AllocationProbe.class);
    }

    private ProbeRun(
        final String title,
        final Brokers brokers,
        final String topic,
        final TransportType transport,
        final Class<?> probe)
    {
        this.title = title + ", " + transport;
        builder = JavaProcess.of(probe).onStdout(stdout::add).onStderr(stderr::add)
            .flags("-ea:org.odradek...", "-Xms64m", "-Xmx64m", "-XX:MaxDirectMemorySize=64m");
        set("bootstrap", brokers.bootstrapServers());
        set("topic", topic);
        set("transport", transport.name());
    }

    /**
     * Reads partitions of one broker that lag, each over a connection of its own.
     *
     * @param topic that was {@link #fillInSmallBatches filled}, with as many partitions as connections.
     */
    public static ProbeRun ofConnections(
        final String title,
        final Brokers brokers,
        final String topic,
        final TransportType transport,
        final int connections,
        final long recordsPerPartition)
    {
        return new ProbeRun(title, brokers, topic, transport, LaggingProbe.class).strict().set("leaders", 1)
            .set("partitions", connections).set("connections", connections)
            .set("recordsPerPartition", recordsPerPartition);
    }

    /**
     * Reads with TLS, by BoringSSL, or SASL, or both.
     *
     * @param bootstrapServers of a listener.
     * @param clientProperties file of Kafka's properties for it.
     */
    public ProbeRun secured(final String bootstrapServers, final Path clientProperties)
    {
        return set("bootstrap", bootstrapServers).set("clientProperties", clientProperties);
    }

    /**
     * Compiles with C1 only, and must allocate nothing in the first window.
     */
    public ProbeRun strict()
    {
        return set("windows", 1).flags("-XX:TieredStopAtLevel=1");
    }

    /** Runs as at a user, without our asserts. */
    public ProbeRun withoutAsserts()
    {
        return flags("-da:org.odradek...");
    }

    /**
     * Runs without a collector: the JVM ends when its heap is full.
     */
    public ProbeRun withoutCollector()
    {
        return flags("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-XX:+AlwaysPreTouch",
            "-XX:+ExitOnOutOfMemoryError");
    }

    /**
     * Creates a topic and fills each partition with values whose first longs count from 0.
     */
    public static void fill(
        final Brokers brokers, final String topic, final int partitions, final long recordsPerPartition)
    {
        brokers.createTopic(topic, partitions);
        for (int partition = 0; partition < partitions; partition++)
        {
            brokers.produce(topic, partition, recordsPerPartition, ProbeRun::value);
        }
    }

    /**
     * Creates a topic and fills each partition as {@link #fill} does, in batches that are not larger than a fetch of
     * {@link LaggingProbe}: a partition lags after several responses that do not reach the end of its log.
     */
    public static void fillInSmallBatches(
        final Brokers brokers, final String topic, final int partitions, final long recordsPerPartition)
    {
        brokers.createTopic(topic, partitions);
        final List<Future<RecordMetadata>> sent = new ArrayList<>();
        try (Producer<byte[], byte[]> producer = brokers.client().producer(Map.of(
            ProducerConfig.BATCH_SIZE_CONFIG, LaggingProbe.FETCH_MAX_BYTES, ProducerConfig.LINGER_MS_CONFIG, 20)))
        {
            for (long number = 0; number < recordsPerPartition; number++)
            {
                for (int partition = 0; partition < partitions; partition++)
                {
                    sent.add(producer.send(new ProducerRecord<>(topic, partition, null, value(number))));
                }
            }
        }
        sent.forEach(ProbeRun::requireSent);
    }

    private static void requireSent(final Future<RecordMetadata> sent)
    {
        try
        {
            sent.get();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException("A record was not written.", ex);
        }
    }

    public static byte[] value(final long number)
    {
        final byte[] value = new byte[ReadingLoop.VALUE_LENGTH];
        final UnsafeBuffer buffer = new UnsafeBuffer(value);
        buffer.putLong(8, -number);
        buffer.putLong(value.length - Long.BYTES, 3 * number);
        buffer.putLong(0, number);
        return value;
    }

    public ProbeRun set(final String name, final Object value)
    {
        builder.flags("-D" + AllocationProbe.PREFIX + name + "=" + value);
        return this;
    }

    public ProbeRun flags(final String... flags)
    {
        builder.flags(flags);
        return this;
    }

    /**
     * Makes the probe keep counters, distinct errors and histograms, which this JVM reads while it runs. The probe
     * warms up once this JVM has seen its counters rise.
     *
     * @param folder for the counters file, and for the file that reports that the counters were seen.
     */
    public ProbeRun watch(final Path folder)
    {
        countersFile = folder.resolve(title + ".counters");
        return set("countersFile", countersFile).set("watched", countersFile + ".watched");
    }

    /**
     * Pins the thread of the probe to a core; if the kernel or the container forbids that, prints why and runs on any.
     */
    public ProbeRun pin()
    {
        try (ThreadPinning pinning = ThreadPinning.pin(ThreadPinning.allowedCores().nextCore(0)))
        {
            core = pinning.core();
            return set("core", core);
        }
        catch (final IllegalStateException ex)
        {
            System.out.println(title + ": not pinned: " + ex.getMessage());
            return this;
        }
    }

    private void watch(final JavaProcess process)
    {
        Await.until("a counters file", TIMEOUT_MS, () -> !process.isAlive() || Files.exists(countersFile));
        final CountersFileReader reader = CountersFileReader.open(countersFile);
        final long records = reader.total(ConsumerCounters.RECORDS);
        Await.until("more than " + records + " records", TIMEOUT_MS,
            () -> !process.isAlive() || reader.total(ConsumerCounters.RECORDS) > records);
        assertEquals(process.pid(), reader.pid());
        assertTrue(reader.lastPollMs() >= reader.startMs());
        try
        {
            Files.createFile(Path.of(countersFile + ".watched"));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        final long[] seen = {0};
        Await.until("its end", TIMEOUT_MS, () ->
        {
            final long now = reader.total(ConsumerCounters.RECORDS);
            assertTrue(now >= seen[0], () -> now + " records after " + seen[0]);
            seen[0] = now;
            assertTrue(reader.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID).length > 0);
            return !process.isAlive() || reader.endMs() != 0;
        });
        assertTrue(reader.endMs() != 0, process::outputTail);
    }

    /**
     * Returns the counters of a watched probe after its end.
     */
    public CountersFileReader counters()
    {
        return CountersFileReader.open(countersFile);
    }

    public ProbeRun run()
    {
        try (JavaProcess process = builder.start())
        {
            if (countersFile != null)
            {
                watch(process);
            }
            exitCode = process.exitCode(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        }
        stdout.forEach((line) -> System.out.println(title + ": " + line));
        assertEquals(List.of(), stderr.stream().filter((line) -> !line.contains(SENT_AS_TEXT)).toList(),
            "what it wrote to standard error");
        return this;
    }

    /** Makes the figures those of one of several isolation levels. */
    public ProbeRun at(final IsolationLevel level)
    {
        figures = stdout.stream().dropWhile((line) -> !line.equals(AllocationProbe.LEVEL + level)).skip(1)
            .takeWhile((line) -> !line.startsWith(AllocationProbe.LEVEL)).toList();
        return this;
    }

    public int exitCode()
    {
        return exitCode;
    }

    /**
     * Returns a figure of the last window.
     */
    public long figure(final String name)
    {
        final String window = figures.stream().filter((line) -> line.startsWith("window="))
            .reduce((first, second) -> second).orElseThrow();
        final Matcher matcher = Pattern.compile("\\b" + name + "=(-?\\d+)").matcher(window);
        assertTrue(matcher.find(), () -> name + " is not in " + window);
        return Long.parseLong(matcher.group(1));
    }

    /**
     * Asserts that nothing was allocated and that all of this was done.
     */
    public void assertAllocatedNothing(final long records, final long emptyPolls, final long emptyFetches)
    {
        assertEquals(0, figure("bytes"));
        assertEquals(0, exitCode);
        assertTrue(figure("records") >= records);
        assertTrue(figure("emptyPolls") >= emptyPolls);
        assertTrue(figure("emptyFetches") >= emptyFetches);
        assertEquals(AllocationProbe.REFRESHES, figure("metadataRefreshes"));
        assertTrue(core < 0 || stdout.contains("pinned: allowed on core " + core), () -> "it left core " + core);
    }
}
