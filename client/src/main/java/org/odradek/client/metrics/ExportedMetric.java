// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.metrics;

import java.util.List;

/**
 * Describes a number that Odradek exports to monitoring systems.
 *
 * @param name      words with dots between them, without the unit.
 * @param unit      {@link #BYTES}, {@link #SECONDS}, or null for a plain number.
 * @param isCounter true if the number never decreases while the client is open and its rate is of interest.
 * @param divisor   number by which the value of the counter is divided.
 */
public record ExportedMetric(String name, String unit, String help, boolean isCounter, double divisor)
{
    static final String PREFIX = "odradek.";
    public static final String BYTES = "bytes";
    public static final String SECONDS = "seconds";

    public static final ExportedMetric UP = gauge("up", null,
        "1 if the client is open and has worked recently; 0 if it is closed or hangs, its process has died, or its " +
            "file cannot be read.");
    public static final ExportedMetric CLOSED = gauge("closed", null, "1 if the client was closed, 0 if it is open.");
    public static final ExportedMetric START_TIME = gauge("start.time", SECONDS,
        "When the client was created, in seconds since 1970.");
    public static final ExportedMetric LAST_POLL_AGE = gauge("last.poll.age", SECONDS,
        "Time since the consumer was last polled, or the publisher last worked; before that, since its creation.");
    public static final ExportedMetric LAST_HEARTBEAT_AGE = gauge("last.heartbeat.age", SECONDS,
        "Time since the coordinator of the group last confirmed a heartbeat; absent while none is expected.");
    public static final ExportedMetric PARTITIONS = gauge("partitions", null,
        "Partitions that are read, and whose next offset is known.");
    public static final ExportedMetric NEXT_OFFSET = gauge("partition.next.offset", null,
        "The next offset that the partition delivers.");
    public static final ExportedMetric HIGH_WATERMARK = gauge("partition.high.watermark", null,
        "The high watermark of the partition, as of its last fetch.");
    public static final ExportedMetric LAG = gauge("partition.lag", null,
        "Offsets from the next offset of the partition to the end of its readable log.");
    public static final ExportedMetric FETCH_LATENCY = gauge("fetch.latency", SECONDS,
        "Quantiles of the time from a fetch request to its response, over the last one to two minutes, " +
            "or since the previous reading if it was longer ago.");
    public static final ExportedMetric RECORD_AGE = gauge("record.age", SECONDS,
        "Quantiles of the age of records at delivery, over the last one to two minutes, " +
            "or since the previous reading if it was longer ago.");
    public static final ExportedMetric THREAD_ALLOCATED = counter("thread.allocated", BYTES,
        "Bytes that the thread of the client has allocated on the heap since the start of the thread.");

    /**
     * This metric belongs to the command {@code odradek prometheus} only, so {@link #computed()} does not contain it.
     */
    public static final ExportedMetric IGNORED_FILES = gauge("ignored.files", null,
        "Files that match a pattern of `odradek prometheus` and are ignored: other files than counters files, files " +
            "that cannot be read, files with unprintable names, and files above the limit of 512 files or of the " +
            "memory.");

    private static ExportedMetric gauge(final String name, final String unit, final String help)
    {
        return new ExportedMetric(PREFIX + name, unit, help, false, 1);
    }

    private static ExportedMetric counter(final String name, final String unit, final String help)
    {
        return new ExportedMetric(PREFIX + name, unit, help, true, 1);
    }

    /** Returns the metrics of a client that have no {@code ListedCounter}. */
    public static List<ExportedMetric> computed()
    {
        return List.of(UP, CLOSED, START_TIME, LAST_POLL_AGE, LAST_HEARTBEAT_AGE, PARTITIONS, NEXT_OFFSET,
            HIGH_WATERMARK, LAG, FETCH_LATENCY, RECORD_AGE, THREAD_ALLOCATED);
    }

    /** Returns the name for Prometheus, such as {@code odradek_name_lookup_seconds_total}. */
    public String prometheusName()
    {
        return name.replace('.', '_') + (unit == null ? "" : "_" + unit) + (isCounter ? "_total" : "");
    }

    /** @param counted value of the counter, in its own unit. */
    public double value(final long counted)
    {
        return counted / divisor;
    }

    @Override
    public String toString()
    {
        return prometheusName();
    }
}
