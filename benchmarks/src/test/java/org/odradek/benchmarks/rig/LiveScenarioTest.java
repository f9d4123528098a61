// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Summary;
import org.odradek.benchmarks.rig.LiveScenario.Case;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class LiveScenarioTest
{
    @Test
    void shouldFindOurClientsThatHaveReadTooLittle()
    {
        final List<Case> cases = List.of(new Case("no records", 0, 0), new Case("1/s", 1, 0),
            new Case("5000/s", 5_000, 0));

        final List<String> less = LiveScenario.less(cases, List.of(
            row("no records", "odradek", Metric.RECORDS_PER_SECOND, 0),
            row("1/s", "odradek", Metric.RECORDS_PER_SECOND, 0.9),
            row("1/s", "empty-jvm", Metric.RECORDS_PER_SECOND, 0),
            row("5000/s", "odradek", Metric.RECORDS_PER_SECOND, 5_000),
            row("5000/s", "odradek-2ms", Metric.RECORDS_PER_SECOND, 3_999),
            row("5000/s", "odradek-2ms", Metric.FETCHES, 400),
            row("another", "odradek", Metric.RECORDS_PER_SECOND, 1)));

        assertEquals(List.of("5000/s, odradek-2ms: 3999.0 records/s, less than 0.8 of the 5000 that were due"), less);
    }

    private static Row row(final String caseName, final String client, final Metric metric, final double figure)
    {
        return new Row("signalfx", caseName, client, metric.key(), "", Summary.of(figure));
    }
}
