// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.testkit.AllocationMeter;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads ten thousand partitions with one consumer, a few of which always have new records: the cost depends on the few,
 * nothing is allocated, and the memory stays within the budget, before and after sessions end and leaders move.
 */
class ManyPartitionsTest
{
    private static final int PARTITIONS = 10_000;
    private static final int STEP = 625;
    private static final int ACTIVE = PARTITIONS / STEP;
    private static final int MOVED = 2 * STEP;
    private static final int OTHER_ID = 8;
    private static final int WINDOW_FETCHES = 50;
    private static final int MAX_WINDOWS = 40;
    private static final long BUDGET = 9 * 1024 * 1024;
    private static final long POLL_NS = 1_000_000;

    private final OneTopicBroker broker = OneTopicBroker.start(PARTITIONS);
    private final OneTopicBroker other = OneTopicBroker.start(OTHER_ID, PARTITIONS);
    private final long[] nextOffsets = new long[PARTITIONS];
    private final List<String> errors = new ArrayList<>();
    private final AllocationMeter meter = new AllocationMeter();
    private final RecordHandler handler = (record) ->
    {
        if (record.offset() != nextOffsets[record.partition()]++)
        {
            throw new IllegalStateException("partition " + record.partition() + " delivered offset " + record.offset());
        }
    };
    private final AtomicInteger largestListed = new AtomicInteger();
    private TopicConsumer consumer;

    @AfterEach
    void close()
    {
        consumer.close();
        broker.close();
        other.close();
    }

    /** Responds to each fetch of a partition with one more record. */
    private static PartitionData next(final FetchPartition requested)
    {
        return OneTopicBroker.data(
            requested.partition(), requested.fetchOffset() + 1, OneTopicBroker.batch(requested.fetchOffset(), "value"));
    }

    /** Notes how many partitions an incremental request lists. */
    private Answer note(final ModelPeer.Call call)
    {
        final FetchRequestData request = (FetchRequestData)call.request();
        if (request.sessionEpoch() > 0)
        {
            largestListed.accumulateAndGet(
                request.topics().stream().mapToInt((topic) -> topic.partitions().size()).sum(), Math::max);
        }
        return null;
    }

    private long counter(final int id)
    {
        return consumer.counters().get(id);
    }

    private void pollUntil(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + 60_000_000_000L;
        while (!condition.getAsBoolean())
        {
            assertTrue(deadlineNs - System.nanoTime() > 0, () -> "timed out: " + what + "; " + errors);
            consumer.poll(handler, 1_000, POLL_NS);
        }
    }

    private void pollForAWindow()
    {
        final long until = counter(ConsumerCounters.FETCHES) + WINDOW_FETCHES;
        while (counter(ConsumerCounters.FETCHES) < until)
        {
            consumer.poll(handler, 1_000, POLL_NS);
        }
    }

    private void assertSteady()
    {
        largestListed.set(0);
        final long[] before = nextOffsets.clone();
        final long full = counter(ConsumerCounters.FULL_FETCHES);
        assertEquals(0, meter.leastBytes(MAX_WINDOWS, this::pollForAWindow));
        assertEquals(full, counter(ConsumerCounters.FULL_FETCHES));
        assertTrue(largestListed.get() <= ACTIVE);
        assertEquals(0, counter(ConsumerCounters.BUDGET_EXCEEDED_BYTES));
        assertEquals(List.of(), errors);
        for (int p = 0; p < PARTITIONS; p += STEP)
        {
            assertTrue(nextOffsets[p] > before[p], "partition " + p);
        }
    }

    // Behaviour N162.
    @Test
    void shouldReadTenThousandPartitionsAtNoBytesWithinTheBudget()
    {
        broker.script(ApiMessageType.FETCH, this::note);
        other.script(ApiMessageType.FETCH, this::note);
        for (int p = 0; p < PARTITIONS; p += STEP)
        {
            broker.script(p, ManyPartitionsTest::next);
            other.script(p, ManyPartitionsTest::next);
        }
        final ConsumerContext context = Reading.context(broker).startPosition(StartPosition.offset(0))
            .partitions(IntStream.range(0, PARTITIONS).toArray()).expectedLeaders(2).fetchMaxBytes(1 << 20)
            .errorHandler((error) -> errors.add(error.getMessage())).conclude();
        assertTrue(context.memoryBudget() <= BUDGET, () -> "the budget is " + context.memoryBudget());
        consumer = TopicConsumer.connect(context);
        pollUntil("a session", () -> counter(ConsumerCounters.INCREMENTAL_FETCHES) > 0);
        assertSteady();

        broker.evictSessions();
        pollUntil("another session", () -> counter(ConsumerCounters.SESSION_RESETS) == 1 &&
            counter(ConsumerCounters.FULL_FETCHES) == 2);
        pollUntil("its first fetch", () -> broker.sessionCount() == 1);
        assertSteady();

        move();
        pollUntil("the leaders to move", () -> counter(ConsumerCounters.LEADER_CHANGES) == MOVED);
        pollUntil("a session with the new leader", () -> other.sessionPartitions().size() == MOVED &&
            broker.sessionPartitions().size() == PARTITIONS - MOVED);
        final long before = nextOffsets[0];
        assertSteady();
        assertTrue(nextOffsets[0] > before);
    }

    /** The first partitions have another leader now, which the consumer learns from an error. */
    private void move()
    {
        // The log of this partition is created on request, so it cannot be compared with the records that were read.
        other.maxVersion(ApiMessageType.OFFSET_FOR_LEADER_EPOCH, -1);
        other.lead(OneTopicBroker.LEADER_EPOCH + 1);
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            OneTopicBroker.addBroker(metadata, OTHER_ID, other.peer().port());
            for (int p = 0; p < MOVED; p++)
            {
                metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(p)
                    .setLeaderId(OTHER_ID).setLeaderEpoch(OneTopicBroker.LEADER_EPOCH + 1);
            }
            return call.answer(metadata);
        });
        for (int p = 0; p < MOVED; p += STEP)
        {
            final int partition = p;
            broker.script(p, (requested) -> OneTopicBroker.error(partition, 6));
        }
    }
}
