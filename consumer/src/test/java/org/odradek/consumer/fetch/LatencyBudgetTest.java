// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests which fetches the broker may hold for the latency budget. The clock stops unless a test moves it, so records
 * that a test appends one after another arrive densely.
 */
class LatencyBudgetTest
{
    private static final int BUDGET_MS = 100;
    private static final int MAX_WAIT_MS = 3_000;
    private static final int MAX_BYTES = 10_000;
    /** One response before there is a time between two, and four dense ones. */
    private static final int ORDINARY = 5;

    private final List<Integer> waits = new CopyOnWriteArrayList<>();
    private final List<Integer> minBytes = new CopyOnWriteArrayList<>();
    private OneTopicBroker broker;
    private Reading reading;
    private volatile long nowNs;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2);
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            final FetchRequestData request = (FetchRequestData)call.request();
            minBytes.add(request.minBytes());
            waits.add(request.maxWaitMs());
            return null;
        });
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private ConsumerContext context()
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0)).latencyBudgetMs(BUDGET_MS)
            .fetchMaxWaitMs(MAX_WAIT_MS).fetchMaxBytes(MAX_BYTES).nanoClock(() -> nowNs);
    }

    private void awaitFetch(final int count)
    {
        reading.until("fetch " + count, () -> waits.size() >= count);
    }

    /** Appends records one by one, each of which answers a fetch, until as many fetches have been sent. */
    private void readDensely(final int fetches)
    {
        for (int i = waits.size(); i < fetches; i++)
        {
            awaitFetch(Math.max(1, i));
            broker.append(0, "value");
            awaitFetch(i + 1);
        }
    }

    private int wait(final int fetch)
    {
        return waits.get(fetch - 1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldBatchAfterSeveralDenseResponses(final FetchSessionMode mode)
    {
        reading = Reading.start(context().fetchSession(mode));
        awaitFetch(1);
        readDensely(ORDINARY + 1);

        assertEquals(List.of(MAX_WAIT_MS, MAX_WAIT_MS, MAX_WAIT_MS, MAX_WAIT_MS, MAX_WAIT_MS, BUDGET_MS),
            waits.subList(0, ORDINARY + 1));
        assertEquals(List.of(1, MAX_BYTES / 2), minBytes.subList(ORDINARY - 1, ORDINARY + 1));
        assertEquals(1, reading.consumer().counters().get(ConsumerCounters.BATCHED_FETCHES));
    }

    @ParameterizedTest
    @EnumSource
    void shouldBatchWhileAnotherPartitionIsPaused(final FetchSessionMode mode)
    {
        reading = Reading.start(context().fetchSession(mode));
        awaitFetch(1);
        reading.consumer().pause(1);
        readDensely(2 * ORDINARY + 1);

        assertTrue(waits.contains(BUDGET_MS), waits::toString);
    }

    @Test
    void shouldNotBatchWithoutABudget()
    {
        reading = Reading.start(context().latencyBudgetMs(0));
        awaitFetch(1);
        readDensely(2 * ORDINARY);

        assertTrue(waits.stream().allMatch((wait) -> wait == MAX_WAIT_MS), waits::toString);
    }

    @Test
    void shouldNotBatchWhereBatchesAreApart()
    {
        reading = Reading.start(context());
        awaitFetch(1);
        for (int i = 1; i <= 2 * ORDINARY; i++)
        {
            nowNs += TimeUnit.MILLISECONDS.toNanos(BUDGET_MS) * 4 / 5 + 1;
            broker.append(0, "value");
            awaitFetch(i + 1);
        }

        assertTrue(waits.stream().allMatch((wait) -> wait == MAX_WAIT_MS), waits::toString);
    }

    @Test
    void shouldEndWithAResponseWithoutABatchAndThenNeedMoreDenseOnes()
    {
        reading = Reading.start(context());
        awaitFetch(1);
        readDensely(ORDINARY + 1);
        final int sparse = waits.size() + 1;
        awaitFetch(sparse);
        assertEquals(MAX_WAIT_MS, wait(sparse));

        readDensely(sparse + 2 * (ORDINARY - 1));
        assertTrue(waits.subList(sparse - 1, sparse + 2 * (ORDINARY - 1) - 1).stream()
            .allMatch((wait) -> wait == MAX_WAIT_MS), waits::toString);
        assertEquals(BUDGET_MS, wait(sparse + 2 * (ORDINARY - 1)));
    }

    @Test
    void shouldNotBatchAfterASeekAnAssignOrAResume()
    {
        broker.append(1, "x");
        reading = Reading.start(context().partitions(0));
        awaitFetch(1);
        readDensely(ORDINARY);
        reading.consumer().assign(1, StartPosition.offset(1));
        readDensely(ORDINARY + 1);
        assertEquals(MAX_WAIT_MS, wait(ORDINARY + 1), "after an assign");

        readDensely(2 * ORDINARY);
        reading.forget(0);
        reading.consumer().seek(0, 0);
        readDensely(2 * ORDINARY + 1);
        assertEquals(MAX_WAIT_MS, wait(2 * ORDINARY + 1), "after a seek");

        readDensely(3 * ORDINARY);
        reading.consumer().pause(1);
        reading.consumer().resume(1);
        readDensely(3 * ORDINARY + 1);
        assertEquals(MAX_WAIT_MS, wait(3 * ORDINARY + 1), "after a resume");
    }

    @Test
    void shouldNotBatchWhileTheLogHasMoreRecords()
    {
        final int count = 50;
        broker.script(0, (requested) -> requested.fetchOffset() >= count ? null :
            OneTopicBroker.data(0, count, OneTopicBroker.batch(requested.fetchOffset(), "value")));
        reading = Reading.start(context().partitions(0));
        reading.untilCount(0, count);

        awaitFetch(count + 1);
        assertTrue(waits.subList(0, count).stream().allMatch((wait) -> wait == MAX_WAIT_MS), waits::toString);
        assertEquals(BUDGET_MS, wait(count + 1));
    }

    @Test
    void shouldNotBatchAfterAnError()
    {
        broker.script(0, (requested) -> OneTopicBroker.data(0, requested.fetchOffset() + 1,
            OneTopicBroker.batch(requested.fetchOffset(), "value")));
        broker.script(1, (requested) -> waits.size() != ORDINARY + 2 ? null :
            OneTopicBroker.error(1, Errors.KAFKA_STORAGE_ERROR.code()));
        reading = Reading.start(context());
        awaitFetch(ORDINARY + 3);

        assertEquals(List.of(BUDGET_MS, BUDGET_MS, MAX_WAIT_MS), waits.subList(ORDINARY, ORDINARY + 3));
    }

    /** With the clock stopped, a backoff does not end. */
    @Test
    void shouldBackOffWhenTheBrokerAnswersWithNothingTooEarly()
    {
        broker.script(0, (requested) -> OneTopicBroker.data(0, 0));
        reading = Reading.start(context().partitions(0).retryBackoffMs(100, 1_000));
        awaitFetch(1);
        reading.until("an empty response",
            () -> reading.consumer().counters().get(ConsumerCounters.EMPTY_FETCHES) == 1);
        for (int i = 0; i < 100; i++)
        {
            reading.consumer().poll(reading, 1);
        }
        assertEquals(1, waits.size());

        nowNs += TimeUnit.SECONDS.toNanos(1);
        awaitFetch(2);
    }
}
