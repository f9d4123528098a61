// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.perf;

import org.odradek.testkit.ThreadUsage;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The columns of Kafka's kafka-consumer-perf-test, in its order and with its formats, and two more: microseconds of CPU
 * that the polling thread used for a record, and bytes it allocated. Nothing joins a group here; what that tool calls
 * rebalance time is the time until all partitions could be fetched.
 */
final class PerfColumns
{
    static final String NAMES = "data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, " +
        "fetch.time.ms, fetch.MB.sec, fetch.nMsg.sec, cpu.us.per.nMsg, allocated.bytes";

    private static final double BYTES_PER_MB = 1024.0 * 1024.0;
    private static final double MS_PER_SECOND = 1e3;
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss:SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private PerfColumns()
    {
    }

    /**
     * One reading of all that is counted.
     */
    record Reading(long timeMs, long records, long bytes, long cpuNs, long allocatedBytes)
    {
        static Reading take(final long records, final long bytes)
        {
            return new Reading(
                System.currentTimeMillis(), records, bytes, ThreadUsage.cpuNs(), ThreadUsage.allocatedBytes());
        }
    }

    static String time(final long timeMs)
    {
        return TIME.format(Instant.ofEpochMilli(timeMs));
    }

    /**
     * @param readyMs how much of the time between the two went by before anything could be fetched.
     */
    static String between(final Reading from, final Reading to, final Reading total, final long readyMs)
    {
        final long elapsedMs = to.timeMs() - from.timeMs();
        final long fetchMs = elapsedMs - readyMs;
        final long records = to.records() - from.records();
        final double megabytes = (to.bytes() - from.bytes()) / BYTES_PER_MB;
        return String.format(Locale.ROOT, "%.4f, %.4f, %d, %.4f, %d, %d, %.4f, %.4f, %.4f, %d",
            total.bytes() / BYTES_PER_MB,
            perSecond(megabytes, elapsedMs),
            total.records(),
            perSecond(records, elapsedMs),
            readyMs,
            fetchMs,
            perSecond(megabytes, fetchMs),
            perSecond(records, fetchMs),
            records == 0 ? 0.0 : (to.cpuNs() - from.cpuNs()) / MS_PER_SECOND / records,
            to.allocatedBytes() - from.allocatedBytes());
    }

    private static double perSecond(final double count, final long ms)
    {
        return ms <= 0 ? 0.0 : count * MS_PER_SECOND / ms;
    }
}
