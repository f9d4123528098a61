// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.handler.TransportType;
import org.odradek.consumer.status.ConsumerCounters;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests when a fetch is held back, and until when. The clock stops unless a test moves it, so that a request which is
 * held back is not sent, however long the test takes.
 */
@Timeout(120)
class PacedFetchesTest
{
    private static final int INTERVAL_US = 700_000;
    private static final long INTERVAL_NS = TimeUnit.MICROSECONDS.toNanos(INTERVAL_US);
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
    private static final int POLLS = 200;
    private static final int LARGE = 100_000;

    private OneTopicBroker broker;
    private Reading reading;
    private long nowNs;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2);
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private ConsumerContext context()
    {
        return Reading.context(broker).startPosition(StartPosition.offset(0))
            .fetchMinIntervalUs(INTERVAL_US).nanoClock(() -> nowNs);
    }

    private long counter(final int id)
    {
        return reading.consumer().counters().get(id);
    }

    private long delayed()
    {
        return counter(ConsumerCounters.DELAYED_FETCHES);
    }

    private long sent()
    {
        return counter(ConsumerCounters.FULL_FETCHES) + counter(ConsumerCounters.INCREMENTAL_FETCHES);
    }

    /** Reads all records of the log; the next fetch is held back. */
    private void readUntilHeldBack(final int count)
    {
        reading.untilCount(0, count);
        reading.until("a fetch that is held back", () -> delayed() > 0);
    }

    private void assertNothingIsSent()
    {
        final long before = sent();
        for (int i = 0; i < POLLS; i++)
        {
            reading.consumer().poll(reading, 100);
        }
        assertEquals(before, sent());
    }

    private void assertSentAtOnce()
    {
        final long before = sent();
        reading.consumer().poll(reading, 100);
        assertEquals(before + 1, sent());
    }

    @ParameterizedTest
    @EnumSource
    void shouldSendTheNextFetchOnceTheIntervalHasExpired(final FetchSessionMode mode)
    {
        broker.append(0, "a", "b");
        reading = Reading.start(context().fetchSession(mode));
        readUntilHeldBack(2);
        broker.append(0, "c").append(1, "x").append(0, "d");

        assertNothingIsSent();
        nowNs += INTERVAL_NS - 1;
        assertNothingIsSent();
        nowNs++;
        assertSentAtOnce();
        reading.untilCount(0, 4);
        reading.untilCount(1, 1);
        assertEquals(1, counter(ConsumerCounters.FETCHES) - counter(ConsumerCounters.EMPTY_FETCHES) - 1);
    }

    @Test
    void shouldNotHoldBackAFetchWhenTheResponseTookAsLongAsTheInterval()
    {
        reading = Reading.start(context());
        reading.until("a fetch", () -> sent() == 1);
        nowNs += INTERVAL_NS;
        broker.append(0, "a");
        reading.until("the next", () -> sent() > 1);

        assertEquals(0, delayed());
    }

    @Test
    void shouldNotHoldBackAFetchAfterASeek()
    {
        broker.append(0, "a", "b");
        reading = Reading.start(context());
        readUntilHeldBack(2);
        assertNothingIsSent();
        reading.forget(0);
        reading.consumer().seek(0, 1);

        assertSentAtOnce();
        reading.untilCount(0, 1);
    }

    @Test
    void shouldNotHoldBackAFetchAfterASeekDuringTheLastFetch()
    {
        broker.append(0, "a", "b");
        reading = Reading.start(context().fetchMaxWaitMs(1));
        reading.until("a fetch", () -> sent() == 1);
        reading.consumer().seek(0, 1);
        reading.until("the next", () -> sent() == 2);

        assertEquals(0, delayed());
        reading.untilCount(0, 1);
    }

    @Test
    void shouldNotHoldBackAFetchAfterAResume()
    {
        broker.append(0, "a");
        reading = Reading.start(context());
        readUntilHeldBack(1);
        broker.append(0, "b");
        reading.consumer().pause(0);
        reading.consumer().pause(1);
        assertNothingIsSent();
        reading.consumer().resume(0);

        assertSentAtOnce();
        reading.untilCount(0, 2);
    }

    @Test
    void shouldNotHoldBackAFetchAfterAnAssign()
    {
        broker.append(0, "a").append(1, "x");
        reading = Reading.start(context().partitions(0));
        readUntilHeldBack(1);
        reading.consumer().assign(1, StartPosition.offset(0));

        assertSentAtOnce();
        reading.untilCount(1, 1);
    }

    @Test
    void shouldNotHoldBackAFetchWhileTheLogHasMoreRecords()
    {
        broker.script(0, (requested) -> OneTopicBroker.data(0, 50,
            OneTopicBroker.batch(requested.fetchOffset(), "value")));
        reading = Reading.start(context().partitions(0));
        reading.untilCount(0, 49);
        assertEquals(0, delayed());

        readUntilHeldBack(50);
        assertNothingIsSent();
    }

    @Test
    void shouldNotHoldBackAFetchAfterALargeResponse()
    {
        broker.append(0, "x".repeat(LARGE));
        reading = Reading.start(context());
        reading.untilCount(0, 1);
        reading.until("the next fetch", () -> sent() > 1);

        assertEquals(0, delayed());
    }

    @Test
    void shouldContinueWhenTheConnectionBreaksWhileAFetchIsHeldBack()
    {
        broker.append(0, "a");
        reading = Reading.start(context());
        readUntilHeldBack(1);
        broker.append(0, "b");
        broker.peer().cut();

        reading.until("the next record", () ->
        {
            nowNs += TimeUnit.MILLISECONDS.toNanos(1);
            return reading.count(0) == 2;
        });
    }

    /** If a wait did not end with the interval, this test would not end. */
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldWaitForTheEndOfTheInterval(final TransportType transport)
    {
        broker.append(0, "0");
        reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0)).transport(transport)
            .fetchMinIntervalUs(100_300));
        reading.untilCount(0, 1);
        for (int i = 1; delayed() < 3; i++)
        {
            broker.append(0, Integer.toString(i));
            assertTrue(reading.consumer().poll(reading, 100, HOUR_NS) > 0);
        }
        assertEquals(broker.endOffset(0), reading.consumer().nextOffset(0));
    }
}
