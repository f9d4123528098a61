// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DriftTest
{
    private static final String RATE = Metric.RECORDS_PER_SECOND.key();
    private static final String CPU = Metric.PROCESS_CPU_PER_RECORD.key();
    private static final String P50 = Metric.P50.key();
    private static final int SEED = 71;

    @ParameterizedTest
    @CsvSource({
        "RECORDS_PER_SECOND, 100, 100, 100, false",
        // 20 % worse, and the base differs from itself by 3 %, or once by 30 %
        "RECORDS_PER_SECOND, 80, 100, 103, true",
        "RECORDS_PER_SECOND, 80, 100, 130, false",
        "PROCESS_CPU_PER_RECORD, 120, 100, 103, true",
        "PROCESS_CPU_PER_RECORD, 120, 100, 130, false",
        "P50, 120, 103, 100, true",
        "P50, 120, 130, 100, false",
        // 20 % better
        "RECORDS_PER_SECOND, 120, 100, 103, false",
        "PROCESS_CPU_PER_RECORD, 80, 100, 103, false",
        "P50, 80, 100, 103, false",
    })
    void shouldFindOnlyWhatIsWorseThanTheSpread(
        final Metric metric, final double now, final double base, final double again, final boolean isDrift)
    {
        final Drift drift = Drift.of("a", metric, List.of(new double[]{now, base, again},
            new double[]{now, base, base}, new double[]{now, base, base}));

        assertEquals(isDrift, drift.isDrift(), drift::toString);
    }

    @Test
    void shouldDivideByTheMeanOfBothAndTakeTheMedianOfTheRepeats()
    {
        final Drift drift = Drift.of("catchup 23 B", Metric.RECORDS_PER_SECOND,
            List.of(new double[]{90, 90, 110}, new double[]{50, 100, 100}, new double[]{96, 100, 92}));

        assertEquals(new Summary(0.9, 0.5, 1, 3), drift.nowToBase());
        assertEquals(11 / 9.0, drift.spread(), 1e-9);
        assertFalse(drift.isDrift());
        assertEquals("catchup 23 B, records per second 0.900 of base, spread 0.818..1.222", drift.toString());
        assertEquals("| catchup 23 B | records per second | 0.900 [0.500..1.000] | 0.818..1.222 | no |", drift.row());
    }

    /** The page of the rule names both. */
    @Test
    void shouldSeldomTakeNoiseForADriftAndFindWhatIsFourTimesAsLarge()
    {
        final Random random = new Random(SEED);

        assertTrue(share(random, 1, Drift.LEAST_REPEATS) < 0.06);
        assertTrue(share(random, 1, 6) < 0.005);
        assertTrue(share(random, 1.04, 6) > 0.94);
    }

    /** Returns in how many of all runs a figure drifts, if the noise of each client is 1 %. */
    private static double share(final Random random, final double now, final int repeats)
    {
        final int runs = 10_000;
        return IntStream.range(0, runs).filter((run) -> Drift.of("a", Metric.P50, IntStream.range(0, repeats).mapToObj(
            (repeat) -> new double[]{now + random.nextGaussian() / 100, 1 + random.nextGaussian() / 100,
                1 + random.nextGaussian() / 100}).toList()).isDrift()).count() / (double)runs;
    }

    @Test
    void shouldCompareTheRateOrTheLatencyOfEachCase()
    {
        final List<Report> reports = new ArrayList<>();
        for (int repeat = 0; repeat < 3; repeat++)
        {
            reports.add(report(rows("catchup", "23 B", "odradek", RATE, CPU)));
            final List<Row> live = rows("signalfx", "5000/s", "odradek", RATE, CPU, P50);
            live.addAll(rows("signalfx", "5000/s", "producer", RATE));
            reports.add(report(live));
            reports.add(report(rows("produce", "100 B", "odradek-publisher", RATE, CPU)));
        }

        assertEquals(List.of("catchup 23 B RECORDS_PER_SECOND", "catchup 23 B PROCESS_CPU_PER_RECORD",
            "signalfx 5000/s P50", "signalfx 5000/s PROCESS_CPU_PER_RECORD", "produce 100 B RECORDS_PER_SECOND",
            "produce 100 B PROCESS_CPU_PER_RECORD"),
            Drift.compare(reports).stream().map((drift) -> drift.caseName() + " " + drift.metric()).toList());
        assertEquals(3, Drift.compare(reports).get(0).nowToBase().runs());
    }

    @Test
    void shouldNotJudgeWithoutEveryClientFigureAndRepeat()
    {
        final Report whole = report(rows("catchup", "23 B", "odradek", RATE, CPU));

        assertFails("catchup 23 B has 2 of at least 3 repeats.", whole, whole);
        assertFails("distance 20 ms has 3 of at least 4 repeats.", whole, whole, whole, whole,
            report(rows("distance", "20 ms", "odradek", RATE, CPU)),
            report(rows("distance", "20 ms", "odradek", RATE, CPU)),
            report(rows("distance", "20 ms", "odradek", RATE, CPU)));
        assertFails("catchup 23 B has no records per second of odradek.",
            report(rows("catchup", "23 B", "odradek", CPU)));
        assertFails("catchup has no CPU per record of our client.",
            report(rows("catchup", "23 B", "stock", RATE, CPU)));
        final List<Row> once = rows("catchup", "23 B", "odradek", RATE, CPU);
        once.removeIf((row) -> row.client().equals("odradek-before-again"));
        assertFails("catchup 23 B has no records per second of odradek-before-again.", report(once));
        final List<Row> zero = rows("catchup", "23 B", "odradek", CPU);
        zero.add(0, new Row("catchup", "23 B", "odradek", RATE, "", new Summary(0, 0, 0, 1)));
        assertFails("catchup 23 B has no records per second of odradek.", report(zero));
        assertFails("catchup 23 B was not run by odradek-before: it has ended.", new Report(Map.of(), whole.rows(),
            List.of(new NotRun("catchup", "23 B", "odradek-before", "it has ended")), List.of()));
    }

    private static void assertFails(final String sentence, final Report... reports)
    {
        assertEquals(sentence,
            assertThrows(IllegalStateException.class, () -> Drift.compare(List.of(reports))).getMessage());
    }

    private static Report report(final List<Row> rows)
    {
        return new Report(Map.of(), rows, List.of(), List.of());
    }

    /** Returns rows of a client and of both of the base. */
    private static List<Row> rows(
        final String scenario, final String caseName, final String client, final String... metrics)
    {
        final List<String> clients = new ArrayList<>(List.of(client));
        clients.addAll(Drift.base(client));
        final List<Row> rows = new ArrayList<>();
        for (final String metric : metrics)
        {
            clients.forEach((name) ->
                rows.add(new Row(scenario, caseName, name, metric, "", new Summary(100, 90, 110, 5))));
        }
        return rows;
    }
}
