// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.NameResolver;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.WireFormatException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BrokerAddressTest
{
    private final CounterWriter counters = new CounterWriter();
    private int lookUps;
    private final DutyClock clock = new DutyClock(() -> 1_000 * lookUps, () -> 0);

    private static InetAddress ip(final int last) throws UnknownHostException
    {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    /** Returns two other addresses each time. */
    private InetAddress[] resolve(final String host) throws UnknownHostException
    {
        assertEquals("broker", host);
        lookUps++;
        return new InetAddress[] {ip(2 * lookUps), ip(2 * lookUps + 1)};
    }

    // Behaviour B19, tried 2026-11-30: All addresses of a name are tried in turn. After that, and after a lost
    // connection, the name is resolved again, and the address that was used last is tried last.
    @Test
    void shouldTryAddressesInTurnAndLookUpAgainAfterTheLast() throws Exception
    {
        final BrokerAddress address = new BrokerAddress("broker", 9092, true, this::resolve, clock, counters);
        for (int i = 2; i < 8; i++)
        {
            assertEquals(new InetSocketAddress(ip(i), 9092), address.next());
            assertEquals(i / 2, lookUps);
        }
        assertEquals(3, counters.get(ClientCounters.NAME_LOOKUPS));
        assertEquals(3_000, counters.get(ClientCounters.NAME_LOOKUP_NS));
    }

    @Test
    void shouldNotLookUpLiteralAddresses() throws Exception
    {
        final NameResolver refusing = (host) ->
        {
            throw new AssertionError(host + " was looked up");
        };
        final BrokerAddress four = new BrokerAddress("10.0.0.9", 1, true, refusing, clock, counters);
        assertEquals(new InetSocketAddress(ip(9), 1), four.next());
        final BrokerAddress six = new BrokerAddress("::1", 2, true, refusing, clock, counters);
        assertEquals(new InetSocketAddress(InetAddress.getByName("::1"), 2), six.next());
        assertEquals("[::1]:2", six.toString());
        assertEquals(0, counters.get(ClientCounters.NAME_LOOKUPS));
    }

    /** The resolver of the JDK would look for such names, and block meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"localhost:9092", "x:1", "::x", "1::2::3", ":"})
    void shouldLookUpNoHostWithAColon(final String host)
    {
        final BrokerAddress address = new BrokerAddress(host, 1, true, (name) ->
        {
            throw new AssertionError(name + " was looked up");
        }, clock, counters);

        final String reason = assertThrows(UnknownHostException.class, address::lookUp).getMessage();

        assertTrue(reason.startsWith("[" + host + "]") || reason.endsWith("invalid IPv6 address"), reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.4.5", "1.2.3.999", "1.2.3.256", "10.0.0.1.", "10.0.0", "...", "7"})
    void shouldLookUpWhatOnlyResemblesAnAddress(final String host) throws Exception
    {
        final List<String> lookedUp = new ArrayList<>();
        new BrokerAddress(host, 1, true, (name) ->
        {
            lookedUp.add(name);
            return new InetAddress[] {ip(9)};
        }, clock, counters).lookUp();
        assertEquals(List.of(host), lookedUp);
        assertEquals(1, counters.get(ClientCounters.NAME_LOOKUPS));
    }

    @Test
    void shouldReportWhichNameHasNoAddressAndRetry() throws Exception
    {
        final BrokerAddress address = new BrokerAddress(
            "broker", 1, true, (host) -> lookUps++ == 0 ? null : lookUps == 2 ? new InetAddress[0] : resolve(host),
            clock, counters);
        assertEquals("broker", assertThrows(UnknownHostException.class, address::next).getMessage());
        assertThrows(UnknownHostException.class, address::lookUp);
        assertEquals(1, address.next().getPort());
        assertEquals(3, counters.get(ClientCounters.NAME_LOOKUPS));
    }

    /** The address that has just failed is not the next, whatever order a name server returns. */
    // Behaviour B19.
    @Test
    void shouldLookUpAgainAndTryTheLastAddressLast() throws Exception
    {
        final BrokerAddress address = new BrokerAddress(
            "broker", 1, true, (host) -> new InetAddress[] {ip(1), ip(2), ip(3)}, clock, counters);
        assertEquals(ip(1), address.next().getAddress());
        assertEquals(ip(2), address.next().getAddress());
        address.forget();
        assertEquals(ip(3), address.next().getAddress());
        assertEquals(ip(1), address.next().getAddress());
        assertEquals(ip(2), address.next().getAddress());
        assertEquals(2, counters.get(ClientCounters.NAME_LOOKUPS));
        assertEquals(ip(3), address.next().getAddress());
        assertEquals(3, counters.get(ClientCounters.NAME_LOOKUPS));
    }

    /** The name server does not answer for a while. */
    @Test
    void shouldTryTheKnownAddressesAgainAfterAFailedLookup() throws Exception
    {
        final AtomicBoolean isDown = new AtomicBoolean();
        final BrokerAddress address = new BrokerAddress("broker", 1, true, (host) ->
        {
            if (isDown.get())
            {
                lookUps++;
                throw new UnknownHostException(host);
            }
            return resolve(host);
        }, clock, counters);
        assertEquals(ip(2), address.next().getAddress());
        isDown.set(true);
        for (int failed = 2; failed < 5; failed++)
        {
            address.forget();
            assertThrows(UnknownHostException.class, address::next);
            assertEquals(ip(3), address.next().getAddress());
            assertEquals(ip(2), address.next().getAddress());
            assertEquals(failed, lookUps);
        }
        isDown.set(false);
        assertEquals(ip(10), address.next().getAddress());
    }

    @Test
    void shouldTreatAFailedResolverAsANameWithoutAddress()
    {
        final BrokerAddress address = new BrokerAddress("broker", 1, true, (host) ->
        {
            throw new IllegalStateException("no directory");
        }, clock, counters);
        final String message = assertThrows(UnknownHostException.class, address::next).getMessage();
        assertTrue(message.contains("broker") && message.contains("no directory"), message);
        assertEquals(1, counters.get(ClientCounters.NAME_LOOKUPS));
    }

    @Test
    void shouldRememberVersionOfVersionProbe()
    {
        final BrokerAddress address = new BrokerAddress("broker", 1, true, this::resolve, clock, counters);
        assertEquals(5, address.probeVersion);
        // Two connections sent version 5 before the first of them was closed.
        assertTrue(address.lowerProbeVersion(5));
        assertTrue(address.lowerProbeVersion(5));
        assertEquals(3, address.probeVersion);
        assertTrue(address.lowerProbeVersion(3));
        assertEquals(0, address.probeVersion);
        assertFalse(address.lowerProbeVersion(0));
        assertEquals(5, address.probeVersion);
    }

    @Test
    void shouldReportARefusalOfAnotherMechanism() throws Exception
    {
        final BrokerAddress address = new BrokerAddress("broker", 1, true, this::resolve, clock, counters);
        final Random random = new Random(1);

        assertTrue(address.onRefused(0, random, "TLS"));
        assertFalse(address.onRefused(0, random, "TLS"));
        assertTrue(address.onRefused(0, random, "PLAIN"));
        assertFalse(address.onRefused(0, random, "PLAIN"));
        assertFalse(address.onRefused(0, random, "TLS"));

        address.onReady(new InetSocketAddress(ip(1), 1));
        assertTrue(address.onRefused(0, random, "PLAIN"));
    }

    @Test
    void shouldAllowTheNextAttemptOnceAnAttemptAfterARefusalHasFailed()
    {
        final BrokerAddress address = new BrokerAddress("broker", 1, true, this::resolve, clock, counters);
        final long beginNs = 30_000_000_000L;
        address.onRefused(0, new Random(1), "PLAIN");

        address.onConnecting(beginNs);
        assertTrue(address.refusedUntilNs(beginNs) > beginNs);
        address.onNotConnected(beginNs + 1);

        assertEquals(beginNs + 1, address.refusedUntilNs(beginNs));
    }

    @Test
    void shouldCompareWithoutCreatingStrings()
    {
        final BrokerAddress address = new BrokerAddress("broker", 1, true, this::resolve, clock, counters);
        assertTrue(address.isAt("broker", 1));
        assertFalse(address.isAt("broker", 2));
        assertFalse(address.isAt("brokes", 1));

        final UnsafeBuffer buffer = new UnsafeBuffer("xbrokers".getBytes());
        assertTrue(address.isHost(buffer, 1, 6));
        assertFalse(address.isHost(buffer, 1, 7));
        assertFalse(address.isHost(buffer, 0, 6));
        assertEquals("broker:1", address.toString());
        assertEquals(0, lookUps);
    }

    @ParameterizedTest
    @CsvSource({"'', 1", "a b, 1", "a\u0001b, 1", "a\u007fb, 1", "a\u009bb, 1", "a\u202eb, 1", "a, 0", "a, -1",
        "a, 65536", "a[b, 1", "]:, 1", "2001:db8::5%0].allowed.example, 1", "::ffff:6.6.6.6%x.allowed.example, 1"})
    void shouldRefuseImpossibleHostOrPort(final String host, final int port)
    {
        assertThrows(
            WireFormatException.class, () -> new BrokerAddress(host, port, false, this::resolve, clock, counters));
        final byte[] bytes = host.getBytes(StandardCharsets.UTF_8);
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        assertFalse(BrokerAddress.isPossible(buffer, 0, bytes.length, port));
        final String message = assertThrows(WireFormatException.class,
            () -> BrokerAddress.check(7, buffer, 0, bytes.length, port)).getMessage();
        assertTrue(message.contains("of broker 7 where a port from 1 to 65535 and a host name"), message);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void shouldRefuseANegativeId(final int nodeId)
    {
        assertEquals("broker id " + nodeId + " where 0 or more was expected", assertThrows(WireFormatException.class,
            () -> BrokerAddress.check(nodeId, new UnsafeBuffer("broker".getBytes()), 0, 6, 1)).getMessage());
    }

    @Test
    void shouldRefuseHostThatIsLongerThanDnsAllows()
    {
        new BrokerAddress("a".repeat(255), 65_535, true, this::resolve, clock, counters);
        assertThrows(
            WireFormatException.class, () -> new BrokerAddress("a".repeat(256), 1, true, null, clock, counters));
    }
}
