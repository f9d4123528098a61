// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class VerdictTest
{
    private static final String RATE = "recordsPerSecond";
    private static final Aim FASTER =
        Aim.parse("catchup | 23 B | 23 B | RECORDS_PER_SECOND | odradek | ≥ 6 | STOCK STOCK_NEW LIBRDKAFKA");
    private static final Aim CHEAPER =
        Aim.parse("signalfx | .*linger 0 | linger 0 | PROCESS_CPU | odradek | ≤ 0.2 | STOCK");
    private static final Aim NOTHING = Aim.parse("signalfx | .* | every case | ALLOCATED | odradek | 0 |");

    private final List<Row> rows = new ArrayList<>();
    private final List<NotRun> notRun = new ArrayList<>();

    @Test
    void shouldDivideByTheBestRivalAndSayHowFarItIs()
    {
        add("catchup", "23 B", "odradek", RATE, 40);
        add("catchup", "23 B", "stock", RATE, 10);
        add("catchup", "23 B", "stock-defaults", RATE, 16);
        add("catchup", "23 B", "stock-new", RATE, 5);
        add("catchup", "23 B", "librdkafka", RATE, 4);

        final Verdict verdict = only(FASTER);

        assertEquals(Verdict.State.NOT_MET, verdict.state());
        assertEquals(2.5, verdict.figure());
        assertEquals(2.4, verdict.missedBy(), 1e-9);
        assertEquals("", verdict.note());
    }

    @Test
    void shouldPreferTheQuotientTakenWithinRounds()
    {
        add("catchup", "23 B", "odradek", RATE, 40);
        add("catchup", "23 B", "odradek", RATE + "ToBestRival", 6.5);
        add("catchup", "23 B", "stock", RATE, 10);
        add("catchup", "23 B", "stock-new", RATE, 5);
        add("catchup", "23 B", "librdkafka", RATE, 4);

        final Verdict verdict = only(FASTER);

        assertEquals(Verdict.State.MET, verdict.state());
        assertEquals(6.5, verdict.figure());
        assertTrue(verdict.missedBy() < 1);
    }

    @Test
    void shouldNotTakeAnAimForMetWhileARivalIsMissing()
    {
        add("catchup", "23 B", "odradek", RATE, 100);
        add("catchup", "23 B", "odradek", RATE + "ToBestRival", 10);
        add("catchup", "23 B", "stock", RATE, 10);
        add("catchup", "23 B", "stock-new", RATE, 5);
        notRun.add(new NotRun("catchup", "23 B", "librdkafka", "no C compiler"));

        final Verdict verdict = only(FASTER);

        assertEquals(Verdict.State.NOT_MET, verdict.state());
        assertEquals(10, verdict.figure());
        assertEquals("not run: librdkafka (no C compiler)", verdict.note());
    }

    @Test
    void shouldHaveNoFigureWhereNoRivalRan()
    {
        add("catchup", "23 B", "odradek", RATE, 100);

        final Verdict verdict = only(FASTER);

        assertEquals(Verdict.State.NOT_MET, verdict.state());
        assertFalse(verdict.hasFigure());
        assertEquals("not run: stock classic; not run: stock new; not run: librdkafka", verdict.note());
    }

    @Test
    void shouldJudgeEachCaseThatMatches()
    {
        add("signalfx", "5000/s, linger 0", "odradek", "processCpuPercent", 2);
        add("signalfx", "5000/s, linger 0", "stock", "processCpuPercent", 20);
        add("signalfx", "5000/s, linger 5", "odradek", "processCpuPercent", 9);
        add("signalfx", "10000/s, linger 0", "odradek", "processCpuPercent", 6);
        add("signalfx", "10000/s, linger 0", "stock", "processCpuPercent", 30);
        // The better of its two rows is the cheaper one.
        add("signalfx", "10000/s, linger 0", "stock-defaults", "processCpuPercent", 24);

        final List<Verdict> verdicts = judge(CHEAPER);

        assertEquals(2, verdicts.size());
        assertEquals("5000/s, linger 0", verdicts.get(0).caseName());
        assertEquals(Verdict.State.MET, verdicts.get(0).state());
        assertEquals("10000/s, linger 0", verdicts.get(1).caseName());
        assertEquals(Verdict.State.NOT_MET, verdicts.get(1).state());
        assertEquals(0.25, verdicts.get(1).figure());
    }

    @Test
    void shouldTakeTheWorstRunOfAnAbsoluteAim()
    {
        rows.add(new Row("signalfx", "a", "odradek", "allocatedBytes", "bytes", new Summary(0, 0, 24, 3)));
        rows.add(new Row("signalfx", "b", "odradek", "allocatedBytes", "bytes", new Summary(0, 0, 0, 3)));

        final List<Verdict> verdicts = judge(NOTHING);

        assertEquals(Verdict.State.NOT_MET, verdicts.get(0).state());
        assertEquals(24, verdicts.get(0).figure());
        assertTrue(Double.isNaN(verdicts.get(0).missedBy()));
        assertEquals(Verdict.State.MET, verdicts.get(1).state());
    }

    @Test
    void shouldSayThatAndWhyAScenarioWasNotRun()
    {
        notRun.add(new NotRun("signalfx", NotRun.EVERY, NotRun.EVERY, "the broker did not start"));

        final Verdict verdict = only(CHEAPER);

        assertEquals(Verdict.State.NOT_RUN, verdict.state());
        assertEquals("linger 0", verdict.caseName());
        assertEquals("the broker did not start", verdict.note());
    }

    @Test
    void shouldFindNothingRunWhereThereIsNoResult()
    {
        final List<Verdict> verdicts = Verdict.judge(List.of(), Aim.ALL);

        assertEquals(Aim.ALL.size(), verdicts.size());
        assertTrue(verdicts.stream().allMatch((verdict) -> verdict.state() == Verdict.State.NOT_RUN));
    }

    private void add(
        final String scenario, final String caseName, final String client, final String metric, final double value)
    {
        rows.add(new Row(scenario, caseName, client, metric, "", new Summary(value, value / 2, value * 2, 3)));
    }

    private Verdict only(final Aim aim)
    {
        final List<Verdict> verdicts = judge(aim);
        assertEquals(1, verdicts.size());
        return verdicts.get(0);
    }

    private List<Verdict> judge(final Aim aim)
    {
        return Verdict.judge(List.of(new Report(Map.of(), rows, notRun, List.of())), List.of(aim));
    }
}
