// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which batches wait for the end of the interval, and when they are compressed. Two records fill a batch. */
class SendingTest
{
    private static final int BATCH_LENGTH = 1_024;
    private static final int SLABS = 64;
    /** More than half of the interval. */
    private static final long SHORTER_NS = 600L * Publishing.LONG_US;
    private static final String HALF = "v".repeat(450);

    /** The time, once a publisher is ready: from then on only the test moves it. */
    private long frozenNs;

    private PublisherContext context(final ProducingBroker broker, final int slabs)
    {
        return Publishing.context(broker.address()).sendIntervalUs(Publishing.LONG_US)
            .batchLength(BATCH_LENGTH).bufferMemory(slabs * BATCH_LENGTH)
            .nanoClock(() -> frozenNs == 0 ? System.nanoTime() : frozenNs);
    }

    /** A publisher whose interval has begun, because one record of partition 0 is acknowledged. */
    private Publishing start(final PublisherContext context)
    {
        final Publishing client = Publishing.start(context, ProducingBroker.TOPIC);
        frozenNs = System.nanoTime();
        client.offer(0, "first");
        client.workUntil(() -> client.events.size() == 1);
        return client;
    }

    /** Returns how many batches of a partition have arrived. */
    private static long sent(final ProducingBroker broker, final int partition)
    {
        return broker.sent.stream().filter((batch) -> batch.partition() == partition).count();
    }

    private boolean isWaiting(final Publishing client)
    {
        return client.publisher.nextDeadlineNs() - frozenNs > 0;
    }

    private static void work(final Publishing client)
    {
        for (int i = 0; i < 200; i++)
        {
            client.publisher.doWork();
        }
    }

    // Behaviour Q224, tried 2026-11-29: A full batch is sent with the next request. Other batches wait for the end of
    // the interval, unless `endSendInterval` is called or all memory is in use. A call of `doWork` compresses at most
    // the bytes of one batch. A thread that waits for the next deadline does not spin.
    @Test
    void shouldSendFullBatchesAtOnceAndHoldOpenOnes()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = start(context(broker, SLABS)))
        {
            client.offer(1, "open");
            client.offer(0, HALF, HALF, HALF, HALF, HALF);
            assertFalse(isWaiting(client));
            client.workUntil(() -> client.topic().acknowledgedPosition(0) == 5);
            work(client);

            assertEquals(3, sent(broker, 0));
            assertEquals(0, sent(broker, 1));
            assertEquals(3, broker.acks.size());
            assertTrue(isWaiting(client));
            client.publisher.endSendInterval();
            client.workUntil(() -> client.publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED) == 7);
            assertEquals(4, broker.acks.size());
        }
    }

    /** Nothing follows that would show it. */
    @Test
    void shouldSendABatchThatIsFullWithItsLastRecord()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(context(broker, SLABS)))
        {
            client.offer(0, HALF, HALF);
            client.workUntil(() -> client.topic().acknowledgedPosition(0) == 3);
        }
    }

    /** Otherwise a busy partition would postpone the others for ever. */
    // Behaviour Q224.
    @Test
    void shouldNotBeginTheIntervalOfOpenBatchesAgainWithFullOnes()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = start(context(broker, SLABS)))
        {
            client.offer(1, "open");
            frozenNs += SHORTER_NS;
            client.offer(0, HALF, HALF);
            client.workUntil(() -> client.topic().acknowledgedPosition(0) == 3);
            assertEquals(0, sent(broker, 1));
            frozenNs += SHORTER_NS;
            client.workUntil(() -> client.topic().acknowledgedPosition(1) == 1);
        }
    }

    // Behaviour Q224.
    @Test
    void shouldSendOpenBatchesWhenThereIsNoMemoryLeft()
    {
        try (ProducingBroker broker = ProducingBroker.start(3); Publishing client = start(context(broker, 2)))
        {
            client.offer(0, "open");
            work(client);
            assertEquals(1, broker.acks.size());
            assertTrue(isWaiting(client));
            client.offer(1, "open");
            assertEquals(OfferResult.BACK_PRESSURED, client.tryOffer(2, "open"));
            assertFalse(isWaiting(client));
            client.workUntil(() -> client.topic().acknowledgedPosition(1) == 1);

            assertEquals(2, broker.acks.size());
        }
    }

    /** A codec may take milliseconds for a batch. */
    // Behaviour Q224.
    @Test
    void shouldCompressAtMostOneBatchInACallAndTheNextOnesWhileARequestIsInFlight()
    {
        final int partitions = 8;
        try (ProducingBroker broker = ProducingBroker.start(partitions);
            Publishing client = start(context(broker, SLABS).compression(Compression.GZIP)))
        {
            broker.script((call, response) -> Answer.never());
            for (int p = 0; p < partitions; p++)
            {
                client.offer(p, HALF, HALF, HALF, HALF);
            }
            client.offer(0, "open");
            final long before = client.counter(PublisherCounters.BYTES_BATCHED);
            long batched = before;
            int calls = 0;
            while (!isWaiting(client))
            {
                client.publisher.doWork();
                final long added = client.counter(PublisherCounters.BYTES_BATCHED) - batched;
                assertTrue(added <= BATCH_LENGTH, () -> added + " bytes in one call");
                batched += added;
                calls++;
                assertTrue(calls < 100, () -> client.publisher.describe());
            }

            // The second batch of the one that is in flight, and the first of each other.
            final int full = partitions + 1;
            client.workUntil(() -> broker.sent.size() >= 2);
            assertEquals(1, client.counter(PublisherCounters.REQUESTS) - 1);
            assertEquals(List.of(0), broker.sent.stream().skip(1).map(ProducingBroker.Sent::partition).toList());
            assertTrue(batched - before >= full * 2L * HALF.length() && batched - before <= full * BATCH_LENGTH,
                () -> "batches of " + client.counter(PublisherCounters.BYTES_BATCHED) + " bytes");
        }
    }

    /** Several short batches are as one: a tick need not be several requests. */
    @Test
    void shouldCompressShortBatchesInOneCall()
    {
        final int partitions = 8;
        try (ProducingBroker broker = ProducingBroker.start(partitions);
            Publishing client = start(context(broker, SLABS).compression(Compression.LZ4)))
        {
            for (int p = 0; p < partitions; p++)
            {
                client.offer(p, "short");
            }
            client.publisher.endSendInterval();
            client.workUntil(() -> client.events.size() == 1 + partitions);

            assertEquals(2, broker.acks.size());
        }
    }
}
