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
    /** MiB per second by the number of connections. */
    IntUnaryOperator rate = (count) -> 8 * count;
    int waitedPercent = 100;
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

    private void lag(final int partition)
    {
        for (int i = 0; i < 4; i++)
        {
            table.partition(partition).onResponse(true);
        }
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
        connections.onPlainResponse(isMoreInLog);
        connect();
    }

    /** A response from which nothing can be learned but its length, because partitions have changed meanwhile. */
    void receive(final int number)
    {
        connections.onReceived(number, MIB, capacities[number], roundTripNs);
    }

    /** Every connection receives a full response. */
    void round()
    {
        final int count = openCount();
        pass(1_000L * count / rate.applyAsInt(count));
        for (int number = 0; number < 8; number++)
        {
            if (capacities[number] > 0 && disturbedOf > 0 && ++responses % disturbedOf == 0)
            {
                receive(number);
            }
            else if (capacities[number] > 0)
            {
                respond(number, true);
            }
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
