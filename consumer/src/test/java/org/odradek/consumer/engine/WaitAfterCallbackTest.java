// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.junit.jupiter.api.Test;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A callback that takes long leaves less time for the wait after it, and what it changes is used at once. */
class WaitAfterCallbackTest
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** Ends before the fetch under way, whose end would be the reason for a shorter wait. */
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(14);
    private static final long CALLBACK_NS = TimeUnit.SECONDS.toNanos(4);

    /** The clock is read when a cycle begins, and when it ends. */
    private static final int READS_BEFORE_THE_END_OF_A_CYCLE = 2;

    private int readsUntilLate;
    private long skippedNs;
    private long longestNs;

    private long nanoTime()
    {
        readsUntilLate--;
        skippedNs = readsUntilLate == 0 ? CALLBACK_NS : skippedNs;
        return System.nanoTime() + skippedNs;
    }

    private final class WaitsPoller extends ForwardingPoller
    {
        WaitsPoller()
        {
            super(ConsumerContext.openPoller(TransportType.NIO));
        }

        @Override
        public int await(final long timeoutNs)
        {
            longestNs = skippedNs == 0 ? 0 : Math.max(longestNs, timeoutNs);
            skippedNs += skippedNs == 0 ? 0 : Math.max(0, timeoutNs);
            return super.await(Math.min(timeoutNs, 1_000_000));
        }
    }

    @Test
    void shouldWaitOnlyForTheRestOfTheTime()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1);
            WaitsPoller poller = new WaitsPoller();
            TopicConsumer consumer = TopicConsumer.connect(
                Reading.context(broker).fetchMaxWaitMs(20_000).poller(poller).nanoClock(this::nanoTime)))
        {
            assertTrue(consumer.awaitReady(TIMEOUT_NS), consumer::describe);
            consumer.await(() -> false, TimeUnit.MILLISECONDS.toNanos(50));

            readsUntilLate = READS_BEFORE_THE_END_OF_A_CYCLE;
            consumer.await(() -> false, WAIT_NS);

            assertTrue(longestNs > 0 && longestNs <= WAIT_NS - CALLBACK_NS, () -> longestNs + " ns");
        }
    }

    @Test
    void shouldFetchAPartitionAtOnceThatTheConditionResumes()
    {
        final boolean[] isResumed = {false};
        try (OneTopicBroker broker = OneTopicBroker.start(1);
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).fetchMaxWaitMs(50)))
        {
            assertTrue(consumer.awaitReady(TIMEOUT_NS), consumer::describe);
            consumer.pause(0);
            // The response to the last fetch arrives meanwhile.
            consumer.await(() -> false, TimeUnit.MILLISECONDS.toNanos(500));
            final long before = consumer.counters().fetches();

            assertTrue(consumer.await(() ->
            {
                if (!isResumed[0])
                {
                    isResumed[0] = true;
                    consumer.resume(0);
                }
                return consumer.counters().fetches() > before;
            }, TIMEOUT_NS), consumer::describe);
        }
    }

    @Test
    void shouldLookUpAtOnceWhatTheConditionQueries()
    {
        final OffsetQuery[] query = {null};
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a");
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).noPartitions()))
        {
            assertTrue(consumer.awaitReady(TIMEOUT_NS), consumer::describe);

            assertTrue(consumer.await(() ->
            {
                query[0] = query[0] == null ? consumer.queryEndOffset(0) : query[0];
                return query[0].isDone();
            }, TIMEOUT_NS), consumer::describe);
            assertEquals(1, query[0].offset());
        }
    }
}
