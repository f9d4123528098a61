// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.types.LongValue;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Polls a reader as the task of Flink does, without Flink, and a broker in this JVM. */
class PartitionReaderIT
{
    private static final int RECORDS = 500_000;
    private static final int VALUE_LENGTH = 23;

    private static EmbeddedBroker broker;

    private final CountingOutput output = new CountingOutput();
    private final RecordedMetrics metrics = new RecordedMetrics();

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start();
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    private PartitionReader<LongValue> reader(final String topic, final long endOffset) throws Exception
    {
        return reader(topic, 0, endOffset);
    }

    private PartitionReader<LongValue> reader(final String topic, final long nextOffset, final long endOffset)
        throws Exception
    {
        final OdradekSourceBuilder<LongValue> builder = OdradekSource.<LongValue>builder()
            .bootstrapServers(broker.bootstrapServers())
            .topic(topic)
            .property("fetch.max.bytes", "1048576")
            .groupId("group-of-" + topic)
            .deserializer(new LongDeserializer());
        if (endOffset != PartitionSplit.NO_END)
        {
            builder.bounded(SourceOffsets.latest());
        }
        final PartitionReader<LongValue> reader =
            PartitionReader.open(builder.build(), new ReaderContext(metrics.group()));
        reader.addSplits(List.of(new PartitionSplit(topic, 0, nextOffset, endOffset)));
        return reader;
    }

    /**
     * The polls that emit are measured. Those that find nothing create a future for Flink. No fetch of this class asks
     * for more than 1 MiB, because a buffer that grows allocates.
     */
    @Test
    @Tag("slow")
    void shouldAllocateNothingWhileThereAreRecords() throws Exception
    {
        broker.createTopic("allocation", 1, Map.of("retention.ms", "-1"));
        broker.produce("allocation", 0, RECORDS, (i) -> new byte[VALUE_LENGTH]);
        final AllocationMeter meter = new AllocationMeter();
        long bytes = 0;
        try (PartitionReader<LongValue> reader = reader("allocation", PartitionSplit.NO_END))
        {
            while (output.count < RECORDS)
            {
                meter.start();
                final InputStatus status = reader.pollNext(output);
                meter.stop();
                if (status == InputStatus.MORE_AVAILABLE && output.count > RECORDS / 2)
                {
                    bytes += meter.allocatedBytes();
                }
                else
                {
                    reader.isAvailable().get(1, TimeUnit.MINUTES);
                }
            }
        }
        assertEquals(0, bytes);
    }

    /** With nothing to read, a reader is woken for the answers of the broker, which holds a fetch for 500 ms. */
    @Test
    @Tag("slow")
    void shouldNotTickWhileIdle() throws Exception
    {
        broker.createTopic("idle", 1);
        try (PartitionReader<LongValue> reader = reader("idle", PartitionSplit.NO_END))
        {
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
            int polls = 0;
            while (deadlineNs - System.nanoTime() > 0)
            {
                assertEquals(InputStatus.NOTHING_AVAILABLE, reader.pollNext(output));
                reader.isAvailable().get(1, TimeUnit.MINUTES);
                polls++;
            }
            // Connecting and the first metadata take about 15.
            assertTrue(polls < 60, polls + " polls");
        }
    }

    @Test
    void shouldEndABoundedSplitInTheMiddleOfALog() throws Exception
    {
        broker.createTopic("bounded", 1);
        broker.produce("bounded", 0, 1_000, (i) -> new byte[VALUE_LENGTH]);
        try (PartitionReader<LongValue> reader = reader("bounded", 700))
        {
            reader.notifyNoMoreSplits();
            InputStatus status = reader.pollNext(output);
            while (status != InputStatus.END_OF_INPUT)
            {
                reader.isAvailable().get(1, TimeUnit.MINUTES);
                status = reader.pollNext(output);
            }
            assertEquals(700, output.count);
            assertEquals(699L, metrics.value("KafkaSourceReader.topic.bounded.partition.0.currentOffset"));
            assertTrue(reader.snapshotState(1).isEmpty(), "a split that has been read is no state");
            assertFalse(reader.isAvailable().isDone(), "a HybridSource would ask again and again");
        }
    }

    /** For example from the committed offsets to the records of an earlier day. */
    @Test
    void shouldNotCommitALowerOffsetIfASplitBeginsAfterItsEnd() throws Exception
    {
        broker.createTopic("backwards", 1);
        broker.produce("backwards", 0, 100, (i) -> new byte[VALUE_LENGTH]);
        try (PartitionReader<LongValue> reader = reader("backwards", 70, 50))
        {
            reader.notifyNoMoreSplits();
            while (reader.pollNext(output) != InputStatus.END_OF_INPUT)
            {
                reader.isAvailable().get(1, TimeUnit.MINUTES);
            }
            assertEquals(69L, metrics.value("KafkaSourceReader.topic.backwards.partition.0.currentOffset"));
            final AtomicLong checkpoint = new AtomicLong();
            Await.until("the commit", () ->
            {
                reader.snapshotState(checkpoint.incrementAndGet());
                reader.notifyCheckpointComplete(checkpoint.get());
                return committed("backwards") >= 0;
            });
        }
        assertEquals(0, output.count);
        assertEquals(70, committed("backwards"));
    }

    /** A barrier waits for the end of a poll, so slow operators must not see all records that have arrived. */
    @Test
    void shouldEndAPollSoonIfOperatorsAreSlow() throws Exception
    {
        broker.createTopic("slow", 1);
        broker.produce("slow", 0, 1_000, (i) -> new byte[VALUE_LENGTH]);
        output.delayNs = TimeUnit.MICROSECONDS.toNanos(50);
        long most = 0;
        try (PartitionReader<LongValue> reader = reader("slow", PartitionSplit.NO_END))
        {
            while (output.count < 1_000)
            {
                final long before = output.count;
                reader.pollNext(output);
                most = Math.max(most, output.count - before);
                reader.isAvailable().get(1, TimeUnit.MINUTES);
            }
        }
        assertEquals(64, most);
    }

    @Test
    void shouldReportMetricsInFlinksGroups() throws Exception
    {
        broker.createTopic("reported", 1);
        broker.produce("reported", 0, 1_000, (i) -> new byte[VALUE_LENGTH]);
        try (PartitionReader<LongValue> reader = reader("reported", PartitionSplit.NO_END))
        {
            // When a poll finds nothing after the last record, everything has been reported.
            while (reader.pollNext(output) == InputStatus.MORE_AVAILABLE || output.count < 1_000)
            {
                reader.isAvailable().get(1, TimeUnit.MINUTES);
            }
            assertEquals(1_000, metrics.count("getNumRecordsInCounter"));
            assertEquals(1_000 * VALUE_LENGTH, metrics.count("getNumBytesInCounter"));
            assertEquals(0L, metrics.value("pendingRecords"));
            assertEquals(999L, metrics.value("KafkaSourceReader.topic.reported.partition.0.currentOffset"));
            assertEquals(-1L, metrics.value("KafkaSourceReader.topic.reported.partition.0.committedOffset"));
            assertEquals(0L, metrics.value("KafkaSourceReader.topic.reported.partition.0.recordsLag"));
            assertEquals(0L, metrics.value("KafkaSourceReader.commitsSucceeded"));
            assertEquals(1_000L, metrics.value("KafkaSourceReader.OdradekConsumer.records"));
            assertEquals(0L, metrics.value("KafkaSourceReader.OdradekConsumer.connectionsLost"));
        }
    }

    /** Flink does not poll a reader that is ahead of the other sources of its alignment group. */
    @Test
    void shouldCommitAtACheckpointWhileItIsNotPolled() throws Exception
    {
        broker.createTopic("aligned", 1);
        broker.produce("aligned", 0, 10, (i) -> new byte[VALUE_LENGTH]);
        try (PartitionReader<LongValue> reader = reader("aligned", PartitionSplit.NO_END))
        {
            Await.until("the records", () -> poll(reader) && output.count == 10);
            reader.snapshotState(1);
            reader.notifyCheckpointComplete(1);
            Await.until("the first commit", () -> poll(reader) &&
                metrics.value("KafkaSourceReader.commitsSucceeded").equals(1L));
            broker.produce("aligned", 0, 5, (i) -> new byte[VALUE_LENGTH]);
            Await.until("more records", () -> poll(reader) && output.count == 15);
            reader.snapshotState(2);
            reader.notifyCheckpointComplete(2);

            Await.until("the commit", () -> committed("aligned") == 15);
        }
    }

    /** Returns true. */
    private boolean poll(final PartitionReader<LongValue> reader)
    {
        try
        {
            reader.pollNext(output);
            return true;
        }
        catch (final Exception ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static long committed(final String topic)
    {
        try
        {
            final OffsetAndMetadata committed = broker.admin().listConsumerGroupOffsets("group-of-" + topic)
                .partitionsToOffsetAndMetadata().get().get(new TopicPartition(topic, 0));
            return committed == null ? -1 : committed.offset();
        }
        catch (final InterruptedException | ExecutionException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** An offset that has not changed is committed again, so that it does not expire. */
    // Behaviour M153.
    @Test
    void shouldCommitAtEachCheckpoint() throws Exception
    {
        broker.createTopic("committed", 1);
        broker.produce("committed", 0, 10, (i) -> new byte[VALUE_LENGTH]);
        try (PartitionReader<LongValue> reader = reader("committed", PartitionSplit.NO_END))
        {
            while (output.count < 10)
            {
                reader.pollNext(output);
            }
            for (long checkpoint = 1; checkpoint <= 3; checkpoint++)
            {
                reader.snapshotState(checkpoint);
                reader.notifyCheckpointComplete(checkpoint);
                while (!metrics.value("KafkaSourceReader.commitsSucceeded").equals(checkpoint))
                {
                    reader.pollNext(output);
                }
            }
        }
    }

    @Test
    void shouldCloseItsConsumerIfItCannotBeCreated(@TempDir final Path folder) throws Exception
    {
        final Path counters = folder.resolve("counters");
        final OdradekSource<LongValue> source = OdradekSource.<LongValue>builder()
            .bootstrapServers(broker.bootstrapServers())
            .topic("created")
            .deserializer(new LongDeserializer())
            .consumer((context) -> context.countersFile(counters))
            .build();

        // There is no metric group, which the reader learns after its consumer has connected.
        assertThrows(NullPointerException.class, () -> PartitionReader.open(source, new ReaderContext(null)));

        // The next attempt of the same task is refused while a consumer has the file.
        PartitionReader.open(source, new ReaderContext(metrics.group())).close();
    }

    /** Counts elements. */
    private static final class CountingOutput implements ReaderOutput<LongValue>
    {
        private long count;
        private long delayNs;

        @Override
        public void collect(final LongValue element)
        {
            count++;
            final long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < delayNs)
            {
                Thread.onSpinWait();
            }
        }

        @Override
        public void collect(final LongValue element, final long timestamp)
        {
            collect(element);
        }

        @Override
        public void emitWatermark(final Watermark watermark)
        {
        }

        @Override
        public void markIdle()
        {
        }

        @Override
        public void markActive()
        {
        }

        @Override
        public SourceOutput<LongValue> createOutputForSplit(final String splitId)
        {
            return this;
        }

        @Override
        public void releaseOutputForSplit(final String splitId)
        {
        }
    }

    /** What a reader needs of its task. */
    private record ReaderContext(SourceReaderMetricGroup metricGroup) implements SourceReaderContext
    {

        @Override
        public Configuration getConfiguration()
        {
            return new Configuration();
        }

        @Override
        public String getLocalHostName()
        {
            return "localhost";
        }

        @Override
        public int getIndexOfSubtask()
        {
            return 0;
        }

        @Override
        public void sendSplitRequest()
        {
        }

        @Override
        public void sendSourceEventToCoordinator(final SourceEvent sourceEvent)
        {
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader()
        {
            return SimpleUserCodeClassLoader.create(getClass().getClassLoader());
        }
    }
}
