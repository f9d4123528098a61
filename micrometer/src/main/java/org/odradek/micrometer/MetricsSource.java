// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import com.sun.management.ThreadMXBean;
import org.odradek.client.CountersFileReader;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Reads the values of one consumer: its counters, and those of its counters file if there is one. The offsets of
 * partitions are read together, and kept for {@link #KEPT_NS}, because a registry reads them one by one. Any thread
 * may use it.
 */
final class MetricsSource
{
    private static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final TopicConsumer consumer;
    private final ConsumerCounters counters;
    private CountersFileReader file;
    /** By id, the last values of the files before. */
    private final long[] earlier = new long[ConsumerCounters.count()];
    private long readNs;
    /** Not a number if the JVM does not count it. */
    private double allocatedBytes;
    private long[] nextOffsets = {};
    private long[] highWatermarks = {};
    private long[] lags = {};

    /**
     * @param consumer of this process, or null.
     * @param path     of a counters file, or null if the consumer has none.
     */
    MetricsSource(final TopicConsumer consumer, final Path path)
    {
        this.consumer = consumer;
        counters = consumer == null ? null : consumer.counters();
        file = path == null ? null : CountersFileReader.open(path);
        readNs = System.nanoTime() - KEPT_NS;
    }

    boolean hasConsumer()
    {
        return consumer != null;
    }

    boolean hasFile()
    {
        return file != null;
    }

    /** The value of a counter that only grows, also when another process starts the consumer again. */
    synchronized long count(final int id)
    {
        return total(id) + earlier[id];
    }

    synchronized long total(final int id)
    {
        refresh();
        return counters == null ? file.total(id) : counters.get(id);
    }

    /** Returns the counters file; after another process has started the consumer again, it returns the new one. */
    synchronized CountersFileReader file()
    {
        refresh();
        return file;
    }

    synchronized long nextOffset(final int partition)
    {
        refresh();
        return at(nextOffsets, partition);
    }

    synchronized long highWatermark(final int partition)
    {
        refresh();
        return at(highWatermarks, partition);
    }

    synchronized long lag(final int partition)
    {
        refresh();
        return at(lags, partition);
    }

    /** One more than the largest id of a partition that has counters. */
    synchronized int capacity()
    {
        refresh();
        return nextOffsets.length;
    }

    private static long at(final long[] values, final int partition)
    {
        return partition < values.length ? values[partition] : CountersFileReader.NULL_VALUE;
    }

    /** Seconds since the last confirmed heartbeat; not a number while none is expected. */
    double heartbeatAge()
    {
        final long confirmedMs = total(ConsumerCounters.LAST_HEARTBEAT_MS);
        return confirmedMs == 0 ? Double.NaN : Math.max(0, System.currentTimeMillis() - confirmedMs) / 1e3;
    }

    /**
     * Heap bytes that the polling thread has allocated; the last value after the thread has ended. Not a number for a
     * virtual thread, whose bytes the JVM does not count.
     */
    synchronized double allocatedBytes()
    {
        final Thread thread = consumer.owner();
        if (thread != null && ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)
        {
            final long bytes = threads.getThreadAllocatedBytes(thread.getId());
            allocatedBytes = bytes < 0 && thread.isAlive() ? Double.NaN : Math.max(allocatedBytes, bytes);
        }
        return allocatedBytes;
    }

    private void refresh()
    {
        final long nowNs = System.nanoTime();
        if (file != null && nowNs - readNs >= KEPT_NS)
        {
            readNs = nowNs;
            if (consumer == null && file.isReplaced())
            {
                reopen();
            }
            nextOffsets = file.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID);
            highWatermarks = file.partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID);
            lags = file.partitionValues(CountersFileReader.LAG_TYPE_ID);
        }
    }

    private void reopen()
    {
        final CountersFileReader before = file;
        try
        {
            file = CountersFileReader.open(file.path());
        }
        catch (final IllegalArgumentException ex)
        {
            // There is no file at present: the last values of the old one stay, and its age grows.
            return;
        }
        // The keys of files may be unknown, and then the same file is opened again.
        final boolean isOther = file.startMs() != before.startMs() || file.pid() != before.pid();
        for (int id = 0; isOther && id < earlier.length; id++)
        {
            earlier[id] += before.total(id);
        }
    }
}
