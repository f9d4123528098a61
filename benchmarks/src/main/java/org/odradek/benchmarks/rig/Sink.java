// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;

import java.util.Arrays;
import java.util.List;

/**
 * Takes every value that a client reads: adds up its three longs, and on a live topic notes how late it came and counts
 * offsets that did not follow the one before. It allocates nothing once made.
 */
public final class Sink
{
    private static final long NULL_OFFSET = -1;

    private long records;
    private long bytes;
    private long missing;
    private long sum;
    private final long[] nextOffsets;
    private final Histogram latency;

    private Sink(final long[] nextOffsets, final Histogram latency)
    {
        this.nextOffsets = nextOffsets;
        this.latency = latency;
    }

    /** @return a sink that adds up only, for topics that are written before they are read. */
    public static Sink ofPasses()
    {
        return new Sink(null, null);
    }

    /** @return a sink for a log that is read from its first record on: it finds out which records are missing. */
    public static Sink ofLog(final int... partitions)
    {
        return new Sink(new long[Arrays.stream(partitions).max().orElse(0) + 1], null);
    }

    /** @return a sink as this one for these partitions, for one of several clients of a process. */
    public Sink share(final int... partitions)
    {
        return nextOffsets == null ? ofPasses() : ofLog(partitions);
    }

    /** @param partitions that are read; the first long of each value is the time at which it was due. */
    public static Sink ofLiveTopic(final int... partitions)
    {
        final long[] nextOffsets = new long[Arrays.stream(partitions).max().orElse(0) + 1];
        Arrays.fill(nextOffsets, NULL_OFFSET);
        return new Sink(nextOffsets, Usage.histogram());
    }

    /** @return a sink that finds a record missing also if the first one is not that of offset 0. */
    public static Sink ofWholeTopic(final int... partitions)
    {
        final Sink sink = ofLiveTopic(partitions);
        Arrays.fill(sink.nextOffsets, 0);
        return sink;
    }

    /** Takes a value of this length in bytes: the first of its three longs, and the sum of the others. */
    public void onValue(final int partition, final long offset, final int length, final long first, final long others)
    {
        records++;
        bytes += length;
        sum += first + others;
        if (nextOffsets != null)
        {
            checkOffset(partition, offset);
        }
        if (latency != null)
        {
            latency.recordValue(Math.min(Usage.MOST_NS, Math.max(0, System.nanoTime() - first)));
        }
    }

    private void checkOffset(final int partition, final long offset)
    {
        final long expected = nextOffsets[partition];
        if (offset != expected && expected != NULL_OFFSET)
        {
            missing += offset > expected ? offset - expected : 1;
        }
        nextOffsets[partition] = offset + 1;
    }

    /** Replaces the counts by the sums of what the sinks of several clients of a process have taken. */
    public void setTo(final List<Sink> sinks)
    {
        records = sinks.stream().mapToLong((sink) -> sink.records).sum();
        bytes = sinks.stream().mapToLong((sink) -> sink.bytes).sum();
        missing = sinks.stream().mapToLong((sink) -> sink.missing).sum();
        sum = sinks.stream().mapToLong((sink) -> sink.sum).sum();
    }

    /** Several values at once, for a client that adds up itself what it reads in a pass. */
    public void onValues(final long recordCount, final long lengths, final long sumOfLongs)
    {
        records += recordCount;
        bytes += lengths;
        sum += sumOfLongs;
    }

    public boolean isLive()
    {
        return latency != null;
    }

    /** Lets all counts begin anew; where each partition goes on is kept. */
    public void reset()
    {
        records = 0;
        bytes = 0;
        missing = 0;
        sum = 0;
        if (latency != null)
        {
            latency.reset();
        }
    }

    public long records()
    {
        return records;
    }

    long missing()
    {
        return missing;
    }

    /** It allocates nothing. */
    void copyLatencyTo(final Histogram copy)
    {
        latency.copyInto(copy);
    }

    public Usage usage()
    {
        final Usage usage = new Usage();
        addTo(usage);
        return usage;
    }

    public void addTo(final Usage usage)
    {
        usage.records = records;
        usage.bytes = bytes;
        usage.missing = missing;
        usage.sum = sum;
        usage.latency = latency == null ? "" : Usage.encode(latency);
    }
}
