// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.IntervalLog;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A histogram log for each level and client, beside the JSON: an interval for each rate tried, whose tag says the rate.
 */
final class SleLogs
{
    private SleLogs()
    {
    }

    /**
     * @param json   the report's file.
     * @param probes of all rounds.
     */
    static List<Attachment> write(final Path json, final List<SleProbe> probes) throws IOException
    {
        final Map<Attachment, List<SleProbe>> probesOfLog = new LinkedHashMap<>();
        for (final SleProbe probe : probes)
        {
            final String level = probe.level().caseName();
            final String client = probe.client().client();
            probesOfLog.computeIfAbsent(new Attachment(level + ", " + client, Attachment.HLOG,
                Attachment.fileName(SleRows.SCENARIO, level, client, "hlog")), log -> new ArrayList<>()).add(probe);
        }
        for (final Map.Entry<Attachment, List<SleProbe>> next : probesOfLog.entrySet())
        {
            try (IntervalLog log = new IntervalLog(json.resolveSibling(next.getKey().file()), next.getKey().title()))
            {
                for (final SleProbe probe : next.getValue())
                {
                    log.write(probe.rate() + "-per-second", probe.latency(), probe.level().seconds());
                }
            }
        }
        return List.copyOf(probesOfLog.keySet());
    }
}
