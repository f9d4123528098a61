// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.GroupTopic;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the revocation handler of docs/consumer-groups.md on partitions that end with the markers of transactions, with
 * an aborted transaction, or have no record at all.
 */
class RevocationIT extends GroupTopic
{
    private static final int COMMITTED = 0;
    private static final int ABORTED = 1;
    private static final int EMPTY = 2;
    private static final int PARTITIONS = 4;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    /** A member that passes records to a sink, which acknowledges them late. */
    private final class Ingest implements RecordHandler, ConsumerListener, RevocationHandler, AutoCloseable
    {
        /** By partition, the offset of the last record that was delivered, and that the sink has acknowledged. */
        private final long[] delivered = new long[PARTITIONS];
        private final long[] acknowledged = new long[PARTITIONS];
        private final List<String> events = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();
        private final TopicConsumer consumer;
        private boolean isAcknowledging;
        private int count;
        private int asked;

        Ingest(final IsolationLevel level)
        {
            Arrays.fill(acknowledged, -1);
            consumer = TopicConsumer.connect(context().isolationLevel(level)
                .listener(this).errorHandler((error) -> errors.add(error.getMessage()))
                .group(new GroupSettings(group).fenceAfterMs(GroupReader.FENCE_MS)
                    .commitPolicy(CommitPolicy.explicit()).revocationHandler(this)));
        }

        @Override
        public void onRecord(final Record record)
        {
            delivered[record.partition()] = record.offset();
            count++;
        }

        @Override
        public void onPartitionAssigned(final int partition, final long nextOffset)
        {
            delivered[partition] = -1;
            events.add("assigned " + partition + " at " + nextOffset);
        }

        @Override
        public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
        {
            events.add("revoked " + partition + " at " + committedOffset);
        }

        @Override
        public boolean onRevoking(final int partition, final long nextOffset, final long remainingNs)
        {
            asked++;
            final boolean isDone = acknowledged[partition] >= delivered[partition];
            if (isDone)
            {
                consumer.group().commitAsync(partition, nextOffset);
            }
            return isDone;
        }

        /** The sink acknowledges one record after the other. */
        void poll()
        {
            for (int p = 0; isAcknowledging && p < PARTITIONS; p++)
            {
                acknowledged[p] = Math.min(acknowledged[p] + 1, delivered[p]);
            }
            consumer.poll(this, 1_000, POLL_NS);
        }

        @Override
        public void close()
        {
            consumer.close();
        }
    }

    RevocationIT()
    {
        super(2);
    }

    private void writeTransactions()
    {
        try (Producer<byte[], byte[]> producer = broker.client().producer(Map.of("transactional.id", topic)))
        {
            producer.initTransactions();
            for (final int partition : new int[] {COMMITTED, ABORTED})
            {
                producer.beginTransaction();
                for (int i = 0; i < 5; i++)
                {
                    producer.send(new ProducerRecord<>(topic, partition, null, new byte[10]));
                }
                producer.flush();
                if (partition == COMMITTED)
                {
                    producer.commitTransaction();
                }
                else
                {
                    producer.abortTransaction();
                }
            }
        }
    }

    // Behaviour O185.
    @ParameterizedTest
    @EnumSource
    void shouldGiveUpAtOnceWhatIsDoneAndCommitBeyondMarkers(final IsolationLevel level) throws Exception
    {
        writeTransactions();
        broker.client().addPartitions(topic, PARTITIONS);
        final long endOffset = RECORDS + 6;
        final int records = level == IsolationLevel.READ_COMMITTED ? 2 * RECORDS + 5 : 2 * RECORDS + 10;
        try (Ingest first = new Ingest(level); Ingest second = new Ingest(level))
        {
            until("all records", first, () -> first.count == records && first.events.size() == PARTITIONS &&
                first.consumer.nextOffset(COMMITTED) == endOffset && first.consumer.nextOffset(ABORTED) == endOffset);

            first.isAcknowledging = true;
            first.consumer.group().leave();
            until("left", first, () -> first.consumer.group().state() == GroupState.LEFT);
            until("all partitions", second, () -> second.events.size() == PARTITIONS);

            assertEquals(List.of(), first.errors);
            assertEquals(0, first.consumer.counters().get(ConsumerCounters.REVOCATIONS_TIMED_OUT));
            assertTrue(first.asked > RECORDS, () -> "asked " + first.asked + " times");
            for (int p = 0; p < PARTITIONS; p++)
            {
                final long expected = p < EMPTY ? endOffset : 0;
                assertTrue(first.events.contains("revoked " + p + " at " + expected), first.events::toString);
                assertTrue(second.events.contains("assigned " + p + " at " + expected), second.events::toString);
            }
            assertEquals(0, second.count);
        }
    }

    private static void until(final String what, final Ingest member, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> "timed out: " + what + ", " + member.count +
                " records, events " + member.events + ", errors " + member.errors + "\n" + member.consumer.describe());
            member.poll();
        }
    }
}
