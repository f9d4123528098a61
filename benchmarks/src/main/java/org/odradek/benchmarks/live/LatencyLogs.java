/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.live;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.odradek.benchmarks.report.Attachment;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes the latencies of a case beside the report: a histogram log for each client, an interval for each turn.
 */
public final class LatencyLogs
{
    private LatencyLogs()
    {
    }

    /**
     * @param json     the report's file.
     * @param scenario for the names of the files.
     * @param turns    of each client by its name.
     * @return one for each client that got records and knows how late they were.
     */
    public static List<Attachment> write(
        final Path json, final String scenario, final String caseName, final Map<String, Turn[]> turns)
        throws IOException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final Map.Entry<String, Turn[]> entry : turns.entrySet())
        {
            if (!entry.getValue()[0].usage().latency().isEmpty() && entry.getValue()[0].usage().records() > 0)
            {
                final String name = fileName(scenario, caseName, entry.getKey(), "hlog");
                write(json.resolveSibling(name), caseName + ", " + entry.getKey(), entry.getValue());
                attachments.add(new Attachment(caseName + ", " + entry.getKey(), Attachment.HLOG, name));
            }
        }
        return attachments;
    }

    /**
     * @return a name for a file of one client in one case, of letters, digits and dashes.
     */
    static String fileName(final String scenario, final String caseName, final String client, final String ending)
    {
        return (scenario + "-" + caseName + "-" + client).replaceAll("[^A-Za-z0-9]+", "-") + "." + ending;
    }

    private static void write(final Path file, final String comment, final Turn[] turns) throws IOException
    {
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8))
        {
            final HistogramLogWriter writer = new HistogramLogWriter(out);
            writer.outputComment("[" + comment + ": ns from when a record was to be sent to its callback]");
            writer.outputLogFormatVersion();
            writer.outputLegend();
            double startSeconds = 0;
            for (final Turn turn : turns)
            {
                final Histogram histogram = turn.usage().latencyHistogram();
                final double endSeconds = startSeconds + turn.usage().seconds();
                writer.outputIntervalHistogram(startSeconds, endSeconds, histogram);
                startSeconds = endSeconds;
            }
            if (out.checkError())
            {
                throw new IOException("The histogram log " + file + " cannot be written.");
            }
        }
    }
}
