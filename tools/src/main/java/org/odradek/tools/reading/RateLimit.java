// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.tools.ClusterOptions;
import org.odradek.tools.Table;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Locale;

/**
 * What has limited the rate of a reading, as far as its figures tell: the ends of the logs, the handler, the brokers,
 * the window of a connection, or the link.
 *
 * @param roundTripMs    of the connection to a broker, in milliseconds; negative if it is not known.
 * @param connections    over which was fetched.
 * @param fetches        that were answered.
 * @param bytes          that were received.
 * @param elapsedMs      of the reading.
 * @param atEndMs        of that, during which everything had been read, and more was waited for.
 * @param busyMs         of the reading, during which the polling thread ran.
 */
record RateLimit(
    double roundTripMs, int connections, long fetches, long bytes, long elapsedMs, double atEndMs, double busyMs)
{
    /** A thread that runs for more of the time is the limit itself. */
    private static final double BUSY = 0.75;
    /** Brokers that are nearer are next door. */
    private static final double NEAR_MS = 1;
    /** A connection with Kafka's default send buffer carries 150 to 200 KB per round trip. */
    private static final double WINDOW = 300_000;
    private static final double HALF = 0.5;
    private static final double KIB = 1024;
    private static final double PERCENT = 100;
    private static final double NS_PER_MS = 1e6;
    private static final int CONNECT_TIMEOUT_MS = 5_000;

    /**
     * Measures a round trip by the time that a connection takes, once.
     *
     * @param servers host:port, several separated by commas; the first one is used.
     * @return milliseconds, or a negative number if there is no connection.
     */
    static double roundTripMs(final String servers)
    {
        try (Socket socket = new Socket())
        {
            final InetSocketAddress address = ClusterOptions.address(servers.split(",")[0]);
            final long startNs = System.nanoTime();
            socket.connect(address, CONNECT_TIMEOUT_MS);
            return (System.nanoTime() - startNs) / NS_PER_MS;
        }
        catch (final IOException ex)
        {
            return -1;
        }
    }

    private double bytesPerRoundTrip()
    {
        return bytes * roundTripMs / Math.max(1, elapsedMs - atEndMs) / Math.max(1, connections);
    }

    private String limit()
    {
        if (atEndMs > HALF * elapsedMs)
        {
            return String.format(Locale.ROOT, "the ends of the logs, where %.0f %% of the time was spent waiting for " +
                "records", PERCENT * atEndMs / elapsedMs);
        }
        if (busyMs > BUSY * elapsedMs)
        {
            return "the polling thread, which has time for no more";
        }
        if (roundTripMs < 0)
        {
            return "not known, because the round trip is not known";
        }
        if (roundTripMs < NEAR_MS)
        {
            return "the brokers";
        }
        return bytesPerRoundTrip() < WINDOW ? "the window of each connection: more connections (--connections), or " +
            "socket.send.buffer.bytes=-1 at the brokers" : "the link, or the brokers";
    }

    /** Two sentences. */
    @Override
    public String toString()
    {
        final String roundTrip = roundTripMs < 0 ? "not known" :
            String.format(Locale.ROOT, "%.1f ms, in which each connection has carried %.0f KiB", roundTripMs,
            bytesPerRoundTrip() / KIB);
        return String.format(Locale.ROOT,
            "%s of %.0f KiB over %s; the polling thread ran for %.0f %% of the time; " +
            "round trip: %s.\nLimit: %s.", fetches == 1 ? "1 fetch" : fetches + " fetches",
            bytes / KIB / Math.max(1, fetches), Table.counted(connections, "connection"),
            PERCENT * busyMs / Math.max(1, elapsedMs), roundTrip, limit());
    }
}
