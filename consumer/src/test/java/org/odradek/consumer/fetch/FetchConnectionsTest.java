// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests how many connections to a broker are used, and which partitions each has. */
class FetchConnectionsTest
{
    private final RatedBroker broker = new RatedBroker();

    // Behaviour P210, tried 2026-11-29: Lagging partitions of a distant broker are fetched over several connections, by
    // default at most eight; at the ends of their logs they share one connection. A further connection that is no
    // longer used is closed after a while, and is opened at most once in 30 s. Throttling or a refusal limits the
    // number of connections.
    @Test
    void shouldUseAsManyAsPossibleAtOnceWhereTheWindowLimitsTheRate()
    {
        broker.start(16);
        broker.round();
        assertEquals(List.of(), broker.events);

        broker.round();
        assertEquals(List.of("1 to 8: the thread waits for a distant broker"), broker.events);
        broker.rounds(100);

        assertEquals(List.of(2, 2, 2, 2, 2, 2, 2, 2), broker.distribution());
        assertEquals(1, broker.events.size());
        assertEquals(7, broker.counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
    }

    @Test
    void shouldStayAtOneWhileTheSizeOfFetchesLimitsTheRate()
    {
        broker.receiveNs = broker.roundTripNs;
        broker.start(16);

        broker.rounds(100);
        assertEquals(List.of(16), broker.distribution());
        assertTrue(broker.connections.isSteady());

        broker.isLargest = true;
        broker.rounds(20);
        assertEquals(8, broker.openCount());
    }

    /** Each move changes the assignment, after which no response on its way teaches anything. */
    @Test
    void shouldDistributeManyPartitionsAtOnce()
    {
        broker.settings.fetchConnections = 4;
        broker.start(1_000);

        broker.respond(0, true);
        broker.respond(0, true);
        assertEquals(List.of(500, 500), broker.distribution());
        broker.respond(0, true);
        assertEquals(List.of(333, 334, 333), broker.distribution());
        broker.respond(0, true);
        assertEquals(List.of(250, 250, 250, 250), broker.distribution());
    }

    @Test
    void shouldCountResponsesOverWhosePartitionsNothingIsLearned()
    {
        broker.start(16);
        broker.disturbedOf = 2;

        broker.rounds(200);

        assertEquals(8, broker.openCount());
        assertEquals(1, broker.events.size());
    }

    @Test
    void shouldUseAsManyConnectionsAsPartitionsLag()
    {
        broker.start(5);

        broker.rounds(100);

        assertEquals(List.of(1, 1, 1, 1, 1), broker.distribution());
    }

    // Behaviour P210.
    @Test
    void shouldHalveWhileHalfBringsMostOfTheRateAndTryMoreLessAndLessOften()
    {
        broker.rate = (count) -> Math.min(16, 8 * count);
        broker.start(16);
        broker.rounds(100);

        assertEquals(List.of(8, 8), broker.distribution());
        assertEquals(2, broker.openCount());
        assertEquals(List.of("1 to 8: the thread waits for a distant broker", "8 to 4: half as many may suffice",
            "4 to 2: half as many may suffice"), broker.events);
        final List<Long> minutes = new ArrayList<>();
        long foundNs = broker.nowNs;
        for (int i = 0, seen = broker.events.size(); minutes.size() < 6; i++)
        {
            assertTrue(i < 1_000_000, minutes + " in " + broker.nowNs + " ns");
            broker.round();
            if (broker.events.size() > seen)
            {
                assertEquals("2 to 8: the thread waits for a distant broker", broker.events.get(seen));
                minutes.add((broker.nowNs - foundNs) / TimeUnit.MINUTES.toNanos(1));
                broker.rounds(100);
                seen += 3;
                assertEquals(seen, broker.events.size());
                assertEquals(2, broker.openCount());
                foundNs = broker.nowNs;
            }
        }
        // 100 rounds take 12 s.
        assertEquals(List.of(0L, 1L, 3L, 7L, 9L, 9L), minutes);
    }

    /** One alone brings so much that only a trial can show what half of them bring. */
    @Test
    void shouldRestoreTheNumberIfHalfBringsTooLittle()
    {
        broker.rate = (count) -> count == 1 ? 8 : 3 * count;
        broker.start(16);
        broker.untilEvents(2);
        assertEquals("8 to 4: half as many may suffice", broker.events.get(1));
        assertEquals(8, broker.openCount());
        assertFalse(broker.connections.isEnough());

        broker.rounds(4);
        assertEquals("4 to 8: half as many bring too little", broker.events.get(2));
        broker.rounds(100);

        assertEquals(List.of(2, 2, 2, 2, 2, 2, 2, 2), broker.distribution());
        assertEquals(3, broker.events.size());
        assertEquals(7, broker.counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
        assertTrue(broker.connections.isEnough());
    }

    @Test
    void shouldJudgeHalfOfTheNumberByTwoWindowsIfTheFirstIsInDoubt()
    {
        final int[] ofHalf = {17};
        broker.rate = (count) -> count > 4 ? 20 : count == 4 ? ofHalf[0] : 6;
        broker.start(16);
        broker.untilEvents(2);
        broker.rounds(3);
        assertEquals(2, broker.events.size());
        broker.rounds(2);
        assertEquals("4 to 8: half as many bring too little", broker.events.get(2));

        broker.connections.onThrottled(broker.nowNs);
        broker.connect();
        broker.pass(61_000);
        broker.untilEvents(6);
        assertEquals("8 to 4: half as many may suffice", broker.events.get(5));
        broker.rounds(3);
        ofHalf[0] = 19;
        broker.rounds(20);

        assertEquals(4, broker.openCount());
    }

    @Test
    void shouldNotAddUpWhatEachHalvingLoses()
    {
        broker.rate = (count) -> count > 4 ? 18 : count == 4 ? 17 : count == 2 ? 16 : 8;
        broker.start(16);
        broker.rounds(100);

        assertEquals(4, broker.openCount());
        assertEquals(List.of("1 to 8: the thread waits for a distant broker", "8 to 4: half as many may suffice",
            "4 to 2: half as many may suffice", "2 to 4: half as many bring too little"), broker.events);
    }

    @Test
    void shouldReadTheNextBacklogOverTheNumberThatWasFound()
    {
        broker.rate = (count) -> Math.min(16, 8 * count);
        broker.start(16);
        broker.rounds(100);
        assertEquals(2, broker.openCount());
        broker.endLogs();
        assertEquals("2 to 1: the logs were read to their ends", broker.events.get(3));

        broker.lagAll();
        broker.rounds(20);
        assertEquals(List.of(8, 8), broker.distribution());
        assertEquals("1 to 2: the thread waits for a distant broker", broker.events.get(4));
        assertTrue(broker.connections.isEnough());

        broker.endLogs();
        broker.pass(60_000);
        broker.lagAll();
        broker.rounds(3);
        assertEquals("1 to 8: the thread waits for a distant broker", broker.events.get(6));
    }

    // Behaviour P210.
    @Test
    void shouldStayAtOneNextDoor()
    {
        broker.roundTripNs = 999_999;
        broker.start(16);

        broker.rounds(100);

        assertEquals(List.of(16), broker.distribution());
        assertTrue(broker.connections.isEnough());
        assertEquals(List.of(), broker.events);
    }

    @Test
    void shouldStayAtOneWhileTheHandlerTakesHalfOfTheTime()
    {
        broker.waitedPercent = 50;
        broker.start(16);

        broker.rounds(100);

        assertEquals(List.of(16), broker.distribution());
        assertTrue(broker.connections.isEnough());
    }

    @Test
    void shouldUseNoMoreConnectionsThanPartitionsLag()
    {
        broker.start(3);
        broker.rounds(100);
        assertEquals(List.of(1, 1, 1), broker.distribution());

        broker.close(1);
        broker.close(2);
        broker.start(1);
        broker.rounds(100);
        assertEquals(List.of(1), broker.distribution());
        assertTrue(broker.connections.isEnough());
    }

    @Test
    void shouldAllowLargerFetchesOnlyWhenMoreConnectionsBringNoMore()
    {
        broker.rate = (count) -> 8;
        broker.start(4);
        assertFalse(broker.connections.isEnough());

        broker.rounds(4);
        assertEquals(4, broker.openCount());
        assertFalse(broker.connections.isEnough());
        broker.rounds(20);

        assertEquals("2 to 1: half as many may suffice", broker.events.get(broker.events.size() - 1));
        assertEquals(1, broker.openCount());
        assertTrue(broker.connections.isEnough());
    }

    @Test
    void shouldOpenTheNextConnectionWhenTheLastIsReady()
    {
        broker.settings.fetchConnections = 3;
        broker.start(9);

        for (int i = 0; i < 3; i++)
        {
            broker.receive(0);
            broker.plain(true);
            broker.assign();
        }
        assertEquals(List.of(9), broker.distribution());
        assertEquals(2, broker.openCount());

        broker.connections.onReady(1);
        broker.assign();
        assertEquals(List.of(5, 4), broker.distribution());
        assertEquals(3, broker.openCount());

        broker.connections.onReady(2);
        broker.respond(0, true);
        assertEquals(List.of(3, 3, 3), broker.distribution());
        assertEquals(List.of(), broker.events);
    }

    @Test
    void shouldKeepAConnectionWithoutPartitionsUntilItIsUnused()
    {
        broker.settings.fetchConnections = 2;
        broker.start(2);
        broker.respond(0, true);
        assertEquals(2, broker.openCount());
        broker.table.partition(0).onResponse(false);
        broker.connect();
        assertEquals(List.of(2), broker.distribution());
        assertEquals(2, broker.openCount());

        broker.lagAll();
        broker.respond(0, true);
        assertEquals(List.of(1, 1), broker.distribution());
        broker.connections.onUnused(1);
        broker.connect();

        assertEquals(List.of(2), broker.distribution());
        assertEquals(1, broker.openCount());
    }

    /** It may be resumed in a moment, and each move discards what is in flight. */
    // Behaviour P210.
    @Test
    void shouldNotTakeThePlaceOfPartitionsThatArePaused()
    {
        broker.settings.fetchConnections = 4;
        broker.start(16);
        broker.rounds(10);
        assertEquals(List.of(4, 4, 4, 4), broker.distribution());
        for (int p = 0; p < 16; p++)
        {
            if (broker.table.partition(p).connection() == 2)
            {
                broker.table.pause(p);
            }
        }

        broker.rounds(10);

        assertEquals(List.of(4, 4, 4, 4), broker.distribution());
    }

    // Behaviour P210.
    @Test
    void shouldOpenEachConnectionOnceInThirtySeconds()
    {
        broker.settings.fetchConnections = 3;
        broker.start(9);
        broker.respond(0, true);
        broker.respond(1, true);
        broker.pass(5_000);
        broker.respond(0, true);
        assertEquals(3, broker.openCount());

        for (int second = 5; second < 60; second++)
        {
            broker.connections.onUnused(1);
            broker.connections.onUnused(2);
            broker.connect();
            broker.respond(0, true);
            broker.connect();
            assertEquals(second < 30 ? 2 : 4, broker.counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
            broker.pass(1_000);
        }
    }

    @Test
    void shouldMoveOnlyPartitionsThatLag()
    {
        broker.settings.fetchConnections = 8;
        broker.start(9);
        for (int p = 0; p < 7; p++)
        {
            broker.table.partition(p).onResponse(false);
        }

        broker.rounds(20);

        assertEquals(List.of(8, 1), broker.distribution());
    }

    @Test
    void shouldNotMovePartitionsThatAreNotFetched()
    {
        broker.settings.fetchConnections = 8;
        broker.start(8);
        broker.table.pause(0);
        broker.table.stop(1, StopReason.BROKER_ERROR, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
        broker.table.backOff(2, ErrorCode.KAFKA_STORAGE_ERROR, broker.nowNs);

        for (int i = 0; i < 20; i++)
        {
            broker.respond(0, true);
        }

        assertEquals(List.of(4, 1, 1, 1, 1), broker.distribution());
        assertEquals(0, broker.table.partition(0).connection());
    }

    // Behaviour P210.
    @Test
    void shouldReturnToOneAtTheEndsOfTheLogs()
    {
        broker.start(8);
        broker.rounds(100);

        broker.endLogs();
        assertEquals(7, broker.counter(ConsumerCounters.FETCH_CONNECTIONS_REMOVED));

        assertEquals("8 to 1: the logs were read to their ends", broker.events.get(broker.events.size() - 1));
        broker.lagAll();
        broker.rounds(100);
        assertEquals(8, broker.openCount());
    }

    // Behaviour P210.
    @Test
    void shouldReturnToOneForAMinuteWhenTheBrokerThrottles()
    {
        broker.start(8);
        broker.rounds(100);

        broker.connections.onThrottled(broker.nowNs);
        broker.connect();
        assertEquals(List.of(8), broker.distribution());
        assertEquals("8 to 1: the broker throttles the consumer", broker.events.get(broker.events.size() - 1));
        final long throttledNs = broker.nowNs;
        while (broker.openCount() == 1)
        {
            broker.round();
        }

        assertEquals(60, (broker.nowNs - throttledNs) / TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void shouldWaitUntilTheLatestTimeThatTheBrokerHasDemanded()
    {
        broker.start(8);
        final long latestNs = broker.nowNs + TimeUnit.SECONDS.toNanos(5);

        broker.connections.onThrottled(latestNs);
        broker.connections.onThrottled(broker.nowNs + TimeUnit.SECONDS.toNanos(1));

        assertEquals(latestNs, broker.connections.nextDeadlineNs(broker.nowNs + TimeUnit.SECONDS.toNanos(60)));
    }

    @Test
    void shouldReturnAFixedNumberToOneForAMinuteWhenTheBrokerThrottles()
    {
        broker.settings.fetchConnections = 2;
        broker.start(8);
        broker.rounds(100);
        assertEquals(List.of(4, 4), broker.distribution());

        broker.connections.onThrottled(broker.nowNs);
        broker.connect();
        assertEquals(List.of(8), broker.distribution());
        broker.pass(59_000);
        broker.respond(0, true);
        assertEquals(1, broker.openCount());
        broker.pass(1_000);
        broker.respond(0, true);

        assertEquals(2, broker.openCount());
    }

    /** The fourth connection is opened, but has no response yet. */
    private void openFourOfEight()
    {
        broker.settings.fetchConnections = 8;
        broker.start(8);
        broker.respond(0, true);
        broker.respond(1, true);
        broker.respond(2, true);
        assertEquals(4, broker.openCount());
    }

    // Behaviour P210.
    @Test
    void shouldUseAsManyAsTheBrokerAcceptsForTenMinutes()
    {
        openFourOfEight();

        broker.connections.onFailed(3, false);
        broker.connect();
        assertEquals(3, broker.openCount());
        assertEquals("8 to 3: the broker has refused another", broker.events.get(broker.events.size() - 1));
        broker.rounds(20);
        assertEquals(3, broker.openCount());
        broker.pass(600_000);
        broker.lagAll();
        broker.rounds(20);

        assertEquals(8, broker.openCount());
    }

    /** The broker has ended while a further connection was being opened. */
    @Test
    void shouldNotTakeTheEndOfTheBrokerForARefusal()
    {
        openFourOfEight();

        broker.connections.onFailed(0, true);
        broker.connections.onFailed(3, false);

        assertTrue(broker.events.stream().noneMatch((event) -> event.contains("refused")), broker.events::toString);
    }

    @Test
    void shouldReturnThePartitionsOfAConnectionThatFails()
    {
        broker.settings.fetchConnections = 3;
        broker.start(9);
        broker.rounds(3);
        assertEquals(List.of(3, 3, 3), broker.distribution());

        broker.pass(30_000);
        broker.connections.onFailed(1, true);
        broker.connect();

        assertEquals(List.of(6, 0, 3), broker.distribution());
        assertEquals(List.of(), broker.events);
        broker.lagAll();
        broker.rounds(7);
        assertEquals(List.of(6, 0, 3), broker.distribution());
        broker.rounds(7);
        assertEquals(List.of(3, 3, 3), broker.distribution());
    }

    @Test
    void shouldCountConnectionsThatFailTogetherAsOneFailure()
    {
        broker.settings.fetchConnections = 8;
        broker.settings.reconnectBackoffMaxMs = 1_000;
        broker.start(8);
        broker.rounds(20);
        assertEquals(8, broker.openCount());
        broker.pass(30_000);

        for (int number = 1; number < 8; number++)
        {
            broker.connections.onFailed(number, true);
        }
        broker.connect();
        broker.lagAll();
        broker.pass(999);
        broker.respond(0, true);
        assertEquals(1, broker.openCount());
        broker.pass(1);
        broker.respond(0, true);

        assertEquals(2, broker.openCount());
    }

    @Test
    void shouldNotJudgeATrialWhosePartitionsHaveLeft()
    {
        broker.rate = (count) -> 16;
        broker.start(16);
        broker.untilEvents(2);
        for (int number = 7; number >= 0; number--)
        {
            broker.close(number);
        }
        broker.pass(70_000);

        broker.open(0);
        broker.connections.onReady(0);
        assertEquals("4 to 8: its partitions have left", broker.events.get(2));
        broker.rate = (count) -> 8 * count;
        for (int p = 0; p < 16; p++)
        {
            broker.table.connection(p, 0);
        }
        broker.lagAll();
        broker.rounds(100);

        assertEquals(8, broker.openCount());
        assertEquals(3, broker.events.size());
    }

    @Test
    void shouldHalveAnyNumber()
    {
        broker.rate = (count) -> 8 * Math.min(2, count);
        broker.start(7);

        broker.rounds(100);

        assertEquals(List.of(
            "1 to 7: the thread waits for a distant broker", "7 to 3: half as many may suffice"), broker.events);
        assertEquals(3, broker.openCount());
    }

    @Test
    void shouldRaiseTheNumberAfterARefusalWhenItMayBeTriedAgain()
    {
        broker.start(8);
        while (broker.openCount() < 4)
        {
            broker.round();
        }
        broker.connections.onFailed(3, false);
        broker.connect();
        broker.lagAll();
        broker.rounds(100);
        assertEquals(3, broker.openCount());

        broker.pass(600_000);
        broker.lagAll();
        broker.rounds(100);

        assertEquals(List.of("8 to 3: the broker has refused another", "3 to 8: the thread waits for a distant broker"),
            broker.events.subList(1, broker.events.size()));
        assertEquals(8, broker.openCount());
    }

    @Test
    void shouldOpenAConnectionThatFailsAgainAndAgainLessAndLessOften()
    {
        broker.settings.fetchConnections = 2;
        broker.start(8);
        broker.respond(0, true);
        broker.respond(1, true);
        for (final int seconds : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600})
        {
            broker.failAfter(seconds);
        }

        broker.pass(601_000);
        broker.failAfter(1);
    }
}
