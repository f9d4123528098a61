// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.RequestTimes;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.apache.kafka.common.message.ApiMessageType.FETCH;
import static org.apache.kafka.common.message.ApiMessageType.LIST_OFFSETS;
import static org.apache.kafka.common.message.ApiMessageType.METADATA;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that a partition or a broker that waits does not delay others.
 */
class IndependentPartitionsTest
{
    private static final int OTHER_ID = 8;
    private static final short LEADER_NOT_AVAILABLE = 5;
    private static final short UNKNOWN_TOPIC_OR_PARTITION = 3;
    private static final short TOPIC_AUTHORIZATION_FAILED = 29;
    private static final short UNKNOWN_SERVER_ERROR = -1;
    private static final int TRIES = 5;
    private static final int RETRIES = 40;
    /** The metadata is requested at once, and 20, 40, 80, 160, 320 and 640 ms later. */
    private static final int REFRESHES = 7;

    private final OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a", "b").append(1, "x", "y");
    private final List<Integer> lookedUp = new CopyOnWriteArrayList<>();
    private final AtomicInteger errorsLeft = new AtomicInteger();

    @AfterEach
    void close()
    {
        broker.close();
    }

    /** Responds to so many lookups of partition 1 with an error; every partition begins at offset 0. */
    private void refusePartition1(final int times, final short errorCode)
    {
        errorsLeft.set(times);
        broker.script(LIST_OFFSETS, (call) ->
        {
            final ListOffsetsTopicResponse topic = new ListOffsetsTopicResponse().setName(OneTopicBroker.TOPIC);
            for (final ListOffsetsPartition lookup :
                ((ListOffsetsRequestData)call.request()).topics().get(0).partitions())
            {
                lookedUp.add(lookup.partitionIndex());
                topic.partitions().add(answer(lookup.partitionIndex(), errorCode));
            }
            return call.answer(new ListOffsetsResponseData().setTopics(List.of(topic)));
        });
    }

    private ListOffsetsPartitionResponse answer(final int partition, final short errorCode)
    {
        final ListOffsetsPartitionResponse response = new ListOffsetsPartitionResponse().setPartitionIndex(partition);
        return partition == 1 && errorsLeft.getAndUpdate((left) -> Math.max(0, left - 1)) > 0 ?
            response.setErrorCode(errorCode) :
            response.setOffset(0).setLeaderEpoch(OneTopicBroker.LEADER_EPOCH);
    }

    private long lookups(final int partition)
    {
        return lookedUp.stream().filter((p) -> p == partition).count();
    }

    // Behaviour E56, tried 2026-11-29: A partition without an offset does not stop others.
    @Test
    void shouldReadPartitionsThatHaveAnOffsetWhileOthersWaitForOne()
    {
        refusePartition1(Integer.MAX_VALUE, LEADER_NOT_AVAILABLE);
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.until("several requests", () -> lookups(1) >= TRIES);
            broker.append(0, "c");
            reading.untilCount(0, 3);
            assertEquals(0, broker.fetchCount(1));

            errorsLeft.set(0);
            reading.untilCount(1, 2);
        }
    }

    // Behaviour K133.
    @Test
    void shouldRetryOnlyLookupsThatFailed()
    {
        refusePartition1(TRIES, LEADER_NOT_AVAILABLE);
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.untilCount(0, 2);
            reading.untilCount(1, 2);

            assertEquals(1, lookups(0));
            assertEquals(TRIES + 1, lookups(1));
            assertEquals(List.of(), reading.errors());
        }
    }

    @Test
    void shouldKeepTheBackoffOfARefusedLookupWhenTheLeaderAnswersAnother()
    {
        refusePartition1(Integer.MAX_VALUE, LEADER_NOT_AVAILABLE);
        final AtomicLong nowNs = new AtomicLong();
        try (Reading reading = Reading.start(Reading.context(broker).nanoClock(nowNs::get)))
        {
            reading.untilCount(0, 2);
            for (int i = 0; i < TRIES; i++)
            {
                final OffsetQuery query = reading.consumer().queryEndOffset(0);
                reading.until("the answer", query::isDone);
            }
            assertEquals(1, lookups(1));

            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
            reading.until("the retry", () -> lookups(1) == 2);
        }
    }

    // Behaviour K134.
    @Test
    void shouldReportOnceThatALookupIsNotAuthorizedAndRetry()
    {
        refusePartition1(TRIES, TOPIC_AUTHORIZATION_FAILED);
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.untilCount(0, 2);
            reading.untilCount(1, 2);

            assertEquals(TRIES + 1, lookups(1));
            assertEquals(1, reading.errors().size(), reading.errors()::toString);
            assertTrue(reading.hasError("TOPIC_AUTHORIZATION_FAILED"), reading.errors()::toString);
        }
    }

    @Test
    void shouldRetryWithBackoffWhenAResponseLeavesAPartitionOut()
    {
        final RequestTimes lookups = new RequestTimes();
        errorsLeft.set(4);
        broker.script(LIST_OFFSETS, (call) ->
        {
            lookups.note();
            return errorsLeft.getAndDecrement() <= 0 ? null : call.answer(new ListOffsetsResponseData());
        });
        try (Reading reading = Reading.start(lookups.set(Reading.context(broker).retryBackoffMs(50, 200))))
        {
            reading.untilCount(0, 2);
            reading.untilCount(1, 2);

            lookups.assertDelays(50, 100, 200, 200);
        }
    }

    // Behaviour K134.
    @Test
    void shouldFailAQueryThatIsNotAuthorized()
    {
        try (Reading reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0))))
        {
            refusePartition1(1, TOPIC_AUTHORIZATION_FAILED);
            final OffsetQuery query = reading.consumer().queryEndOffset(1);
            reading.until("the answer", query::isDone);

            assertTrue(query.isFailed(), query::toString);
            assertEquals(TOPIC_AUTHORIZATION_FAILED, query.errorCode());
        }
    }

    /** One partition that its leader does not know, and one that the topic does not have. */
    // Behaviour O189.
    @Test
    void shouldFailQueriesForPartitionsThatTheBrokersHaveNotKnownForAMinute()
    {
        final AtomicLong nowNs = new AtomicLong();
        try (Reading reading = Reading.start(Reading.withoutTimeouts(
            Reading.context(broker).startPosition(StartPosition.offset(0)).retryBackoffMs(10, 20)
                .nanoClock(nowNs::get).random(() -> Long.MIN_VALUE))))
        {
            reading.untilCount(0, 2);
            reading.untilRefreshed();
            refusePartition1(Integer.MAX_VALUE, UNKNOWN_TOPIC_OR_PARTITION);
            final int metadata = broker.requestCount(METADATA);
            final OffsetQuery refused = reading.consumer().queryEndOffset(1);
            final OffsetQuery missing = reading.consumer().queryEndOffset(99);
            for (int i = 0; i < RETRIES; i++)
            {
                reading.untilRepeated(broker, LIST_OFFSETS);
                reading.untilAnswered(METADATA);
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertEquals(REFRESHES, broker.requestCount(METADATA) - metadata);
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(30));
            reading.untilRepeated(broker, LIST_OFFSETS);
            assertFalse(refused.isDone() || missing.isDone());
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(30));
            reading.until("the end", () -> refused.isFailed() && missing.isFailed());
            assertEquals(UNKNOWN_TOPIC_OR_PARTITION, refused.errorCode());
            assertEquals(UNKNOWN_TOPIC_OR_PARTITION, missing.errorCode());
        }
    }

    // Behaviour O189.
    @ParameterizedTest
    @ValueSource(shorts = {UNKNOWN_TOPIC_OR_PARTITION, TOPIC_AUTHORIZATION_FAILED})
    void shouldFailQueriesForATopicThatIsNotFoundForAMinute(final short code)
    {
        final AtomicLong skippedNs = new AtomicLong();
        broker.script(METADATA, (call) ->
        {
            final MetadataResponseData data = broker.metadata(call);
            data.topics().forEach((topic) -> topic.setErrorCode(code));
            return call.answer(data);
        });
        try (Reading reading = Reading.start(Reading.context(broker.address(), "missing")
            .retryBackoffMs(10, 20).nanoClock(() -> System.nanoTime() + skippedNs.get())))
        {
            final OffsetQuery query = reading.consumer().queryEndOffset(0);
            final CommittedOffsets offsets = reading.consumer().groupOffsets("group").fetch();
            reading.until("retries", () -> broker.requestCount(METADATA) > 2);
            skippedNs.set(TimeUnit.SECONDS.toNanos(30));
            final int before = broker.requestCount(METADATA);
            reading.until("more retries", () -> broker.requestCount(METADATA) > before + 2);
            assertFalse(query.isDone() || offsets.isDone());
            skippedNs.set(TimeUnit.SECONDS.toNanos(60));
            reading.until("the end", () -> query.isFailed() && offsets.isFailed());
            assertEquals(code, query.errorCode());
            assertEquals(code, offsets.errorCode());
        }
    }

    // Behaviour E51.
    @Test
    void shouldSendTheNextFetchBeforeItDelivers()
    {
        final List<Long> offsets = new CopyOnWriteArrayList<>();
        broker.script(FETCH, (call) ->
        {
            offsets.add(((FetchRequestData)call.request()).topics().get(0).partitions().get(0).fetchOffset());
            return null;
        });
        try (Reading reading = Reading.start(Reading.context(broker).partitions(0)
            .startPosition(StartPosition.offset(0)).fetchSession(FetchSessionMode.OFF)))
        {
            reading.until("the next fetch", 0, () -> offsets.size() == 2);

            assertEquals(List.of(0L, 2L), offsets);
            assertEquals(0, reading.count(0));
            reading.untilCount(0, 2);
        }
    }

    /** The clock stops while the response is held back, so that no request times out. */
    // Behaviour E52, tried 2026-11-29: At most one fetch is in flight on each connection to a broker.
    @Test
    void shouldSendNoFetchWhileOneIsOutstanding()
    {
        final AtomicLong nowNs = new AtomicLong();
        final List<Long> offsets = new CopyOnWriteArrayList<>();
        final CountDownLatch isReleased = new CountDownLatch(1);
        broker.script(FETCH, (call) ->
        {
            ((FetchRequestData)call.request()).topics().get(0).partitions().forEach(
                (partition) -> offsets.add(partition.fetchOffset()));
            awaitQuietly(isReleased);
            return null;
        });
        try (Reading reading = Reading.start(Reading.context(broker).partitions(0).nanoClock(nowNs::get)
            .startPosition(StartPosition.offset(0)).fetchSession(FetchSessionMode.OFF).fetchMaxWaitMs(1)))
        {
            reading.until("the first fetch", () -> offsets.size() == 1);
            for (int i = 0; i < 1_000; i++)
            {
                reading.consumer().poll(reading, 1);
            }
            isReleased.countDown();
            reading.until("more fetches", () -> offsets.size() >= 3);

            // A second fetch in flight would have requested the same records as the first.
            assertEquals(List.of(0L, 2L, 2L), offsets.subList(0, 3));
            assertEquals(List.of("a", "b"), reading.values(0));
        }
        finally
        {
            isReleased.countDown();
        }
    }

    private static void awaitQuietly(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    // Behaviour E53, tried 2026-11-29: Partitions of a broker in backoff are not fetched, and fetching from other
    // brokers continues.
    @Test
    void shouldReadFromOtherBrokersWhileOneCannotBeReached()
    {
        final AtomicInteger lookUps = new AtomicInteger();
        try (OneTopicBroker other = OneTopicBroker.start(OTHER_ID, 2).append(1, "x", "y"))
        {
            broker.script(METADATA, (call) -> leadPartition1(call, other, "nowhere.invalid"));
            try (Reading reading = Reading.start(Reading.context(broker).nameResolver((host) ->
            {
                if (lookUps.getAndIncrement() < 2 * TRIES)
                {
                    throw new UnknownHostException(host);
                }
                return new InetAddress[]{InetAddress.getLoopbackAddress()};
            })))
            {
                reading.until("several tries", () -> lookUps.get() >= TRIES);
                broker.append(0, "c");
                reading.untilCount(0, 3);
                reading.untilCount(1, 2);

                assertEquals(List.of("x", "y"), reading.values(1));
                assertEquals(0, broker.fetchCount(1));
                assertEquals(1, reading.errors().size(), reading.errors()::toString);
            }
        }
    }

    /** The clock stops during the backoff, which follows an error of a whole response, or a lost connection. */
    // Behaviour E53.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotFetchFromABrokerInBackoffWhileOthersAreRead(final boolean isReset)
    {
        final AtomicLong nowNs = new AtomicLong();
        try (OneTopicBroker other = OneTopicBroker.start(OTHER_ID, 2).append(1, "x", "y"))
        {
            broker.script(METADATA, (call) -> leadPartition1(call, other, "127.0.0.1"));
            other.script(FETCH, (call) -> other.requestCount(FETCH) > 1 ? null : isReset ? Answer.reset() :
                call.answer(new FetchResponseData().setErrorCode(UNKNOWN_SERVER_ERROR)));
            try (Reading reading = Reading.start(Reading.context(broker).nanoClock(nowNs::get).fetchMaxWaitMs(1)
                .reconnectBackoffMs(1_000, 1_000).retryBackoffMs(1_000, 1_000)))
            {
                reading.until("the failure", () -> reading.hasEvent("lost " + OTHER_ID) || !reading.errors().isEmpty());
                final int fetches = broker.requestCount(FETCH);
                broker.append(0, "c");
                reading.untilCount(0, 3);
                reading.until("further fetches", () -> broker.requestCount(FETCH) > fetches + 50);

                assertEquals(1, other.requestCount(FETCH));
                assertEquals(List.of(), reading.values(1));
                nowNs.addAndGet(TimeUnit.SECONDS.toNanos(2));
                reading.untilCount(1, 2);
            }
        }
    }

    private Answer leadPartition1(final ModelPeer.Call call, final OneTopicBroker other, final String host)
    {
        final MetadataResponseData metadata = broker.metadata(call);
        OneTopicBroker.addBroker(metadata, OTHER_ID, other.peer().port());
        metadata.brokers().find(OTHER_ID).setHost(host);
        metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(1).setLeaderId(OTHER_ID);
        return call.answer(metadata);
    }
}
