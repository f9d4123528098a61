// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientCounters;
import org.odradek.protocol.ErrorCode;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The codes of offers, claims, and who may call what. */
class TopicPublisherTest
{
    private static final int BATCH_LENGTH = 1024;

    private static PublisherContext small(final ProducingBroker broker)
    {
        return Publishing.context(broker.address()).batchLength(BATCH_LENGTH).bufferMemory(4 * BATCH_LENGTH);
    }

    private static List<String> values(final ProducingBroker broker)
    {
        final List<String> values = new ArrayList<>();
        for (final ProducingBroker.Sent batch : broker.sent)
        {
            for (final Record record : MemoryRecords.readableRecords(ByteBuffer.wrap(batch.bytes())).records())
            {
                values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
            }
        }
        return values;
    }

    // Behaviour Q212, tried 2026-11-29: An accepted record has a position; positions of a partition count up, and no
    // position is used twice. Partitions that a topic does not have, or no longer has, are refused. While no partition
    // is known, the choice of a partition returns NOT_CONNECTED, and an offer with this value returns NOT_CONNECTED.
    // Behaviour Q223.
    @Test
    void shouldReturnPositionsAndCodes()
    {
        try (ProducingBroker broker = ProducingBroker.start(2);
            Publishing client = new Publishing(small(broker)))
        {
            final TopicPublisher topic = client.topic();
            assertEquals(OfferResult.NOT_CONNECTED, client.tryOffer(0, "a"));
            assertEquals(OfferResult.NOT_CONNECTED, topic.tryClaim(7, 1, 1));
            final int unknown = topic.partitionForKey(bytes("key"), 0, 3);
            assertEquals(OfferResult.NOT_CONNECTED, unknown);
            assertEquals(OfferResult.NOT_CONNECTED, topic.nextPartition());
            assertEquals(OfferResult.NOT_CONNECTED, client.tryOffer(unknown, "a"));
            assertEquals(OfferResult.NOT_CONNECTED, topic.tryClaim(topic.nextPartition(), 1, 1));
            assertEquals(0, topic.partitionCount());
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS));

            assertEquals(1, client.tryOffer(0, "a"));
            assertEquals(2, client.tryOffer(0, "b"));
            assertEquals(1, client.tryOffer(1, "c"));
            assertEquals(OfferResult.TOO_LARGE, client.tryOffer(0, "x".repeat(BATCH_LENGTH - 61)));
            assertEquals(OfferResult.TOO_LARGE, topic.tryClaim(0, Integer.MAX_VALUE, Integer.MAX_VALUE));
            assertEquals(2, topic.acceptedPosition(0));
            assertEquals(0, topic.acknowledgedPosition(0));
            assertThrows(IllegalArgumentException.class, () -> client.tryOffer(2, "d"));
            assertThrows(IllegalArgumentException.class, () -> client.tryOffer(-1, "d"));
            assertEquals(OfferResult.NOT_CONNECTED, client.tryOffer(unknown, "a"));
            assertSame(topic, client.publisher.topic(ProducingBroker.TOPIC));
            assertThrows(IllegalArgumentException.class, () -> client.publisher.topic("a b"));
            client.acknowledge();
            assertTrue(client.publisher.close(Publishing.TIMEOUT_NS));

            assertEquals(OfferResult.CLOSED, client.tryOfferTo(topic, 0, "e"));
            assertEquals(OfferResult.CLOSED, topic.tryClaim(0, 1, 1));
            assertThrows(IllegalStateException.class, () -> client.publisher.doWork());
            assertTrue(client.publisher.close(0));
        }
    }

    /** There is nothing to wait for. */
    @Test
    void shouldBeReadyWithoutATopic()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            assertTrue(client.publisher.awaitReady(0));
        }
    }

    /** The topic that has the name exists with fewer partitions: those of before exist no more. */
    // Behaviour Q212.
    @Test
    void shouldRefuseAPartitionThatExistsNoMore()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.acknowledge();
            broker.always((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().forEach((partition) ->
                    partition.setErrorCode(ErrorCode.UNKNOWN_TOPIC_ID).setBaseOffset(-1)));
                return call.answer(response);
            });
            broker.createTopic(ProducingBroker.TOPIC, 1);
            client.offer(1, "b");
            client.workUntil(() -> client.topic().isStopped(1));
            broker.always(null);

            assertEquals(1, client.topic().partitionCount());
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
            assertThrows(IllegalArgumentException.class, () -> client.tryOffer(1, "d"));
            assertThrows(IllegalArgumentException.class, () -> client.topic().tryClaim(1, 1, 1));
            client.topic().skipFailed(1);
            assertEquals(1, client.topic().acknowledgedPosition(1));
            assertFalse(client.topic().isStopped(1));
            assertThrows(IllegalArgumentException.class, () -> client.tryOffer(1, "d"));
            client.offer(0, "e");
            client.acknowledge();
        }
    }

    // Behaviour Q223, tried 2026-11-29: Without free memory an offer returns BACK_PRESSURED and changes nothing. An
    // offer that is refused for another reason changes nothing, either. A claim that is left open is aborted, counted
    // and reported by the next work or close, and late writes through its views reach no record. `hasRoom` reports
    // whether several records have memory.
    @Test
    void shouldBackPressureWhileTheMemoryIsInUse()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(small(broker),
            ProducingBroker.TOPIC))
        {
            final String value = "v".repeat(400);
            int accepted = 0;
            while (client.tryOffer(0, value + accepted) > 0)
            {
                accepted++;
            }
            assertEquals(OfferResult.BACK_PRESSURED, client.tryOffer(0, value));
            assertEquals(8, accepted);
            // A small record still has room in the last batch.
            client.offer(0, "small");
            client.acknowledge();
            assertEquals(9, client.topic().acknowledgedPosition(0));
            client.offer(0, value);
            client.acknowledge();

            assertEquals(2, client.counter(PublisherCounters.BACK_PRESSURED));
            assertEquals(value + 7, values(broker).get(7));
            assertEquals("small", values(broker).get(8));
        }
    }

    /** Of two outputs of one input, the first would otherwise be published again whenever the second must wait. */
    // Behaviour Q223.
    @Test
    void shouldSayWhetherSeveralRecordsHaveRoom()
    {
        try (ProducingBroker broker = ProducingBroker.start(4); Publishing client = Publishing.start(small(broker),
            ProducingBroker.TOPIC))
        {
            assertTrue(client.publisher.hasRoom(4));
            client.offer(0, "a");
            client.offer(1, "b");
            assertTrue(client.publisher.hasRoom(2));
            assertFalse(client.publisher.hasRoom(3));
            client.offer(2, "c");
            client.offer(3, "d");
            assertTrue(client.publisher.hasRoom(0));
            assertFalse(client.publisher.hasRoom(1));
            client.acknowledge();
            assertTrue(client.publisher.hasRoom(4));

            assertEquals("count (of batches in bufferMemory) is 5: it must be from 0 to 4", assertThrows(
                IllegalArgumentException.class, () -> client.publisher.hasRoom(5)).getMessage());
            assertThrows(IllegalArgumentException.class, () -> client.publisher.hasRoom(-1));
            final TopicPublisher topic = client.topic();
            topic.tryClaim(0, 1, 1);
            assertThrows(IllegalStateException.class, () -> client.publisher.hasRoom(1));
            topic.claim().abort();
        }
    }

    @Test
    void shouldWriteAClaimInPlaceAndRemoveAnAbortedOne()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            client.offer(0, "first");
            assertEquals(2, topic.tryClaim(0, 3, 5));
            topic.claim().value().putStringWithoutLengthUtf8(0, "never");
            topic.claim().abort();
            final int headerLength = TopicPublisher.headerLength(1, 2);
            assertEquals(2, topic.tryClaim(0, 77, 3, 6, 1, headerLength));
            final MutableDirectBuffer value = topic.claim().value();
            assertEquals(6, value.capacity());
            assertEquals(3, topic.claim().key().capacity());
            topic.claim().key().putStringWithoutLengthUtf8(0, "key");
            value.putStringWithoutLengthUtf8(0, "second");
            assertThrows(IllegalStateException.class, () -> topic.claim().commit());
            topic.claim().header(bytes("h"), bytes("vv"));
            assertEquals(2, topic.claim().commit());
            client.acknowledge();

            assertEquals(List.of("first", "second"), values(broker));
            assertEquals(1, broker.sent.size());
        }
    }

    @Test
    void shouldGiveTheSlabOfAnAbortedClaimToAnotherPartition()
    {
        try (ProducingBroker broker = ProducingBroker.start(2);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).batchLength(1 << 14).bufferMemory(1 << 14), ProducingBroker.TOPIC))
        {
            final TopicPublisher topic = client.topic();
            topic.tryClaim(0, TopicPublisher.NULL_LENGTH, 1);
            topic.claim().abort();
            client.offer(1, "a");
            client.acknowledge();

            assertEquals(List.of("a"), values(broker));
        }
    }

    /** With headers and without; the last record has a timestamp of its own. */
    @Test
    void shouldTakeTheTimeOfTheClock()
    {
        final long[] nowMs = {1_700_000_000_000L};
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).epochClock(() -> nowMs[0]), ProducingBroker.TOPIC))
        {
            final RecordHeaders headers = new RecordHeaders().add("h", new byte[] {1});
            client.publisher.doWork();
            assertEquals(1, client.topic().offer(0, bytes("k"), bytes("v"), headers));
            assertEquals(2, client.topic().offer(0, null, null, null));
            assertEquals(3, client.topic().offer(0, 5, bytes("k"), bytes("v"), headers));
            client.acknowledge();

            final List<String> records = new ArrayList<>();
            MemoryRecords.readableRecords(ByteBuffer.wrap(broker.sent.get(0).bytes())).records().forEach((record) ->
                records.add(record.timestamp() + " " + record.hasKey() + " " + record.hasValue() + " " +
                    record.headers().length));
            assertEquals(List.of(nowMs[0] + " true true 1", nowMs[0] + " false false 0", "5 true true 1"), records);
        }
    }

    private static UnsafeBuffer bytes(final String text)
    {
        return new UnsafeBuffer(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldRefuseEverythingElseWhileAClaimIsOpen()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            assertThrows(IllegalStateException.class, () -> topic.claim().commit());
            topic.tryClaim(0, TopicPublisher.NULL_LENGTH, 1);

            assertThrows(IllegalStateException.class, () -> topic.tryClaim(0, 1, 1));
            assertThrows(IllegalStateException.class, () -> client.tryOfferTo(topic, 0, "a"));
            assertThrows(IllegalStateException.class, client.publisher::endSendInterval);
            assertThrows(IllegalStateException.class, () -> topic.skipFailed(0));
            assertThrows(IllegalStateException.class, () -> topic.skipAll(0));
            topic.claim().abort();
            assertThrows(IllegalStateException.class, () -> topic.claim().value());
            client.offer(0, "a");
            client.acknowledge();
            assertEquals(List.of("a"), values(broker));
        }
    }

    @Test
    void shouldSendNothingOfAClaimThatWasLeftOpen()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            client.offer(0, "a");
            client.topic().tryClaim(0, TopicPublisher.NULL_LENGTH, 1);
            client.publisher.close();

            assertEquals(List.of("a"), values(broker));
        }
    }

    @Test
    void shouldAbortARecordThatCannotBeRead()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            assertThrows(IndexOutOfBoundsException.class, () ->
                client.topic().offer(0, null, 0, TopicPublisher.NULL_LENGTH, bytes("short"), 0, 50));
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(List.of("a"), values(broker));
            assertEquals(1, client.topic().acceptedPosition(0));
        }
    }

    @Test
    void shouldAllowACallbackToOfferOnly()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final List<Throwable> thrown = new ArrayList<>();
            client.onEvent = () ->
            {
                client.onEvent = () -> {};
                client.offer(0, "from a callback");
                thrown.add(assertThrows(IllegalStateException.class, () -> client.topic().tryClaim(0, 1, 1)));
                thrown.add(assertThrows(IllegalStateException.class, client.publisher::doWork));
                thrown.add(assertThrows(IllegalStateException.class, client.publisher::close));
                throw new IllegalArgumentException("of a listener");
            };
            client.offer(0, "a");
            client.acknowledge();

            assertEquals(3, thrown.size());
            assertEquals(List.of("a", "from a callback"), values(broker));
            assertEquals(1, client.counter(ClientCounters.LISTENER_ERRORS));
            assertTrue(client.errors.get(0).contains("onAcknowledged"));
        }
    }

    // Behaviour Q225.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBelongToTheThreadThatOffersOrClaimsFirst(final boolean isClaim) throws Exception
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            final TopicPublisher topic = client.topic();
            final CountDownLatch used = new CountDownLatch(1);
            final CountDownLatch refused = new CountDownLatch(1);
            final FutureTask<Long> use = new FutureTask<>(() ->
            {
                final long result = isClaim ? topic.tryClaim(0, 1, 1) : client.tryOfferTo(topic, 0, "a");
                used.countDown();
                refused.await();
                return result;
            });
            final Thread other = new Thread(use);
            other.start();
            used.await();
            try
            {
                assertThrows(IllegalStateException.class, client.publisher::doWork);
            }
            finally
            {
                refused.countDown();
                other.join();
            }
            assertEquals(OfferResult.NOT_CONNECTED, use.get());
        }
    }

    @Test
    void shouldBelongToTheFirstThread() throws InterruptedException
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            final AtomicReference<Throwable> thrown = new AtomicReference<>();
            final Thread other = new Thread(() ->
            {
                try
                {
                    client.publisher.doWork();
                }
                catch (final IllegalStateException ex)
                {
                    thrown.set(ex);
                }
            });
            other.start();
            other.join();

            assertTrue(thrown.get().getMessage().contains("belongs to thread"));
        }
    }

    /** As a program does that creates the topics and starts an agent then. */
    // Behaviour Q225, tried 2026-11-30: A consumer and a publisher can share a poller: a wait of the poller, or of a
    // poll of the consumer, ends when either of them has something to do. A publisher belongs to the first thread that
    // works, offers or claims. A publisher is ready even if one leader cannot be reached.
    @Test
    void shouldBelongToTheThreadThatWorksFirst() throws InterruptedException
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            final TopicPublisher topic = client.topic();
            assertEquals(OfferResult.NOT_CONNECTED, topic.partitionForKey(bytes("key"), 0, 3));
            assertEquals(OfferResult.NOT_CONNECTED, topic.nextPartition());
            assertEquals(0, topic.acceptedPosition(0));
            client.publisher.inputBarrier((partition, ownershipEpoch, nextOffset) -> { }, 1);
            client.publisher.nextDeadlineNs();
            client.publisher.describe();
            final AtomicReference<Throwable> thrown = new AtomicReference<>();
            final CountDownLatch worked = new CountDownLatch(1);
            final CountDownLatch refused = new CountDownLatch(1);
            final Thread other = new Thread(() ->
            {
                try
                {
                    client.acknowledge();
                    worked.countDown();
                    refused.await();
                }
                catch (final Throwable ex)
                {
                    thrown.set(ex);
                    worked.countDown();
                }
            });
            other.start();
            worked.await();
            assertNull(thrown.get());
            assertThrows(IllegalStateException.class, () -> topic.partitionForKey(bytes("key"), 0, 3));
            assertThrows(IllegalStateException.class, () -> client.publisher.topic("another"));
            refused.countDown();
            other.join();
        }
    }

    @Test
    void shouldBeUsedByAnotherThreadAfterTheEndOfItsOwn() throws InterruptedException
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            final AtomicReference<Boolean> isReady = new AtomicReference<>();
            final Thread first = new Thread(() ->
            {
                client.topic();
                isReady.set(client.publisher.awaitReady(Publishing.TIMEOUT_NS));
            });
            first.start();
            first.join();
            assertTrue(isReady.get());

            assertEquals(1, client.tryOffer(0, "a"));
            client.acknowledge();

            assertEquals(List.of("a"), values(broker));
        }
    }

    @Test
    void shouldBeClosedByAnyThreadAfterTheEndOfItsOwn() throws InterruptedException
    {
        try (ProducingBroker broker = ProducingBroker.start(1))
        {
            final AtomicReference<Publishing> client = new AtomicReference<>();
            final Thread owner = new Thread(() ->
            {
                client.set(Publishing.start(broker));
                client.get().offer(0, "a");
                client.get().topic().tryClaim(0, 1, 1);
            });
            owner.start();
            owner.join();
            assertFalse(client.get().publisher.close(Publishing.TIMEOUT_NS));

            assertEquals(List.of("failed 0: 1+1 CLOSED 0"), client.get().events);
        }
    }

    // Behaviour Q227, tried 2026-11-29: A close reports the records that are not acknowledged, returns false if there
    // are any or a partition has stopped, accepts no further records, and frees all memory.
    @Test
    void shouldReportAtACloseWhatIsNotAcknowledged()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.lose();
            client.offer(0, "a", "b");
            client.workUntil(() -> broker.sent.size() == 1);
            assertFalse(client.publisher.close(0));

            assertEquals(List.of("failed 0: 1+2 CLOSED 0 maybe written"), client.events);
            assertEquals(List.of("The publisher was closed before 2 records were acknowledged."), client.errors);
            assertFalse(client.publisher.close(Publishing.TIMEOUT_NS));
        }
    }

    /** All records have been reported, so that none of them waits for an acknowledgement. */
    // Behaviour Q227.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReturnFromACloseWhetherAPartitionHasStopped(final boolean isSkipped)
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(broker))
        {
            broker.answer(0, ErrorCode.INVALID_RECORD);
            client.offer(0, "a");
            client.workUntil(() -> client.topic().isStopped(0));
            if (isSkipped)
            {
                client.topic().skipFailed(0);
            }

            assertEquals(isSkipped, client.publisher.close(Publishing.TIMEOUT_NS));
            assertEquals(isSkipped, client.publisher.close(0));
            assertEquals(1, client.events.size());
        }
    }

    /** Nothing would report a record that a listener offers to a partition whose records have been given up. */
    // Behaviour Q227.
    @Test
    void shouldAcceptNothingWhileACloseReports()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(broker))
        {
            final TopicPublisher topic = client.topic();
            final List<Long> results = new ArrayList<>();
            client.onEvent = () -> results.add(client.tryOfferTo(topic, 0, "late"));
            broker.lose();
            client.offer(1, "a");
            client.workUntil(() -> broker.sent.size() == 1);
            client.publisher.close(0);

            assertEquals(List.of(OfferResult.CLOSED), results);
            assertEquals(1, client.counter(PublisherCounters.RECORDS));
            assertEquals(List.of("failed 1: 1+1 CLOSED 0 maybe written"), client.events);
        }
    }

    /** Later records find the slab free, of whichever partition they are. */
    // Behaviour Q223.
    @Test
    void shouldTakeNoMemoryForARefusedArgument()
    {
        try (ProducingBroker broker = ProducingBroker.start(2);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).batchLength(1 << 14).bufferMemory(1 << 14), ProducingBroker.TOPIC))
        {
            final TopicPublisher topic = client.topic();
            assertThrows(IllegalArgumentException.class, () -> topic.tryClaim(0, -2, 1, 1, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> topic.tryClaim(0, 1, -2, 1, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> topic.tryClaim(0, 1, 1, -2, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> topic.tryClaim(0, 1, 1, 1, -1, 0));
            assertThrows(IllegalArgumentException.class, () -> topic.tryClaim(0, 1, 1, 1, 0, Integer.MIN_VALUE));
            client.offer(1, "a");
            client.acknowledge();

            assertEquals(List.of("a"), values(broker));
        }
    }

    @Test
    void shouldRefuseAHeaderOfANegativeLength()
    {
        final RecordHeaders headers = new RecordHeaders();

        assertThrows(IllegalArgumentException.class, () -> headers.add(new byte[1], bytes("v"), 0, -2));
        assertEquals(0, headers.count());
        assertEquals(0, headers.length());
        assertEquals(3, headers.add(new byte[1], bytes("v"), 0, -1).length());
    }

    @Test
    void shouldWaitAtAClose()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).sendIntervalUs(Publishing.LONG_US), ProducingBroker.TOPIC))
        {
            client.offer(0, "a", "b");
            assertTrue(client.publisher.close(Publisher.CLOSE_TIMEOUT_NS));

            assertEquals(List.of("acknowledged 0: 1+2"), client.events);
            assertEquals(List.of(), client.errors);
        }
    }

    // Behaviour Q224.
    @Test
    void shouldHoldBatchesForTheIntervalUnlessItIsEnded()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = Publishing.start(
            Publishing.context(broker.address()).sendIntervalUs(Publishing.LONG_US), ProducingBroker.TOPIC))
        {
            client.offer(0, "a");
            client.workUntil(() -> client.events.size() == 1);
            client.offer(0, "b");
            client.offer(1, "c");
            for (int i = 0; i < 200; i++)
            {
                client.publisher.doWork();
            }
            client.offer(0, "d");
            assertEquals(1, broker.sent.size());
            assertTrue(client.publisher.nextDeadlineNs() - System.nanoTime() > 0);
            client.publisher.endSendInterval();
            client.workUntil(() -> client.events.size() == 3);

            // One request with one batch of each partition.
            assertEquals(2, broker.acks.size());
            assertEquals(List.of("a", "b", "d", "c"), values(broker));
        }
    }

    /** Over a distance, a request for each would take the time of so many round trips. */
    @Test
    void shouldFindAllTopicsWithOneRequest()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = new Publishing(Publishing.context(broker.address())))
        {
            for (int i = 0; i < 40; i++)
            {
                broker.createTopic("topic-" + i, 1);
                client.publisher.topic("topic-" + i);
            }
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);

            assertEquals(1, broker.requestCount(ApiMessageType.METADATA));
            client.publisher.topic(ProducingBroker.TOPIC);
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
            assertEquals(2, broker.requestCount(ApiMessageType.METADATA));
        }
    }

    @Test
    void shouldPublishToSeveralTopicsWithOneRequest()
    {
        try (ProducingBroker broker = ProducingBroker.start(1))
        {
            broker.createTopic("another", 1);
            try (Publishing client = Publishing.start(Publishing.context(broker.address()), ProducingBroker.TOPIC))
            {
                final TopicPublisher another = client.publisher.topic("another");
                assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS));
                client.offer(0, "a");
                client.tryOfferTo(another, 0, "b");
                client.acknowledge();

                assertEquals(1, broker.acks.size());
                assertEquals(1, another.acknowledgedPosition(0));
                assertFalse(another.isStopped(0));
            }
        }
    }
}
