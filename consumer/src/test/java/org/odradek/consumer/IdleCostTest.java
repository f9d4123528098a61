// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.net.Pollers;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.testkit.Await;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that a consumer without work waits in the poller: its thread must not spin.
 */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
final class IdleCostTest
{
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(40);
    /** A thread that spins for 300 ms waits ten thousand times and more. */
    private static final int FEW = 100;

    private final TransportType transport;
    private CountingPoller poller;
    private OneTopicBroker broker;

    IdleCostTest(final TransportType transport)
    {
        this.transport = transport;
    }

    @BeforeEach
    void start()
    {
        poller = new CountingPoller(Pollers.open(transport));
        broker = OneTopicBroker.start(2);
    }

    @AfterEach
    void close()
    {
        broker.close();
        poller.close();
    }

    @Test
    void shouldNotSpinWhileRecordsHaveArrivedThatItDoesNotWaitFor()
    {
        broker.append(0, "a");
        try (TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).poller(poller)))
        {
            assertTrue(consumer.awaitReady(LIMIT_NS), consumer::describe);
            // The first fetch returns the record; the one that is sent ahead gets its response after 20 ms.
            Await.until("two fetches", () -> consumer.await(() -> broker.fetchCount(0) >= 2, MS));

            poller.waits = 0;
            assertFalse(consumer.await(() -> false, 300 * MS));
            assertTrue(poller.waits < FEW, () -> poller.waits + " waits in 300 ms");

            assertEquals(1, consumer.poll((record) -> { }, 10, LIMIT_NS));
        }
    }

    @Test
    void shouldNotSpinInTheSharedPollerWithASecondResponseWhileTheFirstIsRefused()
    {
        try (OneTopicBroker other = OneTopicBroker.start(OneTopicBroker.NODE_ID + 1, 2))
        {
            broker.append(0, "a");
            other.append(1, "b");
            broker.script(ApiMessageType.METADATA, (call) -> call.answer(led(call, broker, other)));
            other.script(ApiMessageType.METADATA, (call) -> call.answer(led(call, broker, other)));
            try (TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).poller(poller)))
            {
                assertTrue(consumer.awaitReady(LIMIT_NS), consumer::describe);
                Await.until("two fetches of each broker",
                    () -> consumer.await(() -> broker.fetchCount(0) >= 2 && other.fetchCount(1) >= 2, MS));

                poller.waits = 0;
                final long endNs = System.nanoTime() + 300 * MS;
                while (endNs - System.nanoTime() > 0)
                {
                    consumer.controlledPoll((record) -> Action.ABORT, 10);
                    poller.await(10 * MS);
                }
                assertTrue(poller.waits < FEW, () -> poller.waits + " waits in 300 ms");
            }
        }
    }

    /** Each of two brokers leads one partition. */
    private static ApiMessage led(final ModelPeer.Call call, final OneTopicBroker first, final OneTopicBroker second)
    {
        final MetadataResponseData metadata = first.metadata(call);
        OneTopicBroker.addBroker(metadata, OneTopicBroker.NODE_ID + 1, second.peer().port());
        metadata.topics().iterator().next().partitions().get(1).setLeaderId(OneTopicBroker.NODE_ID + 1);
        return metadata;
    }

    @Test
    void shouldKeepWaitingAfterARequestThatChangesNothing()
    {
        broker.append(0, "a");
        final AtomicLong clockReads = new AtomicLong();
        try (TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker).poller(poller)
            .partitions(0).fetchMaxWaitMs(100_000).requestTimeoutMs(1_000_000)
            .nanoClock(() ->
            {
                clockReads.incrementAndGet();
                return System.nanoTime();
            })))
        {
            assertEquals(1, consumer.poll((record) -> { }, 10, LIMIT_NS));
            Await.until("metadata after the first connection to a leader", () ->
                consumer.poll((record) -> { }, 10, MS) == 0 &&
                consumer.counters().get(ConsumerCounters.METADATA_REFRESHES) > 1);
            for (int i = 0; i < 20; i++)
            {
                assertEquals(0, consumer.poll((record) -> { }, 10, MS));
            }
            final long quietReads = clockReads.get();
            assertEquals(0, consumer.poll((record) -> { }, 10, MS));
            final long quietCost = clockReads.get() - quietReads;

            assertEquals(0, consumer.lag(0));
            assertEquals(1, consumer.nextOffset(0));
            assertEquals(1, consumer.highWatermark(0));
            assertEquals(1, consumer.lastStableOffset(0));
            assertFalse(consumer.isPaused(0));
            assertTrue(consumer.isAssigned(0));
            final long readsBefore = clockReads.get();
            assertEquals(0, consumer.poll((record) -> { }, 10, MS));
            assertEquals(quietCost, clockReads.get() - readsBefore);

            consumer.pause(0);
            final long readsOfPaused = clockReads.get();
            assertEquals(0, consumer.poll((record) -> { }, 10, MS));
            assertTrue(clockReads.get() - readsOfPaused > quietCost, "a change must be processed");
        }
    }

    @Test
    void shouldNotSpinAsAMemberOfAGroupThatHasNothingToDo()
    {
        try (ScriptedGroup group = new ScriptedGroup();
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(group.broker()).poller(poller)
                .fetchMaxWaitMs(100_000).requestTimeoutMs(1_000_000).group(new GroupSettings(ScriptedGroup.GROUP))))
        {
            assertTrue(consumer.group().awaitStable(LIMIT_NS), consumer::describe);
            Await.until("four records", () -> consumer.poll((record) -> { }, 10, MS) >= 0 &&
                consumer.counters().records() == 4);
            consumer.poll((record) -> { }, 10, MS);

            poller.waits = 0;
            assertEquals(0, consumer.poll((record) -> { }, 10, 300 * MS));
            assertTrue(poller.waits < FEW, () -> poller.waits + " waits in 300 ms");
            assertEquals(0, consumer.counters().get(ConsumerCounters.HEARTBEAT_FAILURES));
        }
    }

    @Test
    void shouldNotSpinWhileRecordsHaveArrivedThatMayNotBeDelivered()
    {
        final AtomicLong skippedNs = new AtomicLong();
        try (ScriptedGroup group = new ScriptedGroup();
            TopicConsumer consumer = TopicConsumer.connect(Reading.context(group.broker()).poller(poller)
                .requestTimeoutMs(1_000_000).nanoClock(() -> System.nanoTime() + skippedNs.get())
                .group(new GroupSettings(ScriptedGroup.GROUP).fenceAfterMs(10_000))))
        {
            assertTrue(consumer.group().awaitStable(LIMIT_NS), consumer::describe);
            group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) -> Answer.never());
            Await.until("the records", () -> consumer.await(() -> group.broker().fetchCount(0) >= 1, MS));
            skippedNs.set(10_001 * MS);

            poller.waits = 0;
            assertEquals(0, consumer.poll((record) -> { }, 10, 300 * MS));
            assertTrue(poller.waits < FEW, () -> poller.waits + " waits in 300 ms");
            assertEquals(1, consumer.counters().get(ConsumerCounters.FENCES));
            consumer.close(MS);
        }
    }

    private static final class CountingPoller extends ForwardingPoller
    {
        private int waits;

        CountingPoller(final Poller poller)
        {
            super(poller);
        }

        @Override
        public int await(final long timeoutNs)
        {
            waits++;
            return super.await(timeoutNs);
        }
    }
}
