/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.odradek.benchmarks.report.Attachment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A histogram log for each client, beside the JSON: an interval for each step, in nanoseconds, whose tag says the
 * number of chains and whether coordinated omission is corrected.
 */
final class HistogramLogs
{
    private static final double MS_PER_SECOND = 1e3;

    private HistogramLogs()
    {
    }

    /**
     * @param json       the file beside which they are written.
     * @param searches   of all rounds.
     * @param measuredMs of each step.
     */
    static List<Attachment> write(final Path json, final List<ArmSteps> searches, final int measuredMs)
        throws IOException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final Map.Entry<ChainArm, List<ArmSteps>> arm : ChainRows.byArm(searches).entrySet())
        {
            final String client = arm.getKey().client();
            final String file = json.getFileName().toString().replaceFirst("\\.json$", "") + "-" + client + ".hlog";
            final List<StepResult> steps = arm.getValue().stream()
                .flatMap(search -> search.results().values().stream()).flatMap(List::stream).toList();
            write(json.toAbsolutePath().resolveSibling(file), steps, measuredMs / MS_PER_SECOND);
            attachments.add(new Attachment("each step, " + client, Attachment.HLOG, file));
        }
        return attachments;
    }

    private static void write(final Path file, final List<StepResult> steps, final double seconds) throws IOException
    {
        final HistogramLogWriter writer = new HistogramLogWriter(file.toFile());
        writer.outputLogFormatVersion();
        writer.outputLegend();
        double startSeconds = 0;
        for (final StepResult result : steps)
        {
            final String tag = result.chains() + "-chains-";
            write(writer, startSeconds, seconds, tag + "corrected", result.correctedHistogram());
            startSeconds = write(writer, startSeconds, seconds, tag + "uncorrected", result.uncorrectedHistogram());
        }
        writer.close();
    }

    /** Steps stand one behind the other, as if nothing had been between them. A step cut off at once is left out. */
    private static double write(
        final HistogramLogWriter writer,
        final double startSeconds,
        final double seconds,
        final String tag,
        final Histogram histogram)
    {
        if (histogram.getTotalCount() > 0)
        {
            histogram.setTag(tag);
            writer.outputIntervalHistogram(startSeconds, startSeconds + seconds, histogram);
        }
        return startSeconds + seconds;
    }
}
