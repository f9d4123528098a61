// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.CountersFileReader;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CountersFile;
import org.odradek.client.files.WrittenFile;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Settings of what a {@link TopicConsumer} measures about itself and where other processes can read it. With
 * everything on, the consumer still allocates nothing.
 */
public final class StatusSettings
{
    /** A duty cycle of this length delays everything else that the thread has to do. */
    static final long STALL_THRESHOLD_NS_DEFAULT = TimeUnit.SECONDS.toNanos(1);

    Path countersFile;
    String countersFilePermissions = WrittenFile.defaultPermissions();
    ConsumerHistograms histograms = ConsumerHistograms.OFF;
    long stallThresholdNs = STALL_THRESHOLD_NS_DEFAULT;

    /** Counters in memory, without histograms; a stall is a second or longer. */
    public StatusSettings()
    {
    }

    /**
     * Keep counters and distinct errors in a mapped file, which {@link CountersFileReader} reads. Each client needs a
     * file of its own. Without one, the counters are in memory and only the error handler receives errors.
     *
     * @param path of the file, preferably in /dev/shm, or null; an existing file is replaced unless its client runs.
     */
    public StatusSettings countersFile(final Path path)
    {
        countersFile = path;
        return this;
    }

    /**
     * Let other users read the counters file, such as the user of a process that exports it to Prometheus. The file
     * also contains the messages of errors.
     *
     * @param permissions {@code rw-------} (the owner only, the default), {@code rw-r-----} (also the group) or
     *                    {@code rw-r--r--} (all users). A stricter umask of the process prevails.
     */
    public StatusSettings countersFilePermissions(final String permissions)
    {
        countersFilePermissions = permissions;
        return this;
    }

    /**
     * Record how long fetches take and how old records are. This needs HdrHistogram on the class path and costs a few
     * nanoseconds per record.
     *
     * @param newHistograms from {@link ConsumerHistograms#create}; {@link ConsumerHistograms#OFF} unless set.
     */
    public StatusSettings histograms(final ConsumerHistograms newHistograms)
    {
        histograms = newHistograms;
        return this;
    }

    /**
     * Count and report ({@link ConsumerListener#onStall}) a duty cycle that works for longer than this, handler calls
     * included, and a wait that ends too late by more than this.
     *
     * @param thresholdNs in nanoseconds; 1 second unless set.
     */
    public StatusSettings stallThresholdNs(final long thresholdNs)
    {
        stallThresholdNs = thresholdNs;
        return this;
    }

    /** Where the counters file is created; null without one. */
    public Path countersFile()
    {
        return countersFile;
    }

    /** The value of {@link #countersFilePermissions(String)}. */
    public String countersFilePermissions()
    {
        return countersFilePermissions;
    }

    /** The value of {@link #histograms(ConsumerHistograms)}. */
    public ConsumerHistograms histograms()
    {
        return histograms;
    }

    /** The value of {@link #stallThresholdNs(long)}. */
    public long stallThresholdNs()
    {
        return stallThresholdNs;
    }

    void check()
    {
        CountersFile.checkSettings(countersFile, countersFilePermissions);
        if (stallThresholdNs < 1)
        {
            throw new IllegalArgumentException("stallThresholdNs is " + stallThresholdNs + ": it must be 1 or more");
        }
        ClientSettings.checkSet("histograms", histograms);
    }
}
