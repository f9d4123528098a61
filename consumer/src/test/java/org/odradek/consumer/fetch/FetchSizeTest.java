// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerListener;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests how the maximum of fetches follows the responses and the time that the thread waits.
 */
class FetchSizeTest
{
    private static final int MIB = 1 << 20;
    private static final int PARTITIONS = 64;
    private static final long FAR_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ConsumerSettings settings = new ConsumerSettings();
    private long nowNs;
    private final DutyClock clock = new DutyClock(() -> nowNs, () -> 0);
    private MemoryBudget budget;
    private Environment environment;
    private FetchConnections connections;
    private FetchSize size;
    /** Of a second connection to the same broker. */
    private FetchSize other;
    private final FetchSample sample = new FetchSample();
    /** The time from the first byte of a response to its last one, as where the window limits the rate. */
    private long receiveNs = 5 * FAR_NS;

    @BeforeEach
    void start()
    {
        settings.fetchMaxBytes = 8 * MIB;
        settings.partitionMaxBytes = MIB;
        settings.fetchConnections = 1;
        budget = UnlimitedMemory.budget(1 << 30);
        create();
    }

    private void create()
    {
        settings.fetchMemory = settings.fetchMemory == 0 ?
            settings.receiveBufferLength(settings.fetchMaxBytes) : settings.fetchMemory;
        environment = new Environment(
            settings, null, clock, budget, new CounterWriter(), ConsumerListener.NONE, (error) -> {});
        connections = new FetchConnections(1, new PartitionTable(settings), environment);
        size = new FetchSize(connections, 0, environment);
        other = new FetchSize(connections, 1, environment);
        answered(connections, FAR_NS);
    }

    /** Lets 20 ms pass, of which the thread waits for a part. */
    private void pass(final int waitedMs)
    {
        pass(waitedMs, 20);
    }

    private void pass(final int waitedMs, final int totalMs)
    {
        clock.idle(true);
        nowNs += TimeUnit.MILLISECONDS.toNanos(waitedMs);
        clock.update();
        clock.idle(false);
        nowNs += TimeUnit.MILLISECONDS.toNanos(totalMs - waitedMs);
        clock.update();
    }

    /** A full response that took so many milliseconds for each MiB. */
    private int limited(final int msPerMib)
    {
        final int ms = size.maxBytes / MIB * msPerMib;
        pass(ms, ms);
        respond(size, size.maxBytes, true, PARTITIONS, 8 * MIB);
        return size.maxBytes / MIB;
    }

    private int respond(final int waitedMs, final int length)
    {
        pass(waitedMs);
        final int capacity = settings.receiveBufferLength(size.maxBytes);
        connections.onOpened(0, capacity);
        respond(size, length, true, PARTITIONS, capacity);
        return size.maxBytes / MIB;
    }

    private void answered(final FetchConnections from, final long roundTripNs)
    {
        from.onOpened(0, settings.receiveBufferLength());
        from.onReady(0);
        sample.length = MIB;
        sample.capacity = settings.receiveBufferLength();
        sample.roundTripNs = roundTripNs;
        from.onReceived(0, sample);
    }

    private void respond(final FetchSize to,
        final int length, final boolean isMoreInLog, final int partitionCount, final int capacity)
    {
        sample.length = length;
        sample.isMoreInLog = isMoreInLog;
        sample.partitionCount = partitionCount;
        sample.capacity = capacity;
        sample.receiveNs = receiveNs;
        to.onResponse(sample);
    }

    private int full(final int waitedMs)
    {
        return respond(waitedMs, size.maxBytes);
    }

    // Behaviour P209, tried 2026-11-29: While responses are full and the thread waits for them, fetches request more
    // bytes, as long as this increases the rate and the declared memory allows it. At the end of the logs fetches
    // request as many bytes as the first fetch.
    @Test
    void shouldDoubleWithTwoFullResponsesWhileTheThreadWaits()
    {
        assertEquals(List.of(1, 2, 2, 4, 4, 8, 8, 8),
            List.of(full(6), full(6), full(6), full(6), full(6), full(6), full(6), full(6)));
    }

    @Test
    void shouldDoubleWithEachFullResponseThatArrivesWithinARoundTrip()
    {
        receiveNs = FAR_NS;
        assertEquals(List.of(2, 2, 4, 8, 8), List.of(full(6), respond(20, MIB), full(6), full(6), full(6)));
        assertFalse(size.takeUndone());

        respond(size, size.maxBytes, false, PARTITIONS, settings.receiveBufferLength(size.maxBytes));
        assertEquals(List.of(1, 1, 2), List.of(full(5), full(5), full(6)));
        receiveNs = FAR_NS + 1;
        assertEquals(List.of(2, 4), List.of(full(6), full(6)));
    }

    // Behaviour P209.
    @Test
    void shouldStayWhileTheHandlerTakesThreeQuartersOfTheTime()
    {
        assertEquals(List.of(1, 1, 1, 1), List.of(full(5), full(5), full(5), full(5)));
        assertEquals(2, full(6));
    }

    @Test
    void shouldGrowToTheMostOfAPartitionBesideTheBrokerWhateverTheThreadDoesAndWhateverThatBrings()
    {
        settings.partitionMaxBytes = 4 * MIB;
        create();
        answered(connections, 999_999);

        assertEquals(List.of(2, 4, 4, 4, 4, 4), List.of(full(0), full(0), full(0), full(0), full(0), full(0)));
        assertEquals(8, full(6));
    }

    @Test
    void shouldGrowBesideTheBrokerWhileTheThreadWaitsWhateverThatBrings()
    {
        answered(connections, 999_999);

        assertEquals(List.of(1, 2, 2, 4, 4, 8, 8, 8), List.of(limited(100), limited(100), limited(100),
            limited(100), limited(100), limited(100), limited(100), limited(100)));
        assertFalse(size.takeUndone());

        size.reset();
        assertEquals(List.of(1, 1, 1), List.of(full(5), full(5), full(5)));
    }

    /** Its time is not known. */
    @Test
    void shouldNotJudgeADoublingByAResponseThatWasDisturbed()
    {
        assertEquals(List.of(1, 2, 2), List.of(limited(100), limited(100), limited(50)));

        size.onDisturbed();
        pass(10_000, 10_000);

        assertEquals(List.of(2, 4), List.of(limited(50), limited(50)));
    }

    @Test
    void shouldStayFarFromTheBrokerWhateverAPartitionMayHave()
    {
        settings.partitionMaxBytes = 4 * MIB;
        create();
        answered(connections, 1_000_000);

        assertEquals(List.of(1, 1, 1, 1), List.of(full(5), full(5), full(5), full(5)));
    }

    // Behaviour P209.
    @Test
    void shouldStayWhileResponsesAreNotFull()
    {
        final int seven = MIB - MIB / 8;

        assertEquals(List.of(1, 1, 1, 1), List.of(full(20), respond(20, seven - 1), full(20), respond(20, 0)));
        assertEquals(List.of(1, 2), List.of(respond(20, seven), respond(20, seven)));
    }

    /** A response that is late by a millisecond says little where others take less. */
    @Test
    void shouldMeasureFastResponsesForTwentyMilliseconds()
    {
        for (int response = 0; response < 39; response++)
        {
            assertEquals(1, fast(1));
        }
        assertEquals(2, fast(1));

        for (int response = 0; response < 20; response++)
        {
            assertEquals(2, fast(1));
        }
        assertEquals(2, fast(7));
        for (int response = 0; response < 12; response++)
        {
            assertEquals(2, fast(1));
        }
        assertEquals(4, fast(1));
    }

    private int fast(final int ms)
    {
        pass(ms, ms);
        respond(size, size.maxBytes, true, PARTITIONS, 8 * MIB);
        return size.maxBytes / MIB;
    }

    // Behaviour P209.
    @Test
    void shouldUndoADoublingThatBringsLessThanASixteenthMoreAndTryAgainAfterAMinute()
    {
        assertEquals(List.of(1, 2, 2, 2, 1, 1),
            List.of(limited(100), limited(100), limited(100), limited(100), limited(100), limited(100)));

        pass(59_000, 59_000);
        assertEquals(List.of(1, 1), List.of(limited(100), limited(100)));
        pass(1_000, 1_000);
        assertEquals(2, limited(100));
    }

    @Test
    void shouldReturnTheMemoryOfADoublingThatIsUndoneAndTryAgainLessAndLessOften()
    {
        for (final int minutes : new int[] {1, 2, 4, 8, 10, 10})
        {
            assertEquals(List.of(1, 2, 2, 2, 1),
                List.of(limited(100), limited(100), limited(100), limited(100), limited(100)));
            assertTrue(size.takeUndone());
            assertFalse(size.takeUndone());
            pass(minutes * 60_000 - 1_000, minutes * 60_000 - 1_000);
            assertEquals(List.of(1, 1), List.of(limited(100), limited(100)));
            pass(1_000, 1_000);
            respond(20, 0);
        }
    }

    @Test
    void shouldNotUndoADoublingForOneSlowResponse()
    {
        assertEquals(List.of(1, 2, 2, 2, 4),
            List.of(limited(100), limited(100), limited(50), limited(200), limited(50)));
    }

    /** An application that does something else makes responses late. */
    @Test
    void shouldNotUndoADoublingWhileTheThreadDoesNotWait()
    {
        assertEquals(List.of(1, 2, 2), List.of(limited(100), limited(100), limited(100)));
        for (int response = 0; response < 5; response++)
        {
            pass(0, 5_000);
            respond(size, size.maxBytes, true, PARTITIONS, 8 * MIB);
        }
        assertEquals(2 * MIB, size.maxBytes);
        assertEquals(List.of(2, 1), List.of(limited(100), limited(100)));
    }

    @Test
    void shouldNotJudgeADoublingByAResponseThatIsNotFull()
    {
        assertEquals(List.of(1, 2, 2), List.of(limited(100), limited(100), limited(100)));

        assertEquals(List.of(2, 2, 2, 1), List.of(respond(200, MIB), limited(100), limited(100), limited(100)));
    }

    /** Only the last doubling has brought too little. */
    @Test
    void shouldGrowAgainAfterTheEndOfTheLogsUpToTheDoublingThatWasUndone()
    {
        assertEquals(List.of(1, 2, 2, 4), List.of(limited(100), limited(100), limited(50), limited(50)));
        assertEquals(List.of(4, 4, 2), List.of(limited(50), limited(50), limited(50)));

        size.reset();

        assertEquals(List.of(1, 2, 2, 2), List.of(limited(100), limited(100), limited(50), limited(50)));
    }

    @Test
    void shouldStayWithADoublingThatBringsASixteenthMore()
    {
        assertEquals(List.of(1, 2, 2, 4), List.of(limited(1_063), limited(1_063), limited(1_000), limited(1_000)));
        create();
        assertEquals(List.of(1, 2, 2, 2, 1),
            List.of(limited(1_063), limited(1_063), limited(1_000), limited(1_001), limited(1_001)));
    }

    @Test
    void shouldUndoTheStepToTheMaximumAsAWhole()
    {
        settings.fetchMaxBytes = 3 * MIB;
        create();
        for (final int expected : new int[] {1, 2, 2, 3, 3})
        {
            assertEquals(expected, full(20));
        }
        assertEquals(List.of(3, 2), List.of(limited(20), limited(20)));
    }

    // Behaviour P209.
    @Test
    void shouldBeginAgainAtTheEndOfTheLogs()
    {
        assertEquals(List.of(1, 2, 2, 4), List.of(full(20), full(20), full(20), full(20)));
        pass(20);
        respond(size, size.maxBytes, false, PARTITIONS, 8 * MIB);

        assertEquals(MIB, size.maxBytes);
        assertEquals(List.of(1, 2), List.of(full(20), full(20)));
    }

    @Test
    void shouldAskForNoMoreThanThePartitionsMayReturn()
    {
        for (int i = 0; i < 10; i++)
        {
            pass(20);
            respond(size, size.maxBytes, true, 3, 8 * MIB);
        }

        assertEquals(3 * MIB, size.maxBytes);
    }

    @Test
    void shouldAskForAllThatOnePartitionHasUnlessItsPartIsSet()
    {
        settings.partitionMaxBytes = 0;
        create();
        for (int i = 0; i < 10; i++)
        {
            pass(20);
            respond(size, size.maxBytes, true, 1, 8 * MIB);
        }

        assertEquals(8 * MIB, size.maxBytes);
    }

    // Behaviour P209.
    @Test
    void shouldGrowAsFarAsTheMemoryOfALeaderAllows()
    {
        settings.fetchMemory = settings.receiveBufferLength(4 * MIB);
        create();
        for (int i = 0; i < 10; i++)
        {
            full(20);
        }

        assertEquals(4 * MIB, size.maxBytes);
    }

    /** A buffer is replaced only when its response has been delivered, and another response may arrive before. */
    @Test
    void shouldShareTheMemoryOfALeaderWithBuffersThatAreGoingToGrow()
    {
        settings.fetchConnections = 2;
        settings.fetchMemory = settings.receiveBufferLength(2 * MIB) + settings.receiveBufferLength(MIB);
        create();
        connections.onOpened(0, settings.receiveBufferLength(MIB));
        connections.onOpened(1, settings.receiveBufferLength(MIB));
        for (int i = 0; i < 2; i++)
        {
            pass(20);
            respond(size, MIB, true, PARTITIONS, settings.receiveBufferLength(MIB));
            respond(other, MIB, true, PARTITIONS, settings.receiveBufferLength(MIB));
        }

        assertEquals(2 * MIB, size.maxBytes);
        assertEquals(MIB, other.maxBytes);
    }

    @Test
    void shouldCountABufferThatIsLongerThanItAsksForAsItIs()
    {
        settings.fetchConnections = 2;
        settings.fetchMemory = settings.receiveBufferLength(4 * MIB) + settings.receiveBufferLength(MIB);
        create();
        connections.onOpened(0, settings.receiveBufferLength(4 * MIB));
        connections.onOpened(1, settings.receiveBufferLength(MIB));
        for (int i = 0; i < 2; i++)
        {
            pass(20);
            respond(size, MIB, true, PARTITIONS, settings.receiveBufferLength(4 * MIB));
        }

        assertEquals(2 * MIB, size.maxBytes);
        assertEquals(0, connections.memoryLeft());
    }

    // Behaviour P209.
    @Test
    void shouldNotExceedTheMemoryBudgetOfTheConsumer()
    {
        budget = UnlimitedMemory.budget(10 * MIB);
        budget.hold(10 * MIB - 1);
        create();
        assertEquals(List.of(1, 1, 1), List.of(full(20), full(20), full(20)));

        budget.release(MIB);
        assertEquals(List.of(1, 1), List.of(full(20), full(20)));
        pass(60_000, 60_000);
        assertEquals(List.of(2, 2, 2, 2), List.of(full(20), full(20), full(20), full(20)));
    }

    /** Buffers are replaced later, and more of them together would exceed it. */
    // Behaviour P209.
    @Test
    void shouldReserveTheMemoryForALongerBuffer()
    {
        budget = UnlimitedMemory.budget(3 * MIB / 2);
        create();
        final FetchConnections others = new FetchConnections(2, new PartitionTable(settings), environment);
        answered(others, FAR_NS);
        final FetchSize elsewhere = new FetchSize(others, 0, environment);
        final int capacity = settings.receiveBufferLength();
        for (int i = 0; i < 2; i++)
        {
            pass(20);
            respond(size, MIB, true, PARTITIONS, capacity);
            respond(elsewhere, MIB, true, PARTITIONS, capacity);
        }
        assertEquals(2 * MIB, size.maxBytes);
        assertEquals(MIB, elsewhere.maxBytes);
        final int longer = settings.receiveBufferLength(2 * MIB) - capacity;
        assertEquals(longer, budget.reservedBytes());

        size.reset();
        assertEquals(0, budget.reservedBytes());
        pass(60_000, 60_000);
        for (int i = 0; i < 3; i++)
        {
            pass(20);
            respond(elsewhere, MIB, true, PARTITIONS, capacity);
        }
        assertEquals(longer, budget.reservedBytes());
        elsewhere.endReservation();
        elsewhere.endReservation();
        assertEquals(0, budget.reservedBytes());
    }

    @Test
    void shouldReserveNothingForADoublingThatIsUndone()
    {
        for (int i = 0; i < 2; i++)
        {
            pass(20);
            respond(size, MIB, true, PARTITIONS, settings.receiveBufferLength());
        }
        assertTrue(budget.reservedBytes() > 0);
        assertEquals(List.of(2, 2, 1), List.of(limited(100), limited(100), limited(100)));

        assertEquals(0, budget.reservedBytes());
    }

    @Test
    void shouldTakeNoMemoryThatTheJvmDoesNotHave()
    {
        final int reserve = MIB;
        final long[] left = {reserve + MIB / 2};
        final int[] asked = {0};
        budget = new MemoryBudget(1 << 30, (bytes) -> {}, () ->
        {
            asked[0]++;
            return left[0];
        }, (bytes) -> {});
        create();
        assertEquals(List.of(1, 1, 1, 1), List.of(full(20), full(20), full(20), full(20)));
        assertEquals(1, asked[0]);
        // To ask for it allocates.
        receiveNs = FAR_NS;
        for (int i = 0; i < 100; i++)
        {
            pass(20, 20);
            respond(size, size.maxBytes, true, PARTITIONS, settings.receiveBufferLength(size.maxBytes));
        }
        assertEquals(1, asked[0]);

        left[0] += MIB;
        pass(60_000, 60_000);
        assertEquals(2, full(20));
    }

    @Test
    void shouldNeedNoMemoryForABufferThatIsLongEnough()
    {
        budget = UnlimitedMemory.budget(0);
        create();
        for (int i = 0; i < 10; i++)
        {
            pass(20);
            respond(size, size.maxBytes, true, PARTITIONS, settings.receiveBufferLength(2 * MIB));
        }

        assertEquals(2 * MIB, size.maxBytes);
    }

    @Test
    void shouldAskForAllOfASmallMaximumAndOfALargeMinimum()
    {
        settings.fetchMaxBytes = 100;
        create();
        assertEquals(100, size.maxBytes);

        settings.fetchMaxBytes = 8 * MIB;
        settings.fetchMinBytes = 3 * MIB;
        create();
        assertEquals(3 * MIB, size.maxBytes);
    }
}
