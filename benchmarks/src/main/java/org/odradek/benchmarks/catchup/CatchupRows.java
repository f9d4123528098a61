// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * From the measured passes of one case to its rows.
 */
final class CatchupRows
{
    static final String RECORDS_PER_SECOND = "recordsPerSecond";
    static final String MEGABYTES_PER_SECOND = "megabytesPerSecond";
    static final String THREAD_CPU = "threadCpuPerRecord";
    static final String PROCESS_CPU = "processCpuPerRecord";
    static final String ALLOCATED = "allocatedBytesPerRecord";
    static final String BROKER_CPU = "brokerCpuPercent";
    static final String TO_BARE_LOOP = "recordsPerSecondToBareLoop";
    static final String TO_STOCK = "recordsPerSecondToStock";
    static final String TO_BEST_RIVAL = "recordsPerSecondToBestRival";
    static final String CPU_TO_BEST_RIVAL = "processCpuPerRecordToBestRival";

    private final String scenario;
    private final String caseName;
    private final Map<ArmKind, Pass[]> passes;
    private final List<Row> rows = new ArrayList<>();

    private CatchupRows(final String scenario, final String caseName, final Map<ArmKind, Pass[]> passes)
    {
        this.scenario = scenario;
        this.caseName = caseName;
        this.passes = passes;
    }

    /**
     * @param scenario its name.
     * @param caseName what was read.
     * @param passes   of each arm that ran, in the order of the rounds; ratios are made to those that are among them.
     */
    static List<Row> of(final String scenario, final String caseName, final Map<ArmKind, Pass[]> passes)
    {
        final CatchupRows rows = new CatchupRows(scenario, caseName, passes);
        final ArmKind bareLoop = passes.containsKey(ArmKind.BARE_LOOP) ? ArmKind.BARE_LOOP : null;
        final ArmKind betterStock = rows.fastest(ArmKind::isStock);
        for (final ArmKind arm : passes.keySet())
        {
            rows.addFiguresOf(arm);
            rows.addRatio(arm, bareLoop, TO_BARE_LOOP, Pass::recordsPerSecond);
            rows.addRatio(arm, betterStock, TO_STOCK, Pass::recordsPerSecond);
        }
        rows.addRatio(ArmKind.ODRADEK, rows.fastest(ArmKind::isRival), TO_BEST_RIVAL, Pass::recordsPerSecond);
        rows.addRatio(ArmKind.ODRADEK, rows.best(ArmKind::isRival, pass -> -pass.processCpuNsPerRecord()),
            CPU_TO_BEST_RIVAL, Pass::processCpuNsPerRecord);
        return rows.rows;
    }

    /**
     * @return the headings of those that are printed, by their names.
     */
    static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(RECORDS_PER_SECOND, "records/s");
        columns.put(MEGABYTES_PER_SECOND, "MB/s");
        columns.put(THREAD_CPU, "thread CPU ns/record");
        columns.put(PROCESS_CPU, "process CPU ns/record");
        columns.put(ALLOCATED, "allocated B/record");
        columns.put(BROKER_CPU, "broker CPU %");
        columns.put(TO_BARE_LOOP, "to bare loop");
        columns.put(TO_STOCK, "to better stock");
        return columns;
    }

    private ArmKind fastest(final Predicate<ArmKind> isCandidate)
    {
        return best(isCandidate, Pass::recordsPerSecond);
    }

    /**
     * @return the one whose median is the highest, null if none of them ran.
     */
    private ArmKind best(final Predicate<ArmKind> isCandidate, final ToDoubleFunction<Pass> figure)
    {
        ArmKind best = null;
        for (final ArmKind arm : passes.keySet())
        {
            if (isCandidate.test(arm) && (best == null || median(arm, figure) > median(best, figure)))
            {
                best = arm;
            }
        }
        return best;
    }

    private double median(final ArmKind arm, final ToDoubleFunction<Pass> figure)
    {
        return Summary.of(values(arm, figure)).median();
    }

    private void addFiguresOf(final ArmKind arm)
    {
        add(arm, RECORDS_PER_SECOND, "records/s", Pass::recordsPerSecond);
        add(arm, MEGABYTES_PER_SECOND, "MB/s", Pass::megabytesPerSecond);
        add(arm, THREAD_CPU, "ns/record", Pass::threadCpuNsPerRecord);
        add(arm, PROCESS_CPU, "ns/record", Pass::processCpuNsPerRecord);
        if (passes.get(arm)[0].allocatedBytes() >= 0)
        {
            add(arm, ALLOCATED, "bytes/record", Pass::allocatedBytesPerRecord);
        }
        if (passes.get(arm)[0].brokerCpuNs() >= 0)
        {
            add(arm, BROKER_CPU, "% of one core", Pass::brokerCpuPercent);
        }
    }

    private void add(
        final ArmKind arm, final String metric, final String unit, final ToDoubleFunction<Pass> figure)
    {
        rows.add(new Row(scenario, caseName, arm.client(), metric, unit, Summary.of(values(arm, figure))));
    }

    private void addRatio(
        final ArmKind arm, final ArmKind to, final String metric, final ToDoubleFunction<Pass> figure)
    {
        // Where CPU time comes in steps, a short pass may have taken none.
        if (to != null && passes.containsKey(arm) && Arrays.stream(values(to, figure)).allMatch(value -> value > 0))
        {
            final Summary ratios = Summary.ofRatios(values(arm, figure), values(to, figure));
            rows.add(new Row(scenario, caseName, arm.client(), metric, "ratio", ratios));
        }
    }

    private double[] values(final ArmKind arm, final ToDoubleFunction<Pass> figure)
    {
        return Arrays.stream(passes.get(arm)).mapToDouble(figure).toArray();
    }
}
