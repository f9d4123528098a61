// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.types.LongValue;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.Brokers;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.testkit.SecureListener;

import java.io.File;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs jobs on a cluster of Flink and a broker in this JVM, and counts what they read. */
class OdradekSourceIT
{
    private static final int RECORDS = 20_000;
    private static final int VALUE_LENGTH = 23;
    /** {@link FlinkJobs#await} counts about every 5 ms, also after the process was stopped. */
    private static final int PAUSE_COUNTS = 200;
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private static EmbeddedBroker broker;
    private static FlinkJobs jobs;

    @BeforeAll
    static void start() throws Exception
    {
        broker = EmbeddedBroker.start(new BrokerSettings().secured());
        jobs = new FlinkJobs();
    }

    @AfterAll
    static void stop()
    {
        jobs.close();
        broker.close();
    }

    @BeforeEach
    void reset()
    {
        Tally.reset();
    }

    @AfterEach
    void cancel() throws Exception
    {
        jobs.cancelAll();
    }

    private static String newTopic(final Brokers brokers, final int partitions)
    {
        final String topic = "topic-" + TOPICS.incrementAndGet();
        brokers.createTopic(topic, partitions, Map.of("retention.ms", "-1"));
        return topic;
    }

    /** Appends records that hold their partition and their number. */
    private static void append(
        final Brokers brokers, final String topic, final int partitions, final long from, final long to)
    {
        for (int p = 0; p < partitions; p++)
        {
            final int partition = p;
            brokers.produce(topic, p, to - from, (i) -> value(partition, from + i));
        }
    }

    private static byte[] value(final int partition, final long number)
    {
        return ByteBuffer.allocate(VALUE_LENGTH)
            .putLong(0, (long)partition << Tally.PARTITION_SHIFT | number).array();
    }

    private static OdradekSourceBuilder<LongValue> source(final Brokers brokers, final String topic)
    {
        return OdradekSource.<LongValue>builder()
            .bootstrapServers(brokers.bootstrapServers())
            .topic(topic)
            .property("fetch.max.wait.ms", "50")
            .deserializer(new LongDeserializer());
    }

    /** Each partition's records, numbered from 0, were counted once each. */
    private static void assertEachOnce(final int partitions, final long recordsPerPartition)
    {
        for (int p = 0; p < partitions; p++)
        {
            assertEquals(recordsPerPartition, Tally.count(p), "records of partition " + p);
            assertEquals(recordsPerPartition * (recordsPerPartition - 1) / 2, Tally.sumOfNumbers(p),
                "sum of the numbers in partition " + p);
        }
    }

    @Test
    void shouldReadABoundedTopicAndEnd() throws Exception
    {
        final String topic = newTopic(broker, 3);
        append(broker, topic, 3, 0, RECORDS);

        jobs.awaitEnd(jobs.start(source(broker, topic).bounded(SourceOffsets.latest()).build(), 2));

        assertEachOnce(3, RECORDS);
    }

    @Test
    @Tag("slow")
    void shouldReadAnEmptyBoundedTopicAndEnd() throws Exception
    {
        jobs.awaitEnd(jobs.start(
            source(broker, newTopic(broker, 1)).bounded(SourceOffsets.latest()).build(), 2));

        assertEquals(0, Tally.count());
    }

    @Test
    @Tag("slow")
    void shouldCountOnceWithFailuresAfterCheckpoints() throws Exception
    {
        final String topic = newTopic(broker, 4);
        append(broker, topic, 4, 0, 4 * RECORDS);
        Tally.failAfterCheckpoints(4);
        Tally.slow(true);
        final Map<String, String> settings = FlinkJobs.settings();
        settings.put("restart-strategy.type", "fixed-delay");
        settings.put("restart-strategy.fixed-delay.attempts", "20");
        settings.put("restart-strategy.fixed-delay.delay", "10ms");

        final JobID job = jobs.start(source(broker, topic).bounded(SourceOffsets.latest()).build(),
            WatermarkStrategy.noWatermarks(), 2, settings, null);
        jobs.await(job, "4 failures", () -> Tally.failures() >= 4);
        Tally.slow(false);
        jobs.awaitEnd(job);

        assertEachOnce(4, 4 * RECORDS);
        assertTrue(Tally.failures() >= 4);
    }

    @Test
    @Tag("slow")
    void shouldRescaleFromSavepoints(@TempDir final Path folder) throws Exception
    {
        final String topic = newTopic(broker, 4);
        final OdradekSource<LongValue> source = source(broker, topic).build();
        append(broker, topic, 4, 0, RECORDS);
        final JobID two = jobs.start(source, 2);
        jobs.awaitCount(two, 4);
        final String first = jobs.stop(two, folder);

        append(broker, topic, 4, RECORDS, 2 * RECORDS);
        Tally.clear();
        final JobID four = jobs.start(source, WatermarkStrategy.noWatermarks(), 4, FlinkJobs.settings(), first);
        jobs.awaitCount(four, 4 * RECORDS + 4);
        final String second = jobs.stop(four, folder);

        append(broker, topic, 4, 2 * RECORDS, 3 * RECORDS);
        Tally.clear();
        final JobID one = jobs.start(source, WatermarkStrategy.noWatermarks(), 1, FlinkJobs.settings(), second);
        jobs.awaitCount(one, 12 * RECORDS);
        jobs.stop(one, folder);

        assertEachOnce(4, 3 * RECORDS);
    }

    @Test
    @Tag("slow")
    void shouldReadPartitionsThatAreAdded(@TempDir final Path folder) throws Exception
    {
        final String topic = newTopic(broker, 2);
        append(broker, topic, 2, 0, RECORDS);
        final OdradekSource<LongValue> source = source(broker, topic)
            .startingOffsets(SourceOffsets.latest()).partitionDiscoveryInterval(Duration.ofMillis(200)).build();
        final JobID running = jobs.start(source, 2);
        jobs.await(running, "both readers", () -> Tally.starts() == 2);
        addPartition(topic, 2);
        jobs.await(running, "partition 2", () -> Tally.count(2) >= RECORDS);
        final String savepoint = jobs.stop(running, folder);

        // It has records when it is found.
        addPartition(topic, 3);
        Tally.clear();
        final JobID restored =
            jobs.start(source, WatermarkStrategy.noWatermarks(), 2, FlinkJobs.settings(), savepoint);
        jobs.await(restored, "partition 3", () -> Tally.count(3) >= RECORDS);
        jobs.cancel(restored);

        assertEquals(2 * RECORDS, Tally.count(), "the first partitions began at their end");
        assertEquals((long)RECORDS * (RECORDS - 1) / 2, Tally.sumOfNumbers(2));
        assertEquals((long)RECORDS * (RECORDS - 1) / 2, Tally.sumOfNumbers(3));
    }

    private static void addPartition(final String topic, final int partition)
    {
        broker.client().addPartitions(topic, partition + 1);
        broker.produce(topic, partition, RECORDS, (i) -> value(partition, i));
    }

    @Test
    @Tag("slow")
    void shouldCommitOnCheckpointsAndStartFromCommittedOffsets(@TempDir final Path folder) throws Exception
    {
        final String topic = newTopic(broker, 2);
        append(broker, topic, 2, 0, RECORDS);
        final OdradekSource<LongValue> source = source(broker, topic).groupId("group-" + topic)
            .startingOffsets(SourceOffsets.committed(SourceOffsets.earliest())).build();
        final JobID first = jobs.start(source, 2);
        jobs.awaitCount(first, 2 * RECORDS);
        jobs.stop(first, folder);

        // The stop waits only for a while until the coordinator has answered.
        Await.until("the commits", () -> committed(topic, 0) == RECORDS && committed(topic, 1) == RECORDS);

        append(broker, topic, 2, RECORDS, 2 * RECORDS);
        Tally.clear();
        final JobID second = jobs.start(source, 1);
        jobs.awaitCount(second, 2 * RECORDS);
        jobs.cancel(second);
        assertEquals(2 * RECORDS, Tally.count(), "without state, from the committed offsets on");
    }

    private static long committed(final String topic, final int partition)
    {
        try
        {
            final OffsetAndMetadata committed = broker.admin().listConsumerGroupOffsets("group-" + topic)
                .partitionsToOffsetAndMetadata().get().get(new TopicPartition(topic, partition));
            return committed == null ? -1 : committed.offset();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    @Tag("slow")
    void shouldHoldBackAPartitionThatIsAheadInTime() throws Exception
    {
        final String topic = newTopic(broker, 2);
        final long records = 300_000;
        try (Producer<byte[], byte[]> producer = broker.producer(20, "all"))
        {
            for (long i = 0; i < records; i++)
            {
                producer.send(new ProducerRecord<>(topic, 1, i, null, value(1, i)));
            }
            producer.send(new ProducerRecord<>(topic, 0, 1L, null, value(0, 0)));
        }
        Tally.slow(true);
        final JobID job = jobs.start(source(broker, topic).build(),
            WatermarkStrategy.<LongValue>forMonotonousTimestamps()
                .withWatermarkAlignment("group", Duration.ofMillis(1), Duration.ofMillis(5)),
            1, FlinkJobs.settings(), null);
        final long[] lastCount = {-1};
        final int[] equalCounts = {0};
        jobs.await(job, "a pause of partition 1, and the record of partition 0", () ->
        {
            final long count = Tally.count(1);
            equalCounts[0] = count == lastCount[0] ? equalCounts[0] + 1 : 0;
            lastCount[0] = count;
            return count > 0 && Tally.count(0) == 1 && equalCounts[0] >= PAUSE_COUNTS;
        });
        assertTrue(Tally.count(1) < records, "partition 1 waits, not at its end");

        try (Producer<byte[], byte[]> producer = broker.producer(0, "all"))
        {
            producer.send(new ProducerRecord<>(topic, 0, records, null, value(0, 1)));
        }
        Tally.slow(false);
        jobs.awaitCount(job, records + 2);
        jobs.cancel(job);
        assertEquals(records * (records - 1) / 2, Tally.sumOfNumbers(1), "each record once");
    }

    @Test
    @Tag("slow")
    void shouldFreeEverythingWhenCancelled() throws Exception
    {
        final String topic = newTopic(broker, 4);
        append(broker, topic, 4, 0, RECORDS);
        jobs.cancel(startAndRead(topic));
        Await.until("the end of the waiter", () -> !isWaiterAlive());
        final int files = openFiles();
        final long bytes = directBytes();

        for (int i = 0; i < 5; i++)
        {
            final JobID job = startAndRead(topic);
            assertTrue(isWaiterAlive(), "one thread waits for idle readers");
            jobs.cancel(job);
        }

        Await.until("the end of the waiter", () -> !isWaiterAlive());
        // A round that leaks would keep 4 files and 3 MB of its readers.
        Await.until("files as before", () -> openFiles() <= files + 8);
        Await.until("direct memory as before", () -> directBytes() <= bytes + 4 * 1024 * 1024);
    }

    private static JobID startAndRead(final String topic) throws Exception
    {
        Tally.reset();
        final JobID job = jobs.start(source(broker, topic).build(), 2);
        jobs.awaitCount(job, 4 * RECORDS);
        return job;
    }

    private static boolean isWaiterAlive()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .anyMatch((thread) -> thread.getName().equals(ReadinessWaiter.THREAD_NAME));
    }

    private static int openFiles()
    {
        final String[] names = new File("/proc/self/fd").list();
        return names == null ? 0 : names.length;
    }

    private static long directBytes()
    {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    @Test
    @Tag("slow")
    void shouldAllocateNothingPerRecord() throws Exception
    {
        final String topic = newTopic(broker, 1);
        final int records = 2_000_000;
        append(broker, topic, 1, 0, records);
        Tally.measure(records / 2, records - 1);
        final Map<String, String> settings = FlinkJobs.settings();
        settings.remove("execution.checkpointing.interval");
        settings.put("pipeline.auto-watermark-interval", "0");

        jobs.awaitEnd(jobs.start(source(broker, topic).bounded(SourceOffsets.latest()).build(),
            WatermarkStrategy.noWatermarks(), 1, settings, null));

        // Flink allocates about 2 KB each time the task sleeps. An object for each record would be 16 MB.
        assertTrue(Tally.allocatedBytes() >= 0 && Tally.allocatedBytes() < records / 4,
            () -> Tally.allocatedBytes() + " bytes for " + (records / 2 - 1) + " records");
    }

    @Test
    @Tag("slow")
    void shouldReadThroughTlsAndSasl() throws Exception
    {
        final String topic = newTopic(broker, 1);
        append(broker, topic, 1, 0, RECORDS);
        final OdradekSourceBuilder<LongValue> builder = source(broker, topic).bounded(SourceOffsets.latest());
        broker.security().clientProperties(SecureListener.SASL_SSL, "SCRAM-SHA-512").forEach(builder::property);
        builder.bootstrapServers(broker.bootstrapServers(SecureListener.SASL_SSL));

        jobs.awaitEnd(jobs.start(builder.build(), 1));

        assertEachOnce(1, RECORDS);
    }

    @Test
    @Tag("slow")
    void shouldFailTheTaskWhenARecordCannotBeRead() throws Exception
    {
        final String topic = newTopic(broker, 1);
        append(broker, topic, 1, 0, 5);
        broker.produce(topic, 0, 1, (i) -> new byte[3]);

        final JobID job = jobs.start(source(broker, topic).build(), 1);

        assertTrue(text(jobs.failure(job)).contains(
            "The record at offset 5 of partition 0 of topic " + topic + " cannot be deserialized"));
    }

    @Test
    @Tag("slow")
    void shouldFailTheTaskWhenAPartitionCannotBeRead() throws Exception
    {
        final String topic = newTopic(broker, 1);
        append(broker, topic, 1, 0, 5);

        final JobID job = jobs.start(source(broker, topic)
            .startingOffsets(SourceOffsets.of(Map.of(0, 1_000L), SourceOffsets.earliest())).build(), 1);

        final String text = text(jobs.failure(job));
        assertTrue(text.contains("Partition 0 of topic " + topic + " cannot be read from offset 1000 on"), text);
    }

    private static String text(final Throwable failure)
    {
        final StringBuilder text = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause())
        {
            text.append(cause.getMessage()).append('\n');
        }
        return text.toString();
    }

    @Test
    @Tag("slow")
    void shouldContinueWhenTheLeaderIsKilled() throws Exception
    {
        try (BrokerCluster cluster = BrokerCluster.start(3))
        {
            final String topic = newTopic(cluster, 2);
            append(cluster, topic, 2, 0, RECORDS);
            final JobID job = jobs.start(source(cluster, topic).build(), 2);
            jobs.awaitCount(job, 2 * RECORDS);

            final int leader = cluster.leaderOf(topic, 0);
            cluster.broker(leader).kill();
            cluster.awaitLeaderOtherThan(topic, 0, leader);
            cluster.awaitLeaderOtherThan(topic, 1, leader);
            append(cluster, topic, 2, RECORDS, 2 * RECORDS);
            jobs.awaitCount(job, 4 * RECORDS);
            jobs.cancel(job);

            assertEachOnce(2, 2 * RECORDS);
            assertEquals(2, Tally.starts(), "no task was restarted");
        }
    }
}
