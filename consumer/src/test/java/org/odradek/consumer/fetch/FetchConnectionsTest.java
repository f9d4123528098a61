// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests how many connections to a broker are used, and which partitions each has, against a broker that is a rate for
 * each number of connections.
 */
class FetchConnectionsTest
{
    private static final int MIB = 1 << 20;
    private static final int NODE = 1;
    private static final long FAR_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Settings settings = new Settings();
    private final CounterWriter counters = new CounterWriter();
    private final List<String> events = new ArrayList<>();
    private final int[] capacities = new int[8];
    private long nowNs;
    private final DutyClock clock = new DutyClock(() -> nowNs, () -> 0);
    private final MemoryBudget budget = new MemoryBudget(1 << 30, (bytes) -> {});
    private PartitionTable table;
    private FetchConnections connections;
    private long roundTripNs = FAR_NS;
    /** MiB per second by the number of connections. */
    private IntUnaryOperator rate = (count) -> 8 * count;
    private int waitedPercent = 100;

    private void start(final int partitions)
    {
        settings.fetchMaxBytes = 8 * MIB;
        settings.partitionMaxBytes = MIB;
        settings.fetchMemory = settings.fetchMemory == 0 ? 8 * settings.receiveBufferLength() : settings.fetchMemory;
        table = new PartitionTable(settings);
        table.ensureCapacity(partitions);
        for (int p = 0; p < partitions; p++)
        {
            table.leader(p, NODE, 0);
            table.assignAtOffset(p, 0);
            lag(p);
        }
        connections = new FetchConnections(NODE, table, new Environment(
            settings, null, clock, budget, counters, new ConsumerListener()
            {
                @Override
                public void onFetchConnections(
                    final int nodeId, final int fromCount, final int toCount, final String reason)
                {
                    events.add(fromCount + " to " + toCount + ": " + reason);
                }
            }, (error) -> {}));
        open(0);
    }

    private void lag(final int partition)
    {
        for (int i = 0; i < 4; i++)
        {
            table.partition(partition).onResponse(true);
        }
    }

    private void open(final int number)
    {
        capacities[number] = settings.receiveBufferLength();
        connections.onOpened(number, capacities[number]);
    }

    private void close(final int number)
    {
        capacities[number] = 0;
        connections.onClosed(number);
    }

    /** How many partitions each connection has, without the zeros at the end. */
    private List<Integer> distribution()
    {
        final Integer[] counts = new Integer[8];
        Arrays.fill(counts, 0);
        int used = 1;
        for (int p = 0; p < table.capacity(); p++)
        {
            final int number = table.partition(p).connection();
            counts[number]++;
            used = Math.max(used, number + 1);
        }
        return List.of(counts).subList(0, used);
    }

    /** Opens the connections that were given a partition, and closes those that have none, as the conductor does. */
    private void connect()
    {
        final List<Integer> counts = distribution();
        for (int number = 1; number < 8; number++)
        {
            final boolean isUsed = number < counts.size() && counts.get(number) > 0;
            if (isUsed && capacities[number] == 0)
            {
                open(number);
            }
            else if (!isUsed && capacities[number] > 0)
            {
                close(number);
            }
        }
    }

    private int openCount()
    {
        return (int)Arrays.stream(capacities).filter((length) -> length > 0).count();
    }

    private void pass(final long ms)
    {
        clock.idle(true);
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms * waitedPercent / 100);
        clock.update();
        clock.idle(false);
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms - ms * waitedPercent / 100);
        clock.update();
    }

    private void respond(final int number, final boolean isMoreInLog)
    {
        connections.onResponse(number, MIB, capacities[number], roundTripNs, isMoreInLog);
        connect();
    }

    /** Every connection receives a full response. */
    private void round()
    {
        final int count = openCount();
        pass(1_000L * count / rate.applyAsInt(count));
        for (int number = 0; number < 8; number++)
        {
            if (capacities[number] > 0)
            {
                respond(number, true);
            }
        }
    }

    private void rounds(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            round();
        }
    }

    private long counter(final int id)
    {
        return counters.get(id);
    }

    @Test
    void shouldDoubleWhileThatBringsMore()
    {
        start(16);

        rounds(100);

        assertEquals(List.of(2, 2, 2, 2, 2, 2, 2, 2), distribution());
        assertEquals(List.of(
            "1 to 2: the thread waits for a distant broker",
            "2 to 4: the thread waits for a distant broker",
            "4 to 8: the thread waits for a distant broker"), events);
        assertEquals(7, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
    }

    @Test
    void shouldUndoADoublingThatBringsTooLittleAndTryAgainLessAndLessOften()
    {
        rate = (count) -> Math.min(16, 8 * count);
        start(16);
        rounds(100);

        assertEquals(List.of(8, 8), distribution());
        assertEquals("4 to 2: more brought too little", events.get(events.size() - 1));
        final List<Long> minutes = new ArrayList<>();
        long undoneNs = nowNs;
        for (int i = 0, seen = events.size(); minutes.size() < 6; i++)
        {
            assertTrue(i < 1_000_000, minutes + " in " + nowNs + " ns");
            round();
            if (events.size() > seen && openCount() > 2)
            {
                seen = events.size() + 1;
                minutes.add((nowNs - undoneNs) / TimeUnit.MINUTES.toNanos(1));
                while (events.size() < seen)
                {
                    round();
                }
                undoneNs = nowNs;
            }
        }
        assertEquals(List.of(2L, 4L, 8L, 10L, 10L), minutes.subList(1, 6));
    }

    @Test
    void shouldNotDoubtADoublingBecauseOfOneWindow()
    {
        start(16);
        rounds(10);
        assertEquals(2, openCount());

        rate = (count) -> 8;
        rounds(6);
        rate = (count) -> 8 * count;
        rounds(100);

        assertEquals(8, openCount());
        assertEquals(3, events.size());
    }

    @Test
    void shouldStayAtOneNextDoor()
    {
        roundTripNs = 999_999;
        start(16);

        rounds(100);

        assertEquals(List.of(16), distribution());
        assertTrue(connections.isEnough());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldStayAtOneWhileTheHandlerTakesHalfOfTheTime()
    {
        waitedPercent = 50;
        start(16);

        rounds(100);

        assertEquals(List.of(16), distribution());
        assertTrue(connections.isEnough());
    }

    @Test
    void shouldUseNoMoreConnectionsThanPartitionsLag()
    {
        start(3);
        rounds(100);
        assertEquals(List.of(1, 1, 1), distribution());

        close(1);
        close(2);
        start(1);
        rounds(100);
        assertEquals(List.of(1), distribution());
        assertTrue(connections.isEnough());
    }

    @Test
    void shouldAllowLargerFetchesOnlyWhenMoreConnectionsBringNoMore()
    {
        rate = (count) -> 8;
        start(4);
        assertFalse(connections.isEnough());

        rounds(9);
        assertEquals(2, openCount());
        assertFalse(connections.isEnough());
        while (events.size() < 2)
        {
            round();
        }

        assertEquals(1, openCount());
        assertTrue(connections.isEnough());
    }

    @Test
    void shouldOpenTheNextConnectionWhenTheLastIsReady()
    {
        settings.fetchConnections = 3;
        start(9);

        respond(0, true);
        assertEquals(2, openCount());
        respond(0, true);
        respond(0, true);
        assertEquals(2, openCount());
        connections.onReady(1);
        respond(0, true);
        assertEquals(3, openCount());
        connections.onReady(2);
        respond(0, true);

        assertEquals(List.of(3, 3, 3), distribution());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldMoveOnlyPartitionsThatLag()
    {
        settings.fetchConnections = 8;
        start(9);
        for (int p = 0; p < 7; p++)
        {
            table.partition(p).onResponse(false);
        }

        rounds(20);

        assertEquals(List.of(8, 1), distribution());
    }

    @Test
    void shouldReturnToOneAtTheEndsOfTheLogs()
    {
        start(8);
        rounds(100);
        for (int p = 0; p < 8; p++)
        {
            table.partition(p).onResponse(false);
            table.connection(p, 0);
        }
        connect();
        assertEquals(7, counter(ConsumerCounters.FETCH_CONNECTIONS_REMOVED));

        respond(0, false);

        assertEquals("8 to 1: the logs were read to their ends", events.get(events.size() - 1));
        for (int p = 0; p < 8; p++)
        {
            lag(p);
        }
        rounds(100);
        assertEquals(8, openCount());
    }

    @Test
    void shouldReturnToOneForAMinuteWhenTheBrokerThrottles()
    {
        start(8);
        rounds(100);

        connections.onThrottled();
        connect();
        assertEquals(List.of(8), distribution());
        assertEquals("8 to 1: the broker throttles the consumer", events.get(events.size() - 1));
        final long throttledNs = nowNs;
        while (openCount() == 1)
        {
            round();
        }

        assertEquals(60, (nowNs - throttledNs) / TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void shouldReturnAFixedNumberToOneForAMinuteWhenTheBrokerThrottles()
    {
        settings.fetchConnections = 2;
        start(8);
        rounds(100);
        assertEquals(List.of(4, 4), distribution());

        connections.onThrottled();
        connect();
        assertEquals(List.of(8), distribution());
        pass(59_000);
        respond(0, true);
        assertEquals(1, openCount());
        pass(1_000);
        respond(0, true);

        assertEquals(2, openCount());
    }

    @Test
    void shouldUseAsManyAsTheBrokerAcceptsForTenMinutes()
    {
        settings.fetchConnections = 8;
        start(8);
        respond(0, true);
        respond(1, true);
        respond(2, true);
        assertEquals(4, openCount());

        connections.onFailed(3, false);
        connect();
        assertEquals(3, openCount());
        assertEquals("8 to 3: the broker has refused another", events.get(events.size() - 1));
        rounds(20);
        assertEquals(3, openCount());
        pass(600_000);
        for (int p = 0; p < 8; p++)
        {
            lag(p);
        }
        rounds(20);

        assertEquals(8, openCount());
    }

    @Test
    void shouldReturnThePartitionsOfAConnectionThatFails()
    {
        settings.fetchConnections = 3;
        start(9);
        rounds(3);
        assertEquals(List.of(3, 3, 3), distribution());

        connections.onFailed(1, true);
        connect();

        assertEquals(List.of(6, 0, 3), distribution());
        assertEquals(List.of(), events);
        for (int p = 0; p < 9; p++)
        {
            lag(p);
        }
        rounds(7);
        assertEquals(List.of(6, 0, 3), distribution());
        rounds(7);
        assertEquals(List.of(3, 3, 3), distribution());
    }

    @Test
    void shouldStayWithinTheMemoryOfTheBroker()
    {
        settings.fetchMaxBytes = 8 * MIB;
        settings.partitionMaxBytes = MIB;
        settings.fetchMemory = 5 * settings.receiveBufferLength() - 1;
        start(8);

        rounds(100);

        assertEquals(List.of(2, 2, 2, 2), distribution());
        assertEquals(settings.receiveBufferLength() - 1, connections.memoryLeft());
    }

    @Test
    void shouldShortenBuffersBeforeItAddsAConnection()
    {
        start(8);
        capacities[0] = settings.receiveBufferLength(8 * MIB);
        rounds(5);
        assertEquals(1, openCount());
        assertTrue(connections.isShrinking());
        assertFalse(connections.isEnough());

        capacities[0] = settings.receiveBufferLength();
        rounds(8);
        assertEquals(2, openCount());
        assertFalse(connections.isShrinking());
    }

    @Test
    void shouldGiveUpWhereBatchesNeedTheMemory()
    {
        start(8);
        capacities[0] = settings.receiveBufferLength(8 * MIB);

        rounds(30);

        assertEquals(1, openCount());
        assertFalse(connections.isShrinking());
        assertTrue(connections.isEnough());
    }
}
