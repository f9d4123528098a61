// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.odradek.benchmarks.report.Report.Attachment;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Writes logs of HdrHistogram, in nanoseconds: intervals one after the other, as if nothing had been between them. */
public final class IntervalLog
{
    private IntervalLog()
    {
    }

    /** One distribution, an empty one leaves a gap; the tag has no comma or space, and is null if there is only one. */
    public record Interval(String tag, Histogram histogram, double seconds)
    {
    }

    /** Writes a log beside the JSON, and returns it. */
    public static Attachment write(final Path json, final Attachment log, final List<Interval> intervals)
        throws IOException
    {
        try (PrintStream out = new PrintStream(json.resolveSibling(log.file()).toFile(), StandardCharsets.UTF_8))
        {
            final HistogramLogWriter writer = new HistogramLogWriter(out);
            writer.outputComment("[" + log.title() + ": ns from when a record was due to its callback]");
            writer.outputLogFormatVersion();
            writer.outputLegend();
            double startSeconds = 0;
            for (final Interval next : intervals)
            {
                if (next.histogram.getTotalCount() > 0)
                {
                    next.histogram.setTag(next.tag);
                    writer.outputIntervalHistogram(startSeconds, startSeconds + next.seconds, next.histogram);
                }
                startSeconds += next.seconds;
            }
            if (out.checkError())
            {
                throw new IOException("The histogram log " + log.file() + " cannot be written.");
            }
        }
        return log;
    }
}
