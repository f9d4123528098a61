// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.status.ConsumerHistograms;
import org.odradek.consumer.status.CountersFileReader;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What a {@link TopicConsumer} measures of itself, and where other processes can see it. With all of it on, the
 * consumer still allocates nothing.
 */
public final class StatusSettings
{
    /**
     * A poll that works for so long keeps the thread from everything else it has to do.
     */
    static final long STALL_THRESHOLD_NS_DEFAULT = TimeUnit.SECONDS.toNanos(1);

    Path countersFile;
    ConsumerHistograms histograms = ConsumerHistograms.OFF;
    long stallThresholdNs = STALL_THRESHOLD_NS_DEFAULT;

    /**
     * Keep counters and distinct errors in a mapped file, see {@link CountersFileReader}; each consumer needs one of
     * its own. Unless set, counters are in memory of their own and errors go to the error handler alone.
     *
     * @param path of the file, best in /dev/shm; one that is there is replaced, unless its consumer runs.
     * @return this.
     */
    public StatusSettings countersFile(final Path path)
    {
        countersFile = path;
        return this;
    }

    public Path countersFile()
    {
        return countersFile;
    }

    /**
     * Record how long fetches take and how old records are; {@link ConsumerHistograms#OFF} unless set. Needs
     * HdrHistogram on the class path, and costs a few nanoseconds per record.
     *
     * @param newHistograms that {@link ConsumerHistograms#create} has made, to be read on the polling thread.
     * @return this.
     */
    public StatusSettings histograms(final ConsumerHistograms newHistograms)
    {
        histograms = newHistograms;
        return this;
    }

    public ConsumerHistograms histograms()
    {
        return histograms;
    }

    /**
     * A duty cycle that works for longer is counted as a stall: its handler's calls are part of it, waiting is not.
     *
     * @param thresholdNs in nanoseconds, 1 second unless set.
     * @return this.
     */
    public StatusSettings stallThresholdNs(final long thresholdNs)
    {
        stallThresholdNs = thresholdNs;
        return this;
    }

    public long stallThresholdNs()
    {
        return stallThresholdNs;
    }

    void check()
    {
        if (stallThresholdNs < 1)
        {
            throw new IllegalArgumentException("stallThresholdNs is " + stallThresholdNs + ": it must be 1 or more");
        }
        if (histograms == null)
        {
            throw new IllegalArgumentException("histograms is null: it must be set");
        }
        if (countersFile != null && countersFile.getFileName() == null)
        {
            throw new IllegalArgumentException("countersFile is " + countersFile + ": it must name a file");
        }
    }
}
