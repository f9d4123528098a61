// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.handler.StopReason;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.RequestTimes;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.ErrorCode;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests error codes of Fetch: partition 0 responds with an error, and partition 1 has data. The clock stops unless a
 * test moves it, and backoffs have no jitter, so that "not before the backoff has expired" depends on order and not on
 * time.
 */
class FetchErrorCodesTest
{
    private static final int MORE_FETCHES = 10;
    private static final long BACKOFF_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Wraps, as nanoTime may. */
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private OneTopicBroker broker;
    private Reading reading;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2).append(0, "a", "b").append(1, "x", "y");
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private void read()
    {
        read(FetchSessionMode.AUTO);
    }

    private void read(final FetchSessionMode sessions)
    {
        // Time passes with each round of the loop here, which must not count as a broker that does not respond.
        reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker)).fetchSession(sessions)
            .startPosition(StartPosition.offset(0)).nanoClock(nowNs::get).fetchMaxWaitMs(0)
            .random(() -> Long.MIN_VALUE));
    }

    private void untilCountAsTimePasses(final int partition, final int count)
    {
        reading.until(count + " records", () ->
        {
            nowNs.addAndGet(BACKOFF_NS);
            return reading.count(partition) >= count;
        });
    }

    // Behaviour I110, tried 2026-11-29: If a leader has moved or is unavailable, its errors cause a metadata request,
    // leave the offset unchanged, and are not reported to the user.
    // Behaviour I111, tried 2026-11-29: UNKNOWN_LEADER_EPOCH and UNKNOWN_SERVER_ERROR are retried.
    // Behaviour I112, tried 2026-11-29: A missing authorization is reported, does not affect other partitions, and is
    // retried.
    // Behaviour I116, tried 2026-11-29: After an error of a partition, requests for this partition are not repeated
    // without a backoff.
    @ParameterizedTest
    @ValueSource(shorts = {-1, 3, 5, 6, 7, 9, 13, 29, 31, 56, 72, 74, 75, 78, 89, 100, 103, 109})
    void shouldRetryAfterABackoff(final short errorCode)
    {
        broker.script(0, (requested) -> OneTopicBroker.error(0, errorCode));
        read();
        reading.until("the first error", () -> broker.fetchCount(0) == 1);

        reading.until("other partitions to continue", () -> broker.fetchCount(1) > MORE_FETCHES);
        assertEquals(1, broker.fetchCount(0));
        nowNs.addAndGet(BACKOFF_NS);
        reading.until("a retry", () -> broker.fetchCount(0) == 2);
        broker.heal(0);
        untilCountAsTimePasses(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(List.of("x", "y"), reading.values(1));
        assertFalse(reading.hasEvent("stopped"), () -> reading.events().toString());
        final boolean isAuthorization = errorCode == 29 || errorCode == 31;
        assertEquals(isAuthorization ? 1 : 0, reading.errors().size(), () -> reading.errors().toString());
    }

    private void readWith(final RequestTimes fetches)
    {
        // Whenever an empty response arrives, it is early.
        reading = Reading.start(fetches.set(Reading.context(broker).retryBackoffMs(5, 20).partitions(0)
            .startPosition(StartPosition.offset(0)).fetchMaxWaitMs(Integer.MAX_VALUE - 1)));
    }

    // Behaviour I116.
    @Test
    void shouldDoubleTheBackoffOfAPartition()
    {
        final RequestTimes fetches = new RequestTimes();
        final AtomicInteger errorsLeft = new AtomicInteger(4);
        broker.script(0, (requested) ->
        {
            final int left = errorsLeft.getAndDecrement();
            if (left >= 0)
            {
                fetches.note();
            }
            return left <= 0 ? null : OneTopicBroker.error(0, ErrorCode.NOT_LEADER_OR_FOLLOWER);
        });
        readWith(fetches);
        reading.untilCount(0, 2);

        fetches.assertDelays(5, 10, 20, 20);
    }

    static List<Arguments> badResponses()
    {
        return List.of(
            bad("an error", (call) -> call.answer(new FetchResponseData().setErrorCode((short)-1))),
            bad("an error of the session", (call) -> call.answer(new FetchResponseData().setErrorCode((short)71))),
            bad("nothing too early", (call) -> call.answer(new FetchResponseData())),
            bad("malformed", (call) -> Answer.reply(new byte[1])));
    }

    private static Arguments bad(final String name, final Function<ModelPeer.Call, Answer> script)
    {
        return Arguments.of(Named.of(name, script));
    }

    // Behaviour F71, N162.
    @ParameterizedTest
    @MethodSource("badResponses")
    void shouldDoubleTheBackoffOfABrokerWhoseResponsesAreBad(final Function<ModelPeer.Call, Answer> script)
    {
        final RequestTimes fetches = new RequestTimes();
        final AtomicInteger errorsLeft = new AtomicInteger(4);
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            final int left = errorsLeft.getAndDecrement();
            if (left >= 0)
            {
                fetches.note();
            }
            return left <= 0 ? null : script.apply(call);
        });
        readWith(fetches);
        reading.untilCount(0, 2);

        fetches.assertDelays(5, 10, 20, 20);
    }

    // Behaviour D41, I110.
    @ParameterizedTest
    @ValueSource(shorts = {3, 5, 6, 9, 56, 72, 74, 75, 100, 103})
    void shouldRequestMetadataWhenALeaderMayHaveChanged(final short errorCode)
    {
        broker.script(0, (requested) -> OneTopicBroker.error(0, errorCode));
        read();
        reading.untilRefreshed();

        reading.until("metadata", () -> broker.requestCount(ApiMessageType.METADATA) > 2);

        assertEquals(1, broker.fetchCount(0));
    }

    // Behaviour I113, tried 2026-11-29: CORRUPT_MESSAGE is reported.
    // Behaviour I114, tried 2026-11-30: An unknown error code is reported with its number, and stops only its
    // partition.
    // Behaviour I115, tried 2026-11-29: An error of one partition loses no records of other partitions.
    @ParameterizedTest
    @ValueSource(shorts = {1, 2, 10, 12, 17, 22, 35, 42, 76, 87, 129, 999, -77})
    void shouldStopOnlyThePartitionInError(final short errorCode)
    {
        broker.script(0, (requested) -> OneTopicBroker.error(0, errorCode));
        read();
        reading.until("the error", () -> !reading.errors().isEmpty());

        nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
        reading.until("other partitions to continue", () -> broker.fetchCount(1) > MORE_FETCHES);

        assertEquals(1, broker.fetchCount(0));
        assertEquals(List.of("x", "y"), reading.values(1));
        assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        final String error = reading.errors().get(0);
        assertTrue(error.contains("Partition 0") && error.contains("offset 0") &&
            error.contains("broker " + OneTopicBroker.NODE_ID) && error.contains(ErrorCode.name(errorCode)), error);
        assertTrue(errorCode >= 0 && errorCode < 999 || error.contains("UNKNOWN_CODE_" + errorCode), error);
        final StopReason reason = switch (errorCode)
        {
            case ErrorCode.OFFSET_OUT_OF_RANGE -> StopReason.OUT_OF_RANGE;
            case ErrorCode.CORRUPT_MESSAGE -> StopReason.CORRUPT_BATCH;
            default -> StopReason.BROKER_ERROR;
        };
        assertEquals(List.of("stopped 0 at 0 for " + reason + " error " + errorCode), reading.events().stream()
            .filter((event) -> event.startsWith("stopped")).toList());
    }

    @Test
    void shouldContinueAtTheSoughtOffsetOfAStoppedPartition()
    {
        broker.script(0, (requested) -> requested.fetchOffset() == 0 ? OneTopicBroker.error(0, 2) : null);
        read();
        reading.until("the error", () -> !reading.errors().isEmpty());

        reading.consumer().seek(0, 1);
        reading.untilCount(0, 1);

        assertEquals(List.of("b"), reading.values(0));
    }

    // Behaviour F71.
    @Test
    void shouldBackOffWhenTheResponseToAnIncrementalFetchIsInError()
    {
        final AtomicBoolean isFailing = new AtomicBoolean();
        broker.script(ApiMessageType.FETCH, (call) ->
            isFailing.get() && ((FetchRequestData)call.request()).sessionEpoch() > 0 ?
            call.answer(new FetchResponseData().setErrorCode(ErrorCode.UNKNOWN_SERVER_ERROR)) : null);
        read(FetchSessionMode.ON);
        reading.untilCount(0, 2);
        isFailing.set(true);
        reading.until("the error", () -> !reading.errors().isEmpty());
        final long fetches = sentFetches();

        for (int i = 0; i < 1_000; i++)
        {
            reading.consumer().poll(reading, 1);
        }

        assertEquals(fetches, sentFetches());
    }

    private long sentFetches()
    {
        return reading.consumer().counters().get(ConsumerCounters.FULL_FETCHES) +
            reading.consumer().counters().get(ConsumerCounters.INCREMENTAL_FETCHES);
    }

    // Behaviour F71, tried 2026-11-29: An unknown error of a whole fetch response causes a backoff.
    @Test
    void shouldRetryAfterABackoffWhenAWholeResponseIsInError()
    {
        final AtomicInteger failures = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) -> failures.incrementAndGet() > 2 ? null :
            call.answer(new FetchResponseData().setErrorCode(ErrorCode.UNKNOWN_SERVER_ERROR)));
        read();
        reading.until("the first error", () -> !reading.errors().isEmpty());

        for (int i = 0; i < 1_000; i++)
        {
            reading.consumer().poll(reading, 1);
        }
        assertEquals(1, sentFetches());
        nowNs.addAndGet(BACKOFF_NS);
        reading.until("the second error", () -> failures.get() == 2);
        reading.until("the second error", () -> reading.errors().size() == 2);
        untilCountAsTimePasses(0, 2);
        reading.untilCount(1, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(List.of("x", "y"), reading.values(1));
    }

    // Behaviour B21, tried 2026-11-29: Until its throttle (at most 120 s) has expired, a throttled connection sends
    // nothing except version probes, SASL messages and the last requests of a close, and no request on it times out.
    // The throttle of a fetch applies to all fetch connections to the broker, but to no other connection.
    // Behaviour F66.
    @Test
    void shouldSendNothingOnAConnectionThatIsThrottled()
    {
        broker.script(ApiMessageType.FETCH, (call) -> broker.requestCount(ApiMessageType.FETCH) > 1 ? null :
            call.answer(new FetchResponseData().setThrottleTimeMs(3_000)));
        read();
        reading.until("the throttle", () -> reading.hasEvent("throttled 3000"));

        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(2_999));
        for (int i = 0; i < 1_000; i++)
        {
            reading.consumer().poll(reading, 1);
        }
        final OffsetQuery end = reading.consumer().queryEndOffset(0);
        reading.until("an answer on another connection", end::isDone);
        assertEquals(2, end.offset());
        assertEquals(1, broker.requestCount(ApiMessageType.FETCH));
        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(List.of(), reading.errors());
    }

    @Test
    void shouldAcceptEmptyResponses()
    {
        broker.script(ApiMessageType.FETCH, (call) -> broker.requestCount(ApiMessageType.FETCH) > 100 ? null :
            call.answer(new FetchResponseData()));
        read();

        reading.untilCount(0, 2);

        assertTrue(reading.consumer().counters().emptyFetches() >= 100);
        assertEquals(List.of(), reading.errors());
    }

    // Behaviour J121, tried 2026-11-29: A late error or response after a seek is ignored.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDiscardAResponseThatArrivesAfterASeek(final boolean isError)
    {
        // given a response in flight, an error or data
        final CountDownLatch isSought = new CountDownLatch(1);
        broker.script(0, (requested) ->
        {
            awaitQuietly(isSought);
            return isError && requested.fetchOffset() == 0 ? OneTopicBroker.error(0, 1) : null;
        });
        read();
        reading.until("the fetch", () -> broker.fetchCount(0) == 1);

        // when the partition is sought to another offset, and the response arrives after that
        reading.consumer().seek(0, 1);
        isSought.countDown();
        reading.untilCount(0, 1);
        reading.until("other partitions to continue", () -> broker.fetchCount(1) > MORE_FETCHES);

        // then only the new offset counts
        assertEquals(List.of("b"), reading.values(0));
        assertEquals(List.of(), reading.errors());
        final long discarded = reading.consumer().counters().get(ConsumerCounters.BYTES_DISCARDED);
        assertEquals(isError ? 0 : OneTopicBroker.batch(0, "a", "b").sizeInBytes(), discarded);
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
}
