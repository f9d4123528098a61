// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.odradek.client.ClientListener;
import org.odradek.client.NameResolver;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.net.AddressStates;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.PlainEnvironment;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireWriter;
import org.odradek.protocol.control.MetadataResponseFlyweight;
import org.odradek.testkit.AllocationMeter;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BrokersTest
{
    private static final int METADATA_VERSION = 12;
    private static final int RUNS = 200;

    private long nowNs;
    private final CounterWriter counters = new CounterWriter();
    private final DutyClock clock = new DutyClock(() -> nowNs, () -> 0);
    private final BrokerAddress bootstrap = new BrokerAddress("first", 1, true, NameResolver.SYSTEM, clock, counters);
    private final ClientEnvironment environment = new PlainEnvironment(new ClientSettings(), null, clock,
        UnlimitedMemory.budget(0), counters, ClientListener.NONE, (error) -> {});
    private final Brokers brokers = new Brokers(new BrokerAddress[] {bootstrap}, environment);
    private final MetadataResponseFlyweight metadata = new MetadataResponseFlyweight();

    /** Names brokers whose ports are 1 more than their ids. */
    private MetadataResponseFlyweight named(final String host, final int... nodeIds)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[100 + 50 * nodeIds.length]);
        final WireWriter writer = new WireWriter().wrap(buffer, 1, true).int32(0).arrayCount(nodeIds.length);
        for (final int nodeId : nodeIds)
        {
            writer.int32(nodeId).string(WireWriter.encode(host)).int32(nodeId + 1).string(null).noTags();
        }
        writer.string(null).int32(0).arrayCount(0).noTags();
        return metadata.wrap(buffer, 0, writer.index(), METADATA_VERSION);
    }

    @Test
    void shouldFindEachBrokerWhateverTheOrder()
    {
        final Random random = new Random(1);
        final Map<Integer, BrokerAddress> known = new TreeMap<>();
        for (int round = 0; round < 100; round++)
        {
            final int[] nodeIds = random.ints(random.nextInt(40), 0, 50).distinct().toArray();
            brokers.update(named("host", nodeIds));
            final Map<Integer, BrokerAddress> before = new TreeMap<>(known);
            known.clear();
            for (final int nodeId : nodeIds)
            {
                known.put(nodeId, brokers.address(nodeId));
                assertEquals(nodeId + 1, brokers.address(nodeId).port());
                if (before.containsKey(nodeId))
                {
                    assertSame(before.get(nodeId), brokers.address(nodeId), "a known broker keeps its object");
                }
            }
            final int put = random.nextInt(50);
            brokers.put(put, "host", put + 1);
            known.putIfAbsent(put, brokers.address(put));
            assertSame(known.get(put), brokers.address(put));
            assertEquals(known.size(), brokers.count());
            int index = 0;
            for (final int nodeId : known.keySet())
            {
                assertEquals(nodeId, brokers.nodeId(index));
                assertSame(known.get(nodeId), brokers.addressAt(index++));
            }
            for (int nodeId = -1; nodeId < 60; nodeId++)
            {
                assertSame(known.get(nodeId), brokers.address(nodeId));
            }
        }
    }

    @Test
    void shouldTakeTheFirstOfTwoBrokersWithTheSameId()
    {
        assertTrue(brokers.update(named("host", 3, 5, 3)));
        assertEquals("brokers 3@host:4 5@host:6", brokers.toString());
        assertFalse(brokers.update(named("host", 5, 3)));
        assertTrue(brokers.update(named("other", 5)));
        assertNull(brokers.address(3));
    }

    @Test
    void shouldKeepWhatTheUserHasNamed()
    {
        brokers.update(named("first", 0, 1));
        assertSame(bootstrap, brokers.address(0));
        assertFalse(brokers.address(1).isNamedByUser(), "another port");
        brokers.put(1, "first", 1);
        assertSame(bootstrap, brokers.address(1));
        brokers.put(0, "second", 1);
        assertFalse(brokers.address(0).isNamedByUser());
    }

    /** A request for metadata that is in flight there would be lost, and come again to the same broker. */
    // Behaviour D41.
    @Test
    void shouldNotTakeAServerForFailingThatAnswersUnderAnotherName()
    {
        final InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        brokers.update(named("other", 0));
        AddressStates.failed(bootstrap);
        AddressStates.failed(brokers.address(0));
        assertTrue(brokers.isFailing(bootstrap), "it may lead to any broker");

        AddressStates.reached(bootstrap, server);
        AddressStates.reached(brokers.address(0), server);
        nowNs = 1;
        clock.update();
        AddressStates.answered(brokers.address(0));
        assertFalse(brokers.isFailing(bootstrap));

        nowNs = 2;
        clock.update();
        AddressStates.failed(brokers.address(0));
        assertTrue(brokers.isFailing(bootstrap));

        nowNs = 3;
        clock.update();
        AddressStates.answered(bootstrap);
        assertFalse(brokers.isFailing(bootstrap));
    }

    // Behaviour D41.
    @Test
    void shouldTakeABrokerForFailingFor45Seconds()
    {
        AddressStates.failed(bootstrap);
        nowNs = TimeUnit.SECONDS.toNanos(45) - 1;
        clock.update();
        assertTrue(brokers.isFailing(bootstrap));

        nowNs++;
        clock.update();
        assertFalse(brokers.isFailing(bootstrap));
    }

    @Test
    void shouldAllocateNothingWithoutAChange()
    {
        final int[] nodeIds = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        final MetadataResponseFlyweight first = named("host", nodeIds);
        brokers.update(first);
        brokers.update(first);

        assertEquals(0, new AllocationMeter().leastBytes(RUNS, () -> brokers.update(first)));
    }

    @Test
    void shouldHoldNoMoreLeadersThanAResponseMayName()
    {
        final int[] nodeIds = new int[WireLimits.MAX_BROKERS];
        for (int i = 0; i < nodeIds.length; i++)
        {
            nodeIds[i] = nodeIds.length - i;
        }
        brokers.update(named("host", nodeIds));
        brokers.put(0, "host", 1);
        assertNull(brokers.address(0));
        brokers.put(1, "moved", 2);
        assertEquals("moved:2", brokers.address(1).toString());
        assertEquals(WireLimits.MAX_BROKERS, brokers.count());

        brokers.forget();
        assertNull(brokers.address(1));
        assertEquals(0, brokers.count());
    }
}
