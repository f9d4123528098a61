// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.link.Link;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.scenarios.DistancePlan.Case;
import org.odradek.benchmarks.scenarios.DistancePlan.Timing;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The scenario in miniature, over TCP where this machine and user can have it, else over a delay line, and over a proxy
 * without a window.
 */
@Tag("slow")
class DistanceIT
{
    private static final int MTU = 16_000;
    /** One of each way to read; librdkafka has a test of its own, because not every machine can make its program. */
    private static final List<Arm> ARMS =
        List.of(Arms.ODRADEK_DEFAULTS, Arms.STOCK_EIGHT, Arms.STREAMS_EIGHT);

    @Test
    void shouldReadFarAwayWithEveryArm() throws Exception
    {
        final Case far = Case.far(4, 8);
        final Case proxied = Case.far(4, 8).proxied();
        final List<String> progress = new ArrayList<>();
        final Results results;
        try (Link link = Link.open(MTU); Link proxy = Link.proxy())
        {
            // A turn ends when the log has been read; a busy machine needs seconds before it reads anything.
            results = new DistanceRun(new DistancePlan("distance", ARMS, List.of(far, proxied), 1,
                new Timing(20_000_000, 0, 10, 20_000), 0), link, proxy, progress::add).run();
        }

        assertEquals(List.of(), results.notRun());
        for (final Metric metric : List.of(Metric.MEGABYTES_PER_SECOND, Metric.RAMP_MEGABYTES_PER_SECOND,
            Metric.WITH_RAMP_RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD, Metric.BROKER_CPU))
        {
            for (final Case each : List.of(far, proxied))
            {
                assertEquals(ARMS.stream().map(Arm::name).toList(), results.rows().stream()
                    .filter((row) -> row.caseName().equals(each.name()) && row.metric().equals(metric.key()))
                    .map(Row::client).toList());
            }
        }
        assertTrue(results.rows().stream().allMatch((row) -> row.summary().runs() == 1));
        assertEquals(2, progress.stream().filter((line) -> line.contains("round 1 of 1")).count());
    }
}
