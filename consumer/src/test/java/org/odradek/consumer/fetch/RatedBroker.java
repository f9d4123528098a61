// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.ConsumerListener;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A broker that is a rate for each number of connections, and the connections to it. */
final class RatedBroker
{
    static final int MIB = 1 << 20;
    private static final int NODE = 1;
    static final long FAR_NS = TimeUnit.MILLISECONDS.toNanos(20);

    final ConsumerSettings settings = new ConsumerSettings();
    private final CounterWriter counters = new CounterWriter();
    final List<String> events = new ArrayList<>();
    final int[] capacities = new int[8];
    long nowNs;
    private final DutyClock clock = new DutyClock(() -> nowNs, () -> 0);
    /** It does not hold the buffers. */
    MemoryBudget budget = UnlimitedMemory.budget(1 << 30);
    PartitionTable table;
    FetchConnections connections;
    long roundTripNs = FAR_NS;
    /** The time from the first byte of a response to its last one, as where the window limits the rate. */
    long receiveNs = 5 * FAR_NS;
    /** Whether fetches already request as much as they may. */
    boolean isLargest;
    private final FetchSample sample = new FetchSample();
    /** MiB per second by the number of connections that have partitions. */
    IntUnaryOperator rate = (count) -> 8 * count;
    int waitedPercent = 100;
    private int rounds;
    /** Of so many responses of a connection one is disturbed; 0 for none. */
    int disturbedOf;
    private int responses;

    void start(final int partitions)
    {
        // Backoffs do not vary.
        settings.random = () -> Long.MIN_VALUE;
        settings.fetchMaxBytes = 8 * MIB;
        settings.partitionMaxBytes = MIB;
        settings.fetchMemory = settings.fetchMemory == 0 ? 8 * settings.receiveBufferLength() : settings.fetchMemory;
        table = new PartitionTable(settings);
        table.ensureCapacity(partitions);
        for (int p = 0; p < partitions; p++)
        {
            table.leader(p, NODE, 0);
            table.assignAtOffset(p, 0, PartitionTable.NULL_EPOCH);
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
        connections.onReady(0);
    }

    void lagAll()
    {
        for (int p = 0; p < table.capacity(); p++)
        {
            lag(p);
        }
    }

    /** The second connection fails after its first response, and is opened again after so many seconds. */
    void failAfter(final int seconds)
    {
        assertEquals(2, openCount());
        pass(30_000);
        connections.onFailed(1, true);
        connect();
        lagAll();
        pass(1_000L * seconds - 1);
        respond(0, true);
        assertEquals(1, openCount());
        pass(1);
        respond(0, true);
        respond(1, true);
    }

    /** All partitions return to the first connection, and the others are closed after 30 s. */
    void endLogs()
    {
        for (int p = 0; p < table.capacity(); p++)
        {
            table.partition(p).onResponse(false);
            table.connection(p, 0);
        }
        final int open = openCount();
        respond(0, false);
        assertEquals(open, openCount());
        pass(30_000);
        for (int number = 1; number < 8; number++)
        {
            connections.onUnused(number);
        }
        connect();
        respond(0, false);
    }

    private void lag(final int partition)
    {
        table.partition(partition).onResponse(true);
        table.partition(partition).onResponse(true);
    }

    void open(final int number)
    {
        capacities[number] = settings.receiveBufferLength();
        connections.onOpened(number, capacities[number]);
    }

    void close(final int number)
    {
        capacities[number] = 0;
        connections.onClosed(number);
    }

    /** How many partitions each connection has, without the zeros at the end. */
    List<Integer> distribution()
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

    /** Makes a connection ready that was opened before, opens another one, and closes those that are not used. */
    void connect()
    {
        final int ready = connections.opening();
        if (ready > 0 && capacities[ready] > 0)
        {
            connections.onReady(ready);
        }
        for (int number = 1; number < 8; number++)
        {
            if (capacities[number] > 0 && connections.isLeaving(number))
            {
                connections.leave(number);
            }
        }
        assign();
    }

    /** Opens and closes connections as the conductor does. */
    void assign()
    {
        final List<Integer> counts = distribution();
        for (int number = 1; number < 8; number++)
        {
            final boolean isUsed = connections.isKept(number) || number < counts.size() && counts.get(number) > 0;
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

    int openCount()
    {
        return (int)Arrays.stream(capacities).filter((length) -> length > 0).count();
    }

    void pass(final long ms)
    {
        clock.idle(true);
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms * waitedPercent / 100);
        clock.update();
        clock.idle(false);
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms - ms * waitedPercent / 100);
        clock.update();
    }

    void respond(final int number, final boolean isMoreInLog)
    {
        receive(number);
        plain(isMoreInLog);
        connect();
    }

    void plain(final boolean isMoreInLog)
    {
        sample.isMoreInLog = isMoreInLog;
        connections.onPlainResponse(sample, isLargest);
    }

    /** A response from which nothing can be learned but its length, because partitions have changed meanwhile. */
    void receive(final int number)
    {
        sample.length = MIB;
        sample.capacity = capacities[number];
        sample.roundTripNs = roundTripNs;
        sample.receiveNs = receiveNs;
        connections.onReceived(number, sample);
    }

    /** Every connection with partitions receives a full response. */
    void round()
    {
        rounds++;
        assertTrue(rounds < 2_000_000, events::toString);
        final List<Integer> counts = distribution();
        final int count = (int)counts.stream().filter((partitions) -> partitions > 0).count();
        pass(1_000L * count / rate.applyAsInt(count));
        for (int number = 0; number < counts.size(); number++)
        {
            // It may have lost its partitions in this round.
            final boolean isUsed = distribution().size() > number && distribution().get(number) > 0;
            if (isUsed && disturbedOf > 0 && ++responses % disturbedOf == 0)
            {
                receive(number);
            }
            else if (isUsed)
            {
                respond(number, true);
            }
        }
    }

    void untilEvents(final int count)
    {
        for (int i = 0; events.size() < count; i++)
        {
            assertTrue(i < 10_000, events::toString);
            round();
        }
    }

    void rounds(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            round();
        }
    }

    long counter(final int id)
    {
        return counters.get(id);
    }
}
