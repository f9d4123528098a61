// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import com.sun.management.ThreadMXBean;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.handler.ConsumerCounters;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads the values of one client: its counters, and the values in its counters file if there is one. Any thread may use
 * a source.
 */
final class MetricsSource
{
    private static final long KEPT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A client of this process. */
    interface Client
    {
        long value(ListedCounter counter);

        /** Returns the thread that owns the client, or null if there is none. */
        Thread owner();
    }

    private final ClientKind kind;
    /** The client; null if only a file is read. */
    private final Client client;
    private CountersFileReader file;
    private final Map<ListedCounter, Long> earlier = new HashMap<>();
    /** The sums of the last values of the workers in earlier files, by id and worker. */
    private final long[][] earlierOfWorkers = new long[ListedCounter.workerCount()][0];
    private long readNs;
    private long allocatedBytes;
    /** What is added to the bytes of the owner. */
    private long allocatedBefore;
    /** The last thread whose bytes were counted. */
    private Thread owner;
    private long[] ofPublisher = {};
    /** The counters of workers, by id and worker. */
    private final long[][] ofWorkers = new long[ListedCounter.workerCount()][0];
    private long[] nextOffsets = {};
    private long[] highWatermarks = {};
    private long[] lags = {};

    /**
     * Reads a client of this process.
     *
     * @param path the path of its counters file, or null if it has none.
     */
    MetricsSource(final ClientKind kind, final Client client, final Path path)
    {
        this.kind = kind;
        this.client = client;
        file = path == null ? null : CountersFileReader.open(path);
        readNs = System.nanoTime() - KEPT_NS;
    }

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

    /**
     * Returns the value of a counter. It continues from the previous value if another process starts the client again.
     */
    synchronized long count(final ListedCounter counter)
    {
        return total(counter) + earlier.getOrDefault(counter, 0L);
    }

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

    /** Returns the number of workers in the file. */
    synchronized int workers()
    {
        refresh();
        int count = 0;
        while (at(ofWorkers[0], count) >= 0)
        {
            count++;
        }
        return count;
    }

    /** Returns the value of a counter of a worker; -1 if the file does not have it. */
    synchronized long total(final ListedCounter counter, final int worker)
    {
        refresh();
        return at(ofWorkers[counter.id()], worker);
    }

    /** Returns the same as {@link #count(ListedCounter)}, for a counter of a worker. */
    synchronized long count(final ListedCounter counter, final int worker)
    {
        return Math.max(0, total(counter, worker)) + Math.max(0, at(earlierOfWorkers[counter.id()], worker));
    }

    /** Returns the counters file, which is a new file after another process has started the client again. */
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

    synchronized int capacity()
    {
        refresh();
        return nextOffsets.length;
    }

    /** @param index id of a partition, or index of a worker. */
    private static long at(final long[] values, final int index)
    {
        return index < values.length ? values[index] : CountersFileReader.NULL_VALUE;
    }

    /** Returns the seconds since the last confirmed heartbeat, or NaN while no heartbeat is expected. */
    double heartbeatAge()
    {
        final long confirmedMs = total(ListedCounter.of(ConsumerCounters.LAST_HEARTBEAT_MS));
        return confirmedMs == 0 ? Double.NaN : Math.max(0, System.currentTimeMillis() - confirmedMs) / 1e3;
    }

    /**
     * Returns the number of heap bytes that the thread of the client has allocated, or NaN if the JVM does not count
     * them. After the thread has ended, the last known number is returned. If another thread becomes the owner, its
     * bytes are added from then on.
     */
    synchronized double allocatedBytes()
    {
        final Thread thread = client.owner();
        if (thread != null && ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)
        {
            final long bytes = threads.getThreadAllocatedBytes(thread.getId());
            if (bytes < 0)
            {
                return thread.isAlive() ? Double.NaN : allocatedBytes;
            }
            if (thread != owner)
            {
                // The counter continues at its last value; what another thread has allocated before is not counted.
                allocatedBefore = owner == null ? 0 : allocatedBytes - bytes;
                owner = thread;
            }
            allocatedBytes = allocatedBefore + bytes;
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
            Arrays.setAll(ofWorkers, file::workerValues);
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
            // There is no file now. The last values of the old file are kept, and its age grows.
            return;
        }
        // A client of the other kind has other metrics, and the meters have the tag of one topic.
        final boolean isOther = found.kind() != kind || !found.topic().equals(before.topic());
        // If file keys are not known, this may be the same file again.
        if (isOther || found.startMs() == before.startMs() && found.pid() == before.pid())
        {
            return;
        }
        readArrays();
        for (final ListedCounter counter : shown())
        {
            earlier.merge(counter, inFile(counter), Long::sum);
        }
        Arrays.setAll(earlierOfWorkers, (id) -> sum(earlierOfWorkers[id], ofWorkers[id]));
        file = found;
    }

    private static long[] sum(final long[] sums, final long[] values)
    {
        final long[] next = Arrays.copyOf(sums, Math.max(sums.length, values.length));
        for (int i = 0; i < values.length; i++)
        {
            next[i] += Math.max(0, values[i]);
        }
        return next;
    }
}
