// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.HdrHistogram.Histogram;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;

/**
 * What a client read and cost in one turn, as it travels between processes. A figure that the client does not know is
 * {@link #UNKNOWN}. The package page of {@code rig} says what each field is.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public final class Usage
{
    public static final long UNKNOWN = -1;
    /** Bounds and precision of histograms of latency, in nanoseconds. */
    public static final long LEAST_NS = 100;
    public static final long MOST_NS = 600_000_000_000L;
    public static final int DIGITS = 3;
    private static final double NS_PER_US = 1e3;

    public long records;
    public long bytes;
    public long missing;
    public long sum;
    public long fetches = UNKNOWN;
    public long wallNs;
    public long threadCpuNs = UNKNOWN;
    public long processCpuNs = UNKNOWN;
    public long allocatedBytes = UNKNOWN;
    public long processAllocatedBytes = UNKNOWN;
    public long gcCount = UNKNOWN;
    public long compilerMs = UNKNOWN;
    /** CPU of the broker's process in the same time; the parent process adds it. */
    public long brokerCpuNs = UNKNOWN;
    /** Before the turn; the parent process adds it. */
    public long warmUpSeconds = UNKNOWN;
    public String latency = "";
    /** The same as pairs of nanoseconds and how often, from a client without such a histogram. */
    public long[] latencies = {};

    public static Histogram histogram()
    {
        return new Histogram(LEAST_NS, MOST_NS, DIGITS);
    }

    /** In Base64, as a line of a histogram log has it. */
    public static String encode(final Histogram histogram)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        final int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    public static Histogram decode(final String text)
    {
        try
        {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        }
        catch (final DataFormatException ex)
        {
            throw new IllegalArgumentException("A histogram cannot be read: " + text, ex);
        }
    }

    /** Nanoseconds from when each record was due to its callback; empty if the client does not know. */
    public Histogram latencyHistogram()
    {
        if (!latency.isEmpty())
        {
            return decode(latency);
        }
        final Histogram histogram = histogram();
        for (int i = 0; i < latencies.length; i += 2)
        {
            histogram.recordValueWithCount(Math.min(MOST_NS, latencies[i]), latencies[i + 1]);
        }
        return histogram;
    }

    public boolean hasLatency()
    {
        return records > 0 && (!latency.isEmpty() || latencies.length > 0);
    }

    /** Throws if a record was missing: figures of clients that lost records cannot be compared. */
    public Usage mustBeComplete(final String client)
    {
        if (missing != 0)
        {
            throw new IllegalStateException(
                client + " did not get " + missing + " of " + (records + missing) + " records.");
        }
        return this;
    }

    /** Throws if the client read something else than was written. */
    public void mustHaveReadTheSameAs(final Usage written, final String client)
    {
        if (records != written.records || bytes != written.bytes || sum != written.sum)
        {
            throw new IllegalStateException(String.format(
                "%s read other records than were written: %d records, %d bytes, sum %d; written: %d, %d, %d",
                client, records, bytes, sum, written.records, written.bytes, written.sum));
        }
    }

    /** Leaves what was read since then. */
    public void subtract(final Usage before)
    {
        records -= before.records;
        bytes -= before.bytes;
        sum -= before.sum;
    }

    public double seconds()
    {
        return wallNs / 1e9;
    }

    // Each takes one of these fields and is NaN if that is not known.

    static double known(final long figure)
    {
        return figure == UNKNOWN ? Double.NaN : figure;
    }

    public double perSecond(final long figure)
    {
        return known(figure) / seconds();
    }

    /** NaN also if there was no record. */
    double perRecord(final long figure)
    {
        return records <= 0 ? Double.NaN : known(figure) / records;
    }

    /** NaN also if there was no fetch. */
    double perFetch(final long figure)
    {
        return fetches <= 0 ? Double.NaN : known(figure) / fetches;
    }

    /** Returns the percentage of one core. */
    public double cpuPercent(final long cpuNs)
    {
        return 100 * known(cpuNs) / wallNs;
    }

    /** Microseconds; NaN if no latency is known. */
    public double latencyUs(final double percentile)
    {
        return hasLatency() ? latencyHistogram().getValueAtPercentile(percentile) / NS_PER_US : Double.NaN;
    }
}
