// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.harness.model.ModelPartition;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The partitions of records without a key. */
class NextPartitionTest
{
    private static final int BATCH_LENGTH = 1_024;
    private static final int PARTITIONS = 3;
    private static final String VALUE = "v".repeat(100);
    /** So many of these fit into a batch, whatever their timestamps are, and no other one. */
    private static final int RECORDS = 8;

    private static Publishing start(final ProducingBroker broker)
    {
        return Publishing.start(Publishing.context(broker.address())
            .batchLength(BATCH_LENGTH).bufferMemory(256 * BATCH_LENGTH).sendIntervalUs(Publishing.LONG_US),
            ProducingBroker.TOPIC);
    }

    /** Offers as many records as a batch holds, and returns the partition of them all. */
    private static int fill(final Publishing client)
    {
        final int partition = client.topic().nextPartition();
        for (int i = 0; i < RECORDS; i++)
        {
            assertEquals(partition, client.topic().nextPartition(), "record " + i);
            client.offer(partition, VALUE);
        }
        return partition;
    }

    // Behaviour Q213.
    @Test
    void shouldStayWithAPartitionForABatchAndThenTakeTheNextOne()
    {
        try (ProducingBroker broker = ProducingBroker.start(PARTITIONS);
            Publishing client = new Publishing(Publishing.context(broker.address()).batchLength(BATCH_LENGTH)
                .sendIntervalUs(Publishing.LONG_US)))
        {
            assertEquals(OfferResult.NOT_CONNECTED, client.topic().nextPartition());
            client.publisher.awaitReady(Publishing.TIMEOUT_NS);
            int expected = client.topic().nextPartition();
            for (int i = 0; i < 2 * PARTITIONS; i++)
            {
                assertEquals(expected, fill(client));
                expected = (expected + 1) % PARTITIONS;
            }
            client.workUntil(() -> client.events.size() == 2 * PARTITIONS);

            // Each batch was full when its partition was left: none of them waits for the interval.
            assertEquals(2 * PARTITIONS, broker.sent.size());
            assertTrue(broker.sent.stream().allMatch((batch) -> batch.count() == RECORDS));
        }
    }

    /** A record that was refused is none. */
    @Test
    void shouldStayWhileNothingIsAccepted()
    {
        try (ProducingBroker broker = ProducingBroker.start(PARTITIONS); Publishing client = start(broker))
        {
            final int partition = client.topic().nextPartition();
            for (int i = 0; i < 100; i++)
            {
                assertEquals(OfferResult.TOO_LARGE, client.tryOffer(partition, "v".repeat(BATCH_LENGTH)));
                assertEquals(partition, client.topic().nextPartition());
            }
        }
    }

    // Behaviour Q213.
    @Test
    void shouldPassOverPartitionsThatHaveStoppedOrHaveNoLeader()
    {
        try (ProducingBroker broker = ProducingBroker.start(PARTITIONS); Publishing client = start(broker))
        {
            final int stopped = client.topic().nextPartition();
            final int leaderless = (stopped + 1) % PARTITIONS;
            final int left = (stopped + 2) % PARTITIONS;
            broker.answer(stopped, ErrorCode.INVALID_RECORD);
            client.offer(stopped, "a");
            client.workUntil(() -> client.topic().isStopped(stopped));
            assertEquals(leaderless, client.topic().nextPartition());
            broker.change(() -> partition(broker, leaderless).elect(ModelPartition.NO_LEADER));
            broker.answer(leaderless, ErrorCode.NOT_LEADER_OR_FOLLOWER);
            client.offer(leaderless, "b");
            client.publisher.endSendInterval();
            client.workUntil(() -> client.topic().nextPartition() == left);

            assertEquals(left, fill(client));
            assertEquals(left, fill(client));
            client.topic().skipFailed(stopped);
            assertEquals(stopped, fill(client));
        }
    }

    private static ModelPartition partition(final ProducingBroker broker, final int index)
    {
        return broker.cluster().topic(ProducingBroker.TOPIC).partitions().get(index);
    }

    /** Many short-lived publishers do not begin with the same one. */
    // Behaviour Q213.
    @Test
    void shouldBeginAtRandom()
    {
        final TreeSet<Integer> first = new TreeSet<>();
        final List<Long> seeds = new ArrayList<>();
        try (ProducingBroker broker = ProducingBroker.start(PARTITIONS))
        {
            for (long seed = 0; seed < 32 && first.size() < PARTITIONS; seed++)
            {
                seeds.add(seed);
                try (Publishing client = Publishing.start(
                    Publishing.context(broker.address()).random(new Random(seed)), ProducingBroker.TOPIC))
                {
                    first.add(client.topic().nextPartition());
                }
            }
        }
        assertTrue(first.size() == PARTITIONS, () -> first + " with the seeds " + seeds);
    }
}
