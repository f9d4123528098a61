// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.IntervalLog;

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
     * @param searches   of each arm, of all rounds.
     * @param measuredMs of each step.
     */
    static List<Attachment> write(
        final Path json, final Map<ChainArm, List<ArmSteps>> searches, final int measuredMs) throws IOException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final Map.Entry<ChainArm, List<ArmSteps>> arm : searches.entrySet())
        {
            final String client = arm.getKey().client();
            final String file = json.getFileName().toString().replaceFirst("\\.json$", "") + "-" + client + ".hlog";
            final String title = "each step, " + client;
            try (IntervalLog log = new IntervalLog(json.resolveSibling(file), title))
            {
                arm.getValue().stream().flatMap(search -> search.results().values().stream()).flatMap(List::stream)
                    .forEach(step -> write(log, step, measuredMs / MS_PER_SECOND));
            }
            attachments.add(new Attachment(title, Attachment.HLOG, file));
        }
        return attachments;
    }

    private static void write(final IntervalLog log, final StepResult step, final double seconds)
    {
        final String tag = step.chains() + "-chains-";
        log.write(tag + "corrected", step.correctedHistogram(), seconds);
        log.write(tag + "uncorrected", step.uncorrectedHistogram(), seconds);
    }
}
