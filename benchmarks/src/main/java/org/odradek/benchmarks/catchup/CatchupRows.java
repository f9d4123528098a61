/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * From the measured passes of one case to its rows.
 */
final class CatchupRows
{
    static final String RECORDS_PER_SECOND = "recordsPerSecond";
    static final String THREAD_CPU = "threadCpuPerRecord";
    static final String PROCESS_CPU = "processCpuPerRecord";
    static final String ALLOCATED = "allocatedBytesPerRecord";
    static final String TO_BARE_LOOP = "recordsPerSecondToBareLoop";
    static final String TO_STOCK = "recordsPerSecondToStock";

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
     * @param passes   of each arm, in the order of the rounds; ratios are to the bare loop and to the better stock arm,
     *                 where there are such.
     */
    static List<Row> of(final String scenario, final String caseName, final Map<ArmKind, Pass[]> passes)
    {
        final CatchupRows rows = new CatchupRows(scenario, caseName, passes);
        final ArmKind betterStock = rows.betterStock();
        for (final ArmKind arm : passes.keySet())
        {
            rows.addFiguresOf(arm);
            rows.addRatio(arm, ArmKind.BARE_LOOP, TO_BARE_LOOP);
            rows.addRatio(arm, betterStock, TO_STOCK);
        }
        return rows.rows;
    }

    private ArmKind betterStock()
    {
        ArmKind better = null;
        for (final ArmKind arm : passes.keySet())
        {
            if (arm.isStock() && (better == null || medianRate(arm) > medianRate(better)))
            {
                better = arm;
            }
        }
        return better;
    }

    private double medianRate(final ArmKind arm)
    {
        return Summary.of(values(arm, Pass::recordsPerSecond)).median();
    }

    private void addFiguresOf(final ArmKind arm)
    {
        add(arm, RECORDS_PER_SECOND, "records/s", Summary.of(values(arm, Pass::recordsPerSecond)));
        add(arm, THREAD_CPU, "ns/record", Summary.of(values(arm, Pass::threadCpuNsPerRecord)));
        add(arm, PROCESS_CPU, "ns/record", Summary.of(values(arm, Pass::processCpuNsPerRecord)));
        add(arm, ALLOCATED, "bytes/record", Summary.of(values(arm, Pass::allocatedBytesPerRecord)));
    }

    private void addRatio(final ArmKind arm, final ArmKind to, final String metric)
    {
        if (!passes.containsKey(to))
        {
            return;
        }
        final Summary ratios =
            Summary.ofRatios(values(arm, Pass::recordsPerSecond), values(to, Pass::recordsPerSecond));
        add(arm, metric, "ratio", ratios);
    }

    private void add(final ArmKind arm, final String metric, final String unit, final Summary summary)
    {
        rows.add(new Row(scenario, caseName, arm.client(), metric, unit, summary));
    }

    private double[] values(final ArmKind arm, final ToDoubleFunction<Pass> figure)
    {
        return Arrays.stream(passes.get(arm)).mapToDouble(figure).toArray();
    }
}
