// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Acknowledgements;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.GroupTopic;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests members that pass records to a thread which acknowledges them late, without a revocation handler: each record
 * is processed once, as no member is killed, and no offset is committed before the records before it are processed.
 */
class AcknowledgementsIT extends GroupTopic
{
    private static final int PARTITIONS = 4;
    private static final int ROUNDS = 5;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** Ends the thread of a member. */
    private static final Passed LAST = new Passed(-1, 0, 0);

    /** A record that was passed on. */
    private record Passed(int partition, int epoch, long offset)
    {
    }

    private final Set<String> processed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger();
    private final List<String> errors = new ArrayList<>();

    /** A member, and the thread that processes what its handler passes on. */
    private final class Ingest implements RecordHandler, ConsumerListener, AutoCloseable
    {
        private final BlockingQueue<Passed> queue = new LinkedBlockingQueue<>();
        private final Thread sink = new Thread(this::process, "sink");
        private final List<Integer> revoked = new ArrayList<>();
        private final TopicConsumer consumer;
        private final Acknowledgements acknowledgements;

        Ingest(final GroupProtocol protocol)
        {
            consumer = TopicConsumer.connect(context().listener(this)
                .errorHandler((error) -> errors.add(error.getMessage()))
                .group(new GroupSettings(group).protocol(protocol).heartbeatIntervalMs(100)
                    .fenceAfterMs(GroupReader.FENCE_MS).commitPolicy(CommitPolicy.acknowledged(20))));
            acknowledgements = consumer.group().acknowledgements();
            sink.start();
        }

        /** Processes several records before it acknowledges the first of them. */
        private void process()
        {
            final List<Passed> batch = new ArrayList<>();
            try
            {
                do
                {
                    batch.clear();
                    batch.add(queue.take());
                    TimeUnit.MILLISECONDS.sleep(2);
                    queue.drainTo(batch, 10);
                    batch.stream().filter((record) -> record != LAST).forEach((record) ->
                    {
                        processed.add(record.partition + " " + record.offset);
                        count.incrementAndGet();
                    });
                    batch.stream().filter((record) -> record != LAST).forEach((record) ->
                        acknowledgements.acknowledge(record.partition, record.epoch, record.offset + 1));
                }
                while (!batch.contains(LAST));
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onRecord(final Record record)
        {
            queue.add(new Passed(record.partition(), record.ownershipEpoch(), record.offset()));
        }

        @Override
        public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
        {
            revoked.add(partition);
            assertProcessed(partition, committedOffset);
        }

        private boolean ownsAll()
        {
            return IntStream.range(0, PARTITIONS).allMatch(consumer.group()::isOwned);
        }

        void poll()
        {
            consumer.poll(this, 7, POLL_NS);
            for (int p = 0; p < PARTITIONS; p++)
            {
                assertProcessed(p, consumer.group().committedOffset(p));
            }
        }

        @Override
        public void close()
        {
            consumer.close();
            queue.add(LAST);
        }
    }

    AcknowledgementsIT()
    {
        super(PARTITIONS);
    }

    private void assertProcessed(final int partition, final long committedOffset)
    {
        for (long offset = 0; offset < committedOffset; offset++)
        {
            assertTrue(processed.contains(partition + " " + offset),
                "offset " + offset + " of partition " + partition + " before " + committedOffset);
        }
    }

    // Behaviour O201.
    @ParameterizedTest
    @EnumSource(names = {"CONSUMER", "CLASSIC"})
    void shouldCommitOnlyWhatIsAcknowledgedWhilePartitionsMove(final GroupProtocol protocol) throws Exception
    {
        int expected = PARTITIONS * RECORDS;
        try (Ingest first = new Ingest(protocol))
        {
            until("the first records", List.of(first), () -> count.get() > 0);
            for (int round = 0; round < ROUNDS; round++)
            {
                // Otherwise the second could join before those of the last round have come back, and take just them.
                until("all partitions", List.of(first), first::ownsAll);
                final int revoked = first.revoked.size();
                try (Ingest second = new Ingest(protocol))
                {
                    until("a move", List.of(first, second), () -> first.revoked.size() > revoked);
                    write();
                    expected += PARTITIONS * RECORDS;
                    until("records of both", List.of(first, second), () -> second.queue.size() > 0 ||
                        second.consumer.counters().records() > 0);
                }
            }
            final int all = expected;
            until("all records", List.of(first), () -> count.get() >= all);
        }

        assertEquals(expected, processed.size());
        assertEquals(expected, count.get());
        assertEquals(List.of(), errors);
        for (int p = 0; p < PARTITIONS; p++)
        {
            assertEquals(expected / PARTITIONS, broker.client().admin().listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata().get().get(new TopicPartition(topic, p)).offset());
        }
    }

    private void until(final String what, final Collection<Ingest> ingests, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> "timed out: " + what + ", " + count + " records, " +
                "errors " + errors);
            ingests.forEach(Ingest::poll);
        }
    }
}
