// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what {@code odradek perf} names as the limit of a rate.
 */
class RateLimitTest
{
    private static final long SECOND_MS = 1_000;

    @ParameterizedTest
    @CsvSource({
        "0.1, 1, 100000000, 800, 'the polling thread, which has time for no more'",
        "20, 8, 100000000, 751, 'the polling thread, which has time for no more'",
        "0.1, 1, 100000000, 700, the brokers",
        "20, 1, 8000000, 10, 'the window of each connection: more connections (--connections), or " +
            "socket.send.buffer.bytes=-1 at the brokers'",
        "20, 8, 119000000, 10, 'the window of each connection: more connections (--connections), or " +
            "socket.send.buffer.bytes=-1 at the brokers'",
        "20, 8, 121000000, 10, 'the link, or the brokers'",
        "-1, 1, 8000000, 10, 'not known, because the round trip is not known'"})
    void shouldNameTheLimit(
        final double roundTripMs, final int connections, final long bytes, final double busyMs, final String limit)
    {
        final RateLimit rate = new RateLimit(roundTripMs, connections, 10, bytes, SECOND_MS, 0, busyMs);

        assertTrue(rate.toString().endsWith("\nLimit: " + limit + "."), rate.toString());
    }

    @Test
    void shouldPrintItsFigures()
    {
        assertEquals("10 fetches of 781 KiB over 2 connections; the polling thread ran for 5 % of the time; " +
            "round trip: 20.0 ms, in which each connection has carried 78 KiB.",
            new RateLimit(20, 2, 10, 8_000_000, SECOND_MS, 0, 50).toString().lines().findFirst().orElseThrow());
    }

    @Test
    void shouldNotTakeTheTimeAtTheEndOfTheLogForAWindow()
    {
        final RateLimit waited = new RateLimit(20, 1, 1, 100_000, 10 * SECOND_MS, 9_900, 1);
        assertEquals("1 fetch of 98 KiB over 1 connection; the polling thread ran for 0 % of the time; " +
            "round trip: 20.0 ms, in which each connection has carried 20 KiB.\n" +
            "Limit: the ends of the logs, where 99 % of the time was spent waiting for records.", waited.toString());

        final RateLimit read = new RateLimit(20, 8, 10, 119_000_000, SECOND_MS, 100, 10);
        assertTrue(read.toString().endsWith("\nLimit: the link, or the brokers."), read.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:PORT", " localhost:PORT , nowhere:1"})
    void shouldMeasureARoundTrip(final String servers) throws IOException
    {
        final String address;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")))
        {
            address = servers.replace("PORT", Integer.toString(server.getLocalPort()));
            assertTrue(RateLimit.roundTripMs(address) >= 0);
        }
        assertTrue(RateLimit.roundTripMs(address) < 0);
    }
}
