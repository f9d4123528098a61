// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;
import org.odradek.client.support.UnlimitedMemory;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests that the connections to a broker stay within the memory for its responses, with {@link RatedBroker}. */
class FetchMemoryTest
{
    private final RatedBroker broker = new RatedBroker();

    @Test
    void shouldReturnToAFixedNumberWhenNoLargeBatchComesAnyMore()
    {
        broker.settings.fetchConnections = 2;
        broker.settings.fetchMemory = 2 * RatedBroker.MIB + 200_000;
        broker.start(8);
        broker.rounds(10);
        assertEquals(2, broker.openCount());
        final int first = broker.capacities[0];

        broker.capacities[0] = 2 * first;
        broker.respond(0, true);
        broker.connections.onLargeBatch();
        assertEquals(List.of("2 to 1: batches are too large"), broker.events);
        assertEquals(1, broker.openCount());
        broker.pass(600_000);
        broker.respond(0, true);
        assertTrue(broker.connections.isShrinking);
        broker.pass(1_000);
        broker.respond(0, true);
        assertFalse(broker.connections.isShrinking);
        broker.pass(599_999);
        broker.respond(0, true);
        assertFalse(broker.connections.isShrinking);
        broker.pass(1);
        broker.respond(0, true);
        assertTrue(broker.connections.isShrinking);
        broker.capacities[0] = first;
        broker.pass(1_000);
        broker.respond(0, true);

        assertEquals(List.of("2 to 1: batches are too large", "1 to 2: as the settings say"), broker.events);
        assertEquals(2, broker.openCount());
        assertFalse(broker.connections.isShrinking);
    }

    @Test
    void shouldStayWithinTheMemoryOfTheBroker()
    {
        broker.settings.fetchMaxBytes = 8 * RatedBroker.MIB;
        broker.settings.partitionMaxBytes = RatedBroker.MIB;
        broker.settings.fetchMemory = 5 * broker.settings.receiveBufferLength() - 1;
        broker.start(8);

        broker.rounds(100);

        assertEquals(List.of(2, 2, 2, 2), broker.distribution());
        assertEquals(broker.settings.receiveBufferLength() - 1, broker.connections.memoryLeft());
    }

    // Behaviour P209.
    @Test
    void shouldReserveMemoryForAConnectionThatIsGoingToBeOpened()
    {
        final RatedBroker other = new RatedBroker();
        broker.settings.fetchConnections = 2;
        other.settings.fetchConnections = 2;
        broker.budget = UnlimitedMemory.budget(2 * RatedBroker.MIB);
        other.budget = broker.budget;
        broker.start(8);
        other.start(8);

        broker.plain(true);
        other.plain(true);
        assertEquals(1, broker.connections.opening());
        assertTrue(other.connections.opening() < 0);
        assertEquals(broker.settings.receiveBufferLength(), broker.budget.reservedBytes());
        broker.connections.onFailed(1, false);
        assertEquals(0, broker.budget.reservedBytes());

        other.plain(true);
        assertEquals(1, other.connections.opening());
        other.open(1);
        assertEquals(0, broker.budget.reservedBytes());
    }

    @Test
    void shouldReserveNothingWhenThePartitionsHaveLeft()
    {
        broker.settings.fetchConnections = 2;
        broker.start(8);
        broker.plain(true);
        assertEquals(1, broker.connections.opening());

        broker.close(0);

        assertEquals(0, broker.budget.reservedBytes());
        assertTrue(broker.connections.opening() < 0);
    }

    @Test
    void shouldShortenBuffersBeforeItAddsAConnection()
    {
        broker.start(8);
        broker.capacities[0] = broker.settings.receiveBufferLength(8 * RatedBroker.MIB);
        broker.receiveNs = 10 * RatedBroker.FAR_NS;
        broker.rounds(2);
        assertEquals(1, broker.openCount());
        assertTrue(broker.connections.isShrinking);
        assertFalse(broker.connections.isEnough());

        broker.capacities[0] = broker.settings.receiveBufferLength();
        broker.rounds(8);
        assertEquals(8, broker.openCount());
        assertFalse(broker.connections.isShrinking);
    }

    @Test
    void shouldGiveUpWhereBatchesNeedTheMemory()
    {
        broker.start(8);
        broker.capacities[0] = broker.settings.receiveBufferLength(8 * RatedBroker.MIB);

        broker.rounds(30);

        assertEquals(1, broker.openCount());
        assertFalse(broker.connections.isShrinking);
        assertTrue(broker.connections.isEnough());
    }

    @Test
    void shouldShortenBuffersNoLongerThanConnectionsAreWanted()
    {
        broker.start(8);
        broker.capacities[0] = broker.settings.receiveBufferLength(8 * RatedBroker.MIB);
        broker.receiveNs = 10 * RatedBroker.FAR_NS;
        broker.rounds(2);
        assertTrue(broker.connections.isShrinking);

        broker.respond(0, false);
        assertFalse(broker.connections.isShrinking);

        broker.rounds(2);
        assertTrue(broker.connections.isShrinking);
        broker.waitedPercent = 10;
        broker.rounds(4);
        assertFalse(broker.connections.isShrinking);
        assertTrue(broker.connections.isEnough());
    }

    @Test
    void shouldLeaveTheMemoryOfAConnectionThatMayBeOpenedAgain()
    {
        broker.start(8);
        broker.rounds(100);
        assertEquals(8, broker.openCount());

        broker.connections.onFailed(7, true);
        broker.connect();

        assertEquals(7, broker.openCount());
        assertEquals(0, broker.connections.memoryLeft());
    }

    @Test
    void shouldReturnToOneConnectionForABatchThatNeedsTheMemory()
    {
        broker.start(8);
        broker.rounds(100);
        assertEquals(8, broker.openCount());

        broker.capacities[0] += 1;
        broker.respond(0, true);

        assertEquals("8 to 1: batches are too large", broker.events.get(broker.events.size() - 1));
        assertEquals(List.of(8), broker.distribution());
    }
}
