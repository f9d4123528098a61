// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.capture.CapturedFrames;
import org.odradek.consumer.capture.FrameCapture;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.consumer.status.ConsumerHistograms;
import org.odradek.consumer.status.CountersFileReader;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What a {@link TopicConsumer} measures of itself, and where that can be seen from outside; and whether it keeps what
 * the brokers sent. With all of it on it still allocates nothing.
 */
public final class StatusSettings
{
    /**
     * A poll that works for so long keeps the thread from everything else it has to do.
     */
    static final long STALL_THRESHOLD_NS_DEFAULT = TimeUnit.SECONDS.toNanos(1);

    /**
     * A few seconds of a busy topic, a day of a quiet one.
     */
    static final int CAPTURE_LIMIT_BYTES_DEFAULT = 256 << 20;
    private static final int MIN_CAPTURE_LIMIT_BYTES = 64 << 10;

    Path countersFile;
    Path captureFile;
    int captureLimitBytes = CAPTURE_LIMIT_BYTES_DEFAULT;
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

    /**
     * Write every fetch response to a file as it came, to be replayed later; see {@link CapturedFrames} and {@code
     * org.odradek.consumer.replay.FrameReplay}. Unless set, nothing is captured and nothing is spent on it. Capturing
     * costs one more pass over the bytes, and the pages of the file.
     *
     * @param path of the file, one for each consumer; one that is there is replaced.
     * @return this.
     */
    public StatusSettings captureFile(final Path path)
    {
        captureFile = path;
        return this;
    }

    /**
     * How large the capture file may become. So much is taken from the disk at the start; what was not needed is given
     * back at the end. The first response that does not fit ends the capture: {@link ConsumerListener#onCaptureFull}
     * tells of it, and {@link ConsumerCounters#FRAMES_NOT_CAPTURED} counts it and those behind it.
     *
     * @param bytes of the file, 65,536 or more; 256 MiB unless set.
     * @return this.
     */
    public StatusSettings captureLimitBytes(final int bytes)
    {
        captureLimitBytes = bytes;
        return this;
    }

    FrameCapture capture(final String topic, final ConsumerListener listener, final CounterWriter counters)
    {
        return captureFile == null ? FrameCapture.OFF :
            FrameCapture.create(captureFile, topic, captureLimitBytes, listener, counters);
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
        if (captureFile != null && captureFile.getFileName() == null)
        {
            throw new IllegalArgumentException("captureFile is " + captureFile + ": it must name a file");
        }
        if (captureLimitBytes < MIN_CAPTURE_LIMIT_BYTES)
        {
            throw new IllegalArgumentException("captureLimitBytes is " + captureLimitBytes + ": it must be " +
                MIN_CAPTURE_LIMIT_BYTES + " or more");
        }
        if (countersFile != null && countersFile.getFileName() == null)
        {
            throw new IllegalArgumentException("countersFile is " + countersFile + ": it must name a file");
        }
    }
}
