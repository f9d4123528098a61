// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.RequestTimes;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

import static org.apache.kafka.common.message.ApiMessageType.LIST_OFFSETS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests resets with responses that a real broker does not send on request: the log holds offsets 2 to 3, and responses
 * are late, wrong or errors.
 */
class ResetPolicyTest
{
    private static final int MORE_FETCHES = 10;
    private static final long RETRY_BACKOFF_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final CountDownLatch isReleased = new CountDownLatch(1);
    private OneTopicBroker broker;
    private Reading reading;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2).append(0, "a", "b").append(0, "c", "d").append(1, "x");
        broker.deleteBefore(0, 2);
    }

    @AfterEach
    void close()
    {
        isReleased.countDown();
        reading.close();
        broker.close();
    }

    private ConsumerContext context(final long offset, final OffsetResetPolicy policy)
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0))
            .startPosition(0, StartPosition.offset(offset)).offsetResetPolicy(policy);
    }

    private static Answer offsets(final ModelPeer.Call call, final ToLongFunction<ListOffsetsPartition> offset)
    {
        final ListOffsetsTopicResponse topic = new ListOffsetsTopicResponse().setName(OneTopicBroker.TOPIC);
        for (final ListOffsetsPartition lookup : ((ListOffsetsRequestData)call.request()).topics().get(0).partitions())
        {
            topic.partitions().add(new ListOffsetsPartitionResponse()
                .setPartitionIndex(lookup.partitionIndex()).setOffset(offset.applyAsLong(lookup)));
        }
        return call.answer(new ListOffsetsResponseData().setTopics(List.of(topic)));
    }

    private void untilOthersContinue()
    {
        final int before = broker.fetchCount(1);
        reading.until("other partitions to continue", () -> broker.fetchCount(1) > before + MORE_FETCHES);
    }

    private long counter(final int id)
    {
        return reading.consumer().counters().get(id);
    }

    // Behaviour K132, tried 2026-11-30: A response to a reset that arrives after a seek or another assignment is
    // ignored.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldIgnoreAResponseThatArrivesAfterASeekOrAnotherAssignment(final boolean isSeek)
    {
        broker.script(LIST_OFFSETS, (call) ->
        {
            awaitQuietly(isReleased);
            return null;
        });
        reading = Reading.start(context(100, OffsetResetPolicy.earliest()));
        reading.until("the request", () -> broker.requestCount(LIST_OFFSETS) == 1);
        if (isSeek)
        {
            reading.consumer().seek(0, 3);
        }
        else
        {
            reading.consumer().assign(0, StartPosition.offset(3));
        }
        reading.untilCount(0, 1);
        isReleased.countDown();
        reading.untilAnswered(LIST_OFFSETS);
        untilOthersContinue();

        assertEquals(List.of("d"), reading.values(0));
        assertEquals(List.of(), reading.turns());
        assertEquals(0, counter(ConsumerCounters.RESETS));
    }

    // Behaviour K132.
    @Test
    void shouldIgnoreAResponseToAnEarlierLookup()
    {
        // given a lookup in flight for a reset, and a seek to another offset that is out of range
        final AtomicInteger answers = new AtomicInteger();
        broker.script(LIST_OFFSETS, (call) ->
        {
            awaitQuietly(isReleased);
            return answers.incrementAndGet() == 1 ? offsets(call, (requested) -> 3) : null;
        });
        reading = Reading.start(context(100, OffsetResetPolicy.earliest()));
        reading.until("the request", () -> broker.requestCount(LIST_OFFSETS) == 1);
        final int before = broker.fetchCount(0);
        reading.consumer().seek(0, 200);
        reading.until("the second reset", () -> broker.fetchCount(0) > before);
        untilOthersContinue();

        // when the first response arrives, then it is not used for the second lookup
        isReleased.countDown();
        reading.untilCount(0, 2);
        assertEquals(List.of("reset 0 from 200 to 2"), reading.turns());
        assertEquals(List.of("c", "d"), reading.values(0));
    }

    @Test
    void shouldStayPausedDuringAReset()
    {
        broker.script(LIST_OFFSETS, (call) ->
        {
            awaitQuietly(isReleased);
            return null;
        });
        reading = Reading.start(context(0, OffsetResetPolicy.earliest()));
        reading.until("the request", () -> broker.requestCount(LIST_OFFSETS) == 1);
        reading.consumer().pause(0);
        isReleased.countDown();
        reading.until("the reset", () -> reading.hasEvent("reset"));
        untilOthersContinue();
        assertEquals(0, reading.count(0));

        reading.consumer().resume(0);
        reading.untilCount(0, 2);
        assertEquals(List.of("reset 0 from 0 to 2", "gap 0 from 0 to 2 OUT_OF_RANGE"), reading.turns());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100})
    void shouldBackOffWhenALeaderContradictsItself(final long offset)
    {
        final AtomicLong nowNs = new AtomicLong();
        broker.script(0, (requested) -> OneTopicBroker.error(0, 1));
        broker.script(LIST_OFFSETS, (call) -> offsets(call, (requested) -> offset));
        reading = Reading.start(context(offset, OffsetResetPolicy.nearest()).nanoClock(nowNs::get).fetchMaxWaitMs(0));

        reading.until("ten retries", () ->
        {
            nowNs.addAndGet(TimeUnit.MICROSECONDS.toNanos(100));
            return broker.fetchCount(0) >= 10;
        });

        assertTrue(nowNs.get() >= 9 * RETRY_BACKOFF_NS, () -> "ten tries in " + nowNs.get() + " ns");
        assertEquals(0, counter(ConsumerCounters.GAPS));
    }

    @Test
    void shouldContinueWhenTheLogHasGrownToTheOffset()
    {
        final AtomicInteger fetches = new AtomicInteger();
        broker.script(0, (requested) -> fetches.incrementAndGet() == 1 ? OneTopicBroker.error(0, 1) : null);
        reading = Reading.start(context(3, OffsetResetPolicy.nearest()));
        reading.untilCount(0, 1);

        assertEquals(List.of("d"), reading.values(0));
        assertEquals(List.of(), reading.turns());
    }

    @Test
    void shouldNotReportTheEndAgainWhenTheLogStillHoldsTheOffset()
    {
        final AtomicBoolean isRefusing = new AtomicBoolean();
        broker.script(0, (requested) -> isRefusing.getAndSet(false) ? OneTopicBroker.error(0, 1) : null);
        reading = Reading.start(context(3, OffsetResetPolicy.nearest()));
        reading.until("the end", () -> reading.hasEvent("caught up 0 at 4"));
        isRefusing.set(true);
        reading.until("both lookups", () -> broker.requestCount(LIST_OFFSETS) == 2);
        broker.append(0, "e");
        reading.untilCount(0, 2);
        untilOthersContinue();

        assertEquals(1, reading.events().stream().filter((event) -> event.startsWith("caught up 0 ")).count());
    }

    @ParameterizedTest
    @CsvSource({"0, 2", "1, 2", "5, 4", "100, 4"})
    void shouldResetToTheNearestEnd(final long offset, final long expected)
    {
        reading = Reading.start(context(offset, OffsetResetPolicy.nearest()));
        reading.until("the reset", () -> reading.hasEvent("reset"));
        broker.append(0, "e");
        reading.until("the last record", () -> reading.values(0).contains("e"));

        assertEquals("reset 0 from " + offset + " to " + expected, reading.turns().get(0));
        assertEquals(expected, reading.offsets(0).get(0));
        assertEquals(expected > offset ? expected - offset : 0, counter(ConsumerCounters.OFFSETS_SKIPPED));
        assertEquals(1, counter(ConsumerCounters.RESETS));
    }

    @ParameterizedTest
    @CsvSource({"-7, 5", "3, -7"})
    void shouldReconnectAndRetryWhenAnOffsetOrItsEpochIsInvalid(final long offset, final int leaderEpoch)
    {
        final AtomicInteger answers = new AtomicInteger();
        broker.script(LIST_OFFSETS, (call) -> answers.incrementAndGet() > 2 ? null :
            call.answer(new ListOffsetsResponseData().setTopics(List.of(new ListOffsetsTopicResponse()
                .setName(OneTopicBroker.TOPIC).setPartitions(List.of(new ListOffsetsPartitionResponse()
                    .setOffset(offset).setLeaderEpoch(leaderEpoch)))))));
        reading = Reading.start(context(100, OffsetResetPolicy.latest()));
        reading.until("the reset", () -> reading.hasEvent("reset"));

        assertEquals(List.of("reset 0 from 100 to 4"), reading.turns());
        assertTrue(reading.hasError("ListOffsets response from "), () -> reading.errors().toString());
    }

    @Test
    void shouldBackOffWhenTheLeaderDoesNotKnowTheEndOfTheLog()
    {
        final AtomicInteger answers = new AtomicInteger();
        final RequestTimes lookups = new RequestTimes();
        broker.script(LIST_OFFSETS, (call) ->
        {
            lookups.note();
            return answers.incrementAndGet() > 4 ? null : offsets(call, (requested) -> -1);
        });
        reading = Reading.start(lookups.set(context(100, OffsetResetPolicy.latest()).retryBackoffMs(50, 200)));
        reading.until("the reset", () -> reading.hasEvent("reset"));

        lookups.assertDelays(50, 100, 200, 200);
        assertEquals(List.of("reset 0 from 100 to 4"), reading.turns());
    }

    @Test
    void shouldNotUseANegativeOffset()
    {
        final AtomicInteger answers = new AtomicInteger();
        broker.script(LIST_OFFSETS, (call) -> answers.incrementAndGet() > 3 ? null : offsets(call, (requested) -> -1));
        reading = Reading.start(context(100, OffsetResetPolicy.latest()));
        reading.until("the reset", () -> reading.hasEvent("reset"));

        assertEquals(List.of("reset 0 from 100 to 4"), reading.turns());
        assertEquals(4, answers.get());
    }

    @Test
    void shouldResetToADurationBeforeNow()
    {
        final List<Long> timestamps = new CopyOnWriteArrayList<>();
        broker.script(LIST_OFFSETS, (call) -> offsets(call, (requested) ->
        {
            timestamps.add(requested.timestamp());
            return requested.timestamp() < 0 ? 4 : -1;
        }));
        reading = Reading.start(
            context(100, OffsetResetPolicy.byDuration(Duration.ofHours(2))).epochClock(() -> 7_200_005));
        reading.until("the reset", () -> reading.hasEvent("reset"));

        // no record is that recent, also after the lookup of the end, so it continues there
        assertEquals(List.of(5L, -1L, 5L), timestamps);
        assertEquals(List.of("reset 0 from 100 to 4"), reading.turns());
    }

    @Test
    void shouldRefuseADurationIntoTheFuture()
    {
        reading = Reading.start(context(2, OffsetResetPolicy.fail()));
        assertThrows(IllegalArgumentException.class, () -> OffsetResetPolicy.byDuration(Duration.ofMillis(-1)));
    }

    // Behaviour K133, tried 2026-11-29: Retriable errors of ListOffsets are retried, only for the partitions with an
    // error.
    // Behaviour K139.
    @ParameterizedTest
    @ValueSource(shorts = {3, 5, 6, 7, 9, 56, 74, 75, 78})
    void shouldRetryALookupAfterARetriableError(final short errorCode)
    {
        final AtomicInteger answers = new AtomicInteger();
        broker.script(LIST_OFFSETS, (call) -> answers.incrementAndGet() > 2 ? null :
            call.answer(new ListOffsetsResponseData().setTopics(List.of(
                new ListOffsetsTopicResponse().setName(OneTopicBroker.TOPIC).setPartitions(List.of(
                    new ListOffsetsPartitionResponse().setPartitionIndex(0).setErrorCode(errorCode)))))));
        reading = Reading.start(context(0, OffsetResetPolicy.earliest()));
        reading.untilCount(0, 2);

        assertEquals(3, answers.get());
        assertEquals(List.of("reset 0 from 0 to 2", "gap 0 from 0 to 2 OUT_OF_RANGE"), reading.turns());
        assertEquals(List.of(), reading.errors());
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

    /** The log ends with a record of the timestamp that was written after the first lookup. */
    @Test
    void shouldNotSkipARecordOfTheTimestampThatIsWrittenBetweenTheLookups()
    {
        final AtomicInteger answers = new AtomicInteger();
        broker.script(LIST_OFFSETS, (call) -> offsets(call,
            (requested) -> requested.timestamp() < 0 ? 4 : answers.getAndIncrement() == 0 ? -1 : 3));
        reading = Reading.start(Reading.context(broker)
            .startPosition(1, StartPosition.offset(0)).startPosition(0, StartPosition.timestamp(5)));
        reading.untilCount(0, 1);

        assertEquals(List.of(3L), reading.offsets(0));
        assertEquals(List.of(), reading.turns());
    }
}
