// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes a HdrHistogram log of latencies in nanoseconds: intervals one behind the other, as if nothing had been between
 * them.
 */
public final class IntervalLog implements AutoCloseable
{
    /** For logs of one distribution. */
    public static final String UNTAGGED = null;

    private final Path file;
    private final PrintStream out;
    private final HistogramLogWriter writer;
    private double startSeconds;

    /**
     * @param file  to write.
     * @param title what it holds.
     */
    public IntervalLog(final Path file, final String title) throws IOException
    {
        this.file = file;
        out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
        writer = new HistogramLogWriter(out);
        writer.outputComment("[" + title + ": ns from when a record was to be sent to its callback]");
        writer.outputLogFormatVersion();
        writer.outputLegend();
    }

    /**
     * Add an interval, or leave a gap if the histogram is empty.
     *
     * @param tag       of the distribution, without commas and spaces, or {@link #UNTAGGED}.
     * @param histogram of the interval.
     * @param seconds   that it lasted.
     */
    public void write(final String tag, final Histogram histogram, final double seconds)
    {
        if (histogram.getTotalCount() > 0)
        {
            histogram.setTag(tag);
            writer.outputIntervalHistogram(startSeconds, startSeconds + seconds, histogram);
        }
        startSeconds += seconds;
    }

    @Override
    public void close() throws IOException
    {
        final boolean isBroken = out.checkError();
        out.close();
        if (isBroken)
        {
            throw new IOException("The histogram log " + file + " cannot be written.");
        }
    }
}
