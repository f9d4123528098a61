/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.status.ConsumerCounters;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BrokerAddressTest
{
    private final ConsumerCounters counters = new ConsumerCounters();
    private int lookUps;

    private static InetAddress ip(final int last) throws UnknownHostException
    {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    /** Each time two other addresses. */
    private InetAddress[] resolve(final String host) throws UnknownHostException
    {
        assertEquals("broker", host);
        lookUps++;
        return new InetAddress[] {ip(2 * lookUps), ip(2 * lookUps + 1)};
    }

    @Test
    void shouldTakeAddressesInTurnAndLookUpAnewBehindTheLast() throws Exception
    {
        final BrokerAddress address = new BrokerAddress("broker", 9092, this::resolve, counters);
        for (int i = 2; i < 8; i++)
        {
            assertEquals(new InetSocketAddress(ip(i), 9092), address.next());
            assertEquals(i / 2, lookUps);
        }
        assertEquals(3, counters.get(ConsumerCounters.NAME_LOOKUPS));
    }

    @Test
    void shouldNotLookUpLiteralAddresses() throws Exception
    {
        final NameResolver refusing = (host) ->
        {
            throw new AssertionError(host + " was looked up");
        };
        assertEquals(new InetSocketAddress(ip(9), 1), new BrokerAddress("10.0.0.9", 1, refusing, counters).next());
        final BrokerAddress six = new BrokerAddress("::1", 2, refusing, counters);
        assertEquals(new InetSocketAddress(InetAddress.getByName("::1"), 2), six.next());
        assertEquals("[::1]:2", six.toString());
        assertEquals(0, counters.get(ConsumerCounters.NAME_LOOKUPS));
    }

    @Test
    void shouldSayWhichNameHasNoAddressAndTryAgain() throws Exception
    {
        final BrokerAddress address = new BrokerAddress(
            "broker", 1, (host) -> lookUps++ == 0 ? null : lookUps == 2 ? new InetAddress[0] : resolve(host), counters);
        assertEquals("broker", assertThrows(UnknownHostException.class, address::next).getMessage());
        assertThrows(UnknownHostException.class, address::lookUp);
        assertEquals(1, address.next().getPort());
        assertEquals(3, counters.get(ConsumerCounters.NAME_LOOKUPS));
    }

    @Test
    void shouldBeComparedWithoutMakingText()
    {
        final BrokerAddress address = new BrokerAddress("broker", 1, this::resolve, counters);
        assertTrue(address.isSame(new BrokerAddress("broker", 1, this::resolve, counters)));
        assertFalse(address.isSame(new BrokerAddress("broker", 2, this::resolve, counters)));
        assertFalse(address.isSame(new BrokerAddress("brokes", 1, this::resolve, counters)));

        final UnsafeBuffer buffer = new UnsafeBuffer("xbrokers".getBytes());
        assertTrue(address.isHost(buffer, 1, 6));
        assertFalse(address.isHost(buffer, 1, 7));
        assertFalse(address.isHost(buffer, 0, 6));
        assertEquals("broker:1", address.toString());
        assertEquals(0, lookUps);
    }
}
