// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Meters;
import org.odradek.benchmarks.rig.Sink;

/**
 * Takes what the one job of this JVM counts. In a pass, the thread that counts reads the meters at the job's first
 * record and at its last. On a live topic, the thread of the rig reads them.
 */
final class Tally
{
    /** Functions of a job are serialized, so they find it here. */
    private static volatile Tally current;

    private final Sink sink;
    private final long passRecords;
    private final int valueLength;
    private final Meters meters = new Meters();
    private final Usage used = new Usage();
    /** Volatile: written last by the thread that counts, and awaited by the thread of the rig. */
    private volatile boolean isDone;

    private Tally(final Sink sink, final long passRecords, final int valueLength)
    {
        this.sink = sink;
        this.passRecords = passRecords;
        this.valueLength = valueLength;
        current = this;
    }

    /**
     * Begins a pass.
     *
     * @param records     of the topic.
     * @param valueLength of each of them.
     */
    static Tally ofPass(final long records, final int valueLength)
    {
        return new Tally(Sink.ofPasses(), records, valueLength);
    }

    /** Begins to read the end of partition 0. */
    static Tally ofLiveTopic()
    {
        return new Tally(Sink.ofLiveTopic(0), 0, 0);
    }

    static Tally current()
    {
        return current;
    }

    void onSample(final Sample sample)
    {
        if (sink.isLive())
        {
            onLiveSample(sample);
        }
        else
        {
            sink.onValue(0, sample.offset, sample.length, sample.first, sample.others);
            markPass();
        }
    }

    private synchronized void onLiveSample(final Sample sample)
    {
        sink.onValue(0, sample.offset, sample.length, sample.first, sample.others);
    }

    /** Takes the sum of the three longs of a value of which the job knows no more. */
    void onSum(final long sum)
    {
        sink.onValues(1, valueLength, sum);
        markPass();
    }

    private void markPass()
    {
        final long records = sink.records();
        if (records == 1)
        {
            meters.begin();
        }
        else if (records == passRecords)
        {
            meters.end(used);
            isDone = true;
        }
    }

    boolean isDone()
    {
        return isDone;
    }

    synchronized boolean isReading()
    {
        return sink.records() > 0;
    }

    /** Resets the counts of a live topic, and begins a turn. */
    synchronized void begin()
    {
        sink.reset();
        meters.begin();
    }

    /** Ends what {@link #begin()} has begun. */
    synchronized Usage end()
    {
        meters.end(used);
        return usage();
    }

    /**
     * @return what was read in the pass that is done or in the turn, and what the process used meanwhile.
     */
    Usage usage()
    {
        sink.addTo(used);
        Meters.forgetThread(used);
        return used;
    }
}
