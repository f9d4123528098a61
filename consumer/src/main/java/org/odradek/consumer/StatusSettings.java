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
 * The settings that determine what a {@link TopicConsumer} measures about itself, and in which file other processes can
 * read its counters.
 */
public final class StatusSettings
{
    static final long STALL_THRESHOLD_NS_DEFAULT = TimeUnit.SECONDS.toNanos(1);

    Path countersFile;
    String countersFilePermissions = WrittenFile.defaultPermissions();
    ConsumerHistograms histograms = ConsumerHistograms.OFF;
    long stallThresholdNs = STALL_THRESHOLD_NS_DEFAULT;

    /** Creates settings with counters in memory, without histograms, and with a stall threshold of 1 second. */
    public StatusSettings()
    {
    }

    /**
     * Keeps counters and distinct errors in a mapped file, which {@link CountersFileReader} reads. Each client needs a
     * file of its own.
     *
     * @param path the path of the file, preferably in /dev/shm, or null for no file. An existing file is replaced;
     *             while the client that writes the file is running, {@link TopicConsumer#connect} throws an
     *             IllegalStateException instead.
     */
    public StatusSettings countersFile(final Path path)
    {
        countersFile = path;
        return this;
    }

    /**
     * Sets the permissions of the counters file. The file also contains the messages of errors.
     *
     * @param permissions {@code rw-------} (the owner only), {@code rw-r-----} (also the group) or {@code rw-r--r--}
     *                    (all users). The default is {@code rw-------} unless {@link
     *                    ConsumerConfiguration#FILE_PERMISSIONS_PROP_NAME} is set.
     */
    public StatusSettings countersFilePermissions(final String permissions)
    {
        countersFilePermissions = permissions;
        return this;
    }

    /**
     * Records the durations of fetches and the ages of records. Histograms need HdrHistogram on the class path.
     *
     * @param newHistograms the result of {@link ConsumerHistograms#create}; the default is {@link
     *                      ConsumerHistograms#OFF}.
     */
    public StatusSettings histograms(final ConsumerHistograms newHistograms)
    {
        histograms = newHistograms;
        return this;
    }

    /**
     * Sets the time after which a stall is counted and reported ({@link ConsumerListener#onStall}). A duty cycle stalls
     * if it works for longer than this time, including handler calls. A wait stalls if it ends later than planned by
     * more than this time.
     *
     * @param thresholdNs the time in nanoseconds, 1 or more; the default is 1 second.
     */
    public StatusSettings stallThresholdNs(final long thresholdNs)
    {
        stallThresholdNs = thresholdNs;
        return this;
    }

    /** Returns the path at which the counters file is created, or null for no file. */
    public Path countersFile()
    {
        return countersFile;
    }

    /** Returns the permissions of the counters file, such as {@code rw-------}. */
    public String countersFilePermissions()
    {
        return countersFilePermissions;
    }

    /** Returns the histograms, {@link ConsumerHistograms#OFF} by default. */
    public ConsumerHistograms histograms()
    {
        return histograms;
    }

    /** Returns the time in nanoseconds after which a stall is counted and reported. */
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
