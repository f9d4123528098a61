/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.HdrHistogram.HistogramLogWriter;
import org.odradek.benchmarks.report.Attachment;

import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Histogram logs beside the JSON: a file for each rate and client, an interval for each round.
 */
final class LatencyLogs
{
    private LatencyLogs()
    {
    }

    /**
     * @param json the file beside which they are written.
     */
    static List<Attachment> write(final Path json, final LatencyPlan plan, final List<LatencyRun> runs)
        throws FileNotFoundException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final int rate : plan.rates())
        {
            for (final LatencyClient client : plan.clients())
            {
                final String file = "latency-" + rate + "-" + client.client() + ".hlog";
                write(json.toAbsolutePath().resolveSibling(file), runs.stream()
                    .filter(run -> run.rate() == rate && run.client().equals(client.client())).toList());
                attachments.add(new Attachment(
                    LatencyRun.caseName(rate) + ", " + client.client(), Attachment.HLOG, file));
            }
        }
        return attachments;
    }

    private static void write(final Path file, final List<LatencyRun> runs) throws FileNotFoundException
    {
        final HistogramLogWriter writer = new HistogramLogWriter(file.toFile());
        writer.outputLogFormatVersion();
        writer.outputLegend();
        runs.forEach(run -> writer.outputIntervalHistogram(run.latency()));
        writer.close();
    }
}
