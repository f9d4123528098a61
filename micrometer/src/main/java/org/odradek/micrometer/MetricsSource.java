// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import com.sun.management.ThreadMXBean;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.handler.ConsumerCounters;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads the values of one client: its counters, and those of its counters file if there is one. The offsets of
 * partitions are read together, and kept for {@link #KEPT_NS}, because a registry reads them one by one. Any thread
 * may use it.
 */
final class MetricsSource
{
    private static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A client of this process, to be read from any thread. */
    interface Client
    {
        /** The value of a counter that it shows. */
        long value(ListedCounter counter);

        /** The thread that owns it, or null. */
        Thread owner();
    }

    private final ClientKind kind;
    /** Null if only the file can be read. */
    private final Client client;
    private CountersFileReader file;
    /** The last values of the files before. */
    private final Map<ListedCounter, Long> earlier = new HashMap<>();
    private long readNs;
    /** Not a number if the JVM does not count it. */
    private double allocatedBytes;
    private long[] ofPublisher = {};
    private long[] nextOffsets = {};
    private long[] highWatermarks = {};
    private long[] lags = {};

    /**
     * Reads a client of this process.
     *
     * @param path of its counters file, or null if it has none.
     */
    MetricsSource(final ClientKind kind, final Client client, final Path path)
    {
        this.kind = kind;
        this.client = client;
        file = path == null ? null : CountersFileReader.open(path);
        readNs = System.nanoTime() - KEPT_NS;
    }

    /** Reads a file only. */
    MetricsSource(final Path path)
    {
        client = null;
        file = CountersFileReader.open(path);
        kind = file.kind();
        readNs = System.nanoTime() - KEPT_NS;
    }

    boolean isConsumer()
    {
        return kind == ClientKind.CONSUMER;
    }

    /** The counters that the client shows. */
    List<ListedCounter> shown()
    {
        return isConsumer() ? ListedCounter.shownByConsumer() : ListedCounter.shownByPublisher();
    }

    boolean hasClient()
    {
        return client != null;
    }

    boolean hasFile()
    {
        return file != null;
    }

    /** The value of a counter that only grows, also when another process starts the client again. */
    synchronized long count(final ListedCounter counter)
    {
        return total(counter) + earlier.getOrDefault(counter, 0L);
    }

    /** The same, by the id in the numbered list. */
    long count(final int id)
    {
        return count(ListedCounter.of(id));
    }

    synchronized long total(final ListedCounter counter)
    {
        refresh();
        return client == null ? inFile(counter) : client.value(counter);
    }

    private long inFile(final ListedCounter counter)
    {
        return !counter.isOfPublisher() ? file.total(counter.id()) :
            counter.id() < ofPublisher.length ? Math.max(0, ofPublisher[counter.id()]) : 0;
    }

    /** Returns the counters file; after another process has started the client again, it returns the new one. */
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
        final long confirmedMs = total(ListedCounter.of(ConsumerCounters.LAST_HEARTBEAT_MS));
        return confirmedMs == 0 ? Double.NaN : Math.max(0, System.currentTimeMillis() - confirmedMs) / 1e3;
    }

    /**
     * Heap bytes that the thread of the client has allocated; the last value after the thread has ended. Not a number
     * for a virtual thread, whose bytes the JVM does not count.
     */
    synchronized double allocatedBytes()
    {
        final Thread thread = client.owner();
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
            if (client == null && file.isReplaced())
            {
                reopen();
            }
            readArrays();
        }
    }

    private void readArrays()
    {
        if (isConsumer())
        {
            nextOffsets = file.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID);
            highWatermarks = file.partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID);
            lags = file.partitionValues(CountersFileReader.LAG_TYPE_ID);
        }
        else
        {
            ofPublisher = file.publisherTotals();
        }
    }

    private void reopen()
    {
        final CountersFileReader before = file;
        final CountersFileReader found;
        try
        {
            found = CountersFileReader.open(before.path());
        }
        catch (final IllegalArgumentException ex)
        {
            // There is no file at present: the last values of the old one stay, and its age grows.
            return;
        }
        // The keys of files may be unknown, and then the same file is opened again. A client of the other kind has
        // other metrics.
        if (found.kind() != kind || found.startMs() == before.startMs() && found.pid() == before.pid())
        {
            return;
        }
        readArrays();
        for (final ListedCounter counter : shown())
        {
            earlier.merge(counter, inFile(counter), Long::sum);
        }
        file = found;
    }
}
