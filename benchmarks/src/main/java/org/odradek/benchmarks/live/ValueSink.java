// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.HdrHistogram.Histogram;

import java.util.Arrays;

/**
 * Takes the first and the last long of every value, notes how late it came, and counts offsets that did not follow the
 * one before. Allocates nothing once made.
 */
public final class ValueSink
{
    static final long LEAST_NS = 100;
    static final long MOST_NS = 600_000_000_000L;
    static final int DIGITS = 3;

    private static final long NULL_OFFSET = -1;

    private long records;
    private long bytes;
    private long missing;
    private long sum;
    private final long[] nextOffsets;
    private final Histogram latency = new Histogram(LEAST_NS, MOST_NS, DIGITS);

    ValueSink(final int[] partitions)
    {
        nextOffsets = new long[Arrays.stream(partitions).max().orElse(0) + 1];
        Arrays.fill(nextOffsets, NULL_OFFSET);
    }

    /**
     * @param partition of the record.
     * @param offset    of the record.
     * @param length    of its value, in bytes.
     * @param dueNs     the value's first eight bytes: when it was to be sent, by {@code System.nanoTime()}.
     * @param last      the value's last eight bytes.
     */
    public void onValue(final int partition, final long offset, final int length, final long dueNs, final long last)
    {
        final long expected = nextOffsets[partition];
        if (offset != expected && expected != NULL_OFFSET)
        {
            missing += offset > expected ? offset - expected : 1;
        }
        nextOffsets[partition] = offset + 1;
        records++;
        bytes += length;
        sum += last;
        latency.recordValue(Math.min(MOST_NS, Math.max(0, System.nanoTime() - dueNs)));
    }

    /** What has come so far is forgotten; where each partition goes on is not. */
    void reset()
    {
        records = 0;
        bytes = 0;
        missing = 0;
        latency.reset();
    }

    long records()
    {
        return records;
    }

    long bytes()
    {
        return bytes;
    }

    long missing()
    {
        return missing;
    }

    /**
     * @return all last longs added up, so that the compiler cannot leave out the reading of them.
     */
    long sum()
    {
        return sum;
    }

    Histogram latency()
    {
        return latency;
    }
}
