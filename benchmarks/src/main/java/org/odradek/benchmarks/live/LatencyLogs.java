// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.IntervalLog;

import java.io.IOException;
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
                final String name = Attachment.fileName(scenario, caseName, entry.getKey(), "hlog");
                final String title = caseName + ", " + entry.getKey();
                try (IntervalLog log = new IntervalLog(json.resolveSibling(name), title))
                {
                    for (final Turn turn : entry.getValue())
                    {
                        log.write(IntervalLog.UNTAGGED, turn.usage().latencyHistogram(), turn.usage().seconds());
                    }
                }
                attachments.add(new Attachment(title, Attachment.HLOG, name));
            }
        }
        return attachments;
    }
}
