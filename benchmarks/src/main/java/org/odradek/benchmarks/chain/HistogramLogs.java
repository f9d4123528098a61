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

/**
 * A histogram log for each client, beside the JSON: an interval for each step, in nanoseconds, whose tag says the
 * number of chains and whether coordinated omission is corrected.
 */
final class HistogramLogs
{
    private HistogramLogs()
    {
    }

    /**
     * @param json the file beside which they are written.
     */
    static List<Attachment> write(final Path json, final List<ArmSteps> arms) throws IOException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final ArmSteps arm : arms)
        {
            final String client = arm.arm().client();
            final String file = json.getFileName().toString().replaceFirst("\\.json$", "") + "-" + client + ".hlog";
            write(json.toAbsolutePath().resolveSibling(file), arm);
            attachments.add(new Attachment("each step, " + client, Attachment.HLOG, file));
        }
        return attachments;
    }

    private static void write(final Path file, final ArmSteps arm) throws IOException
    {
        final HistogramLogWriter writer = new HistogramLogWriter(file.toFile());
        writer.outputLogFormatVersion();
        writer.outputLegend();
        arm.results().forEach((chains, tries) -> tries.forEach(result ->
        {
            write(writer, chains + "-chains-corrected", result.correctedHistogram());
            write(writer, chains + "-chains-uncorrected", result.uncorrectedHistogram());
        }));
        writer.close();
    }

    private static void write(final HistogramLogWriter writer, final String tag, final Histogram histogram)
    {
        histogram.setTag(tag);
        writer.outputIntervalHistogram(histogram);
    }
}
