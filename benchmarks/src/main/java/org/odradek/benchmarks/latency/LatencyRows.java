/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.live.Usage;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Makes rows of runs: percentiles and costs of each client, and quotients of ours, spinning, to the bare loop,
 * spinning, and to the stock client, taken between runs of the same round.
 */
final class LatencyRows
{
    private static final String SCENARIO = "latency";
    private static final String US = "us";
    private static final String PERCENT = "% of a core";
    private static final double NS_PER_US = 1e3;

    private final List<Row> rows = new ArrayList<>();
    private final String caseName;
    private final Map<String, List<LatencyRun>> runsOfClient = new LinkedHashMap<>();

    private LatencyRows(final int rate, final List<LatencyRun> runs)
    {
        caseName = LatencyRun.caseName(rate);
        for (final LatencyRun run : runs)
        {
            if (run.rate() == rate)
            {
                runsOfClient.computeIfAbsent(run.client(), key -> new ArrayList<>()).add(run);
            }
        }
    }

    static List<Row> of(final List<Integer> rates, final List<LatencyRun> runs)
    {
        final List<Row> rows = new ArrayList<>();
        for (final int rate : rates)
        {
            rows.addAll(new LatencyRows(rate, runs).make());
        }
        return rows;
    }

    private List<Row> make()
    {
        for (final String client : runsOfClient.keySet())
        {
            add(client, "latencyP50Us", US, run -> run.us(50));
            add(client, "latencyP90Us", US, run -> run.us(90));
            add(client, "latencyP99Us", US, run -> run.us(99));
            add(client, "latencyP999Us", US, run -> run.us(99.9));
            add(client, "latencyP9999Us", US, run -> run.us(99.99));
            add(client, "latencyMaxUs", US, run -> run.us(100));
            add(client, "recordsPerSecond", "records/s", run -> run.usage().perSecond(run.usage().records()));
            add(client, "fetchesPerSecond", "fetches/s", run -> run.usage().perSecond(run.usage().fetches()));
            add(client, "threadCpuPercent", PERCENT, run -> run.usage().cpuPercent(run.usage().threadCpuNs()));
            add(client, "processCpuPercent", PERCENT, run -> run.usage().cpuPercent(run.usage().processCpuNs()));
            add(client, "allocatedBytes", "bytes", run -> run.usage().allocatedBytes());
            add(client, "producerLagMaxUs", US, run -> run.sent().worstLagNs() / NS_PER_US);
        }
        for (final String metric : List.of("latencyP50Us", "latencyP99Us"))
        {
            addRatio(metric, "ToBareLoop", LatencyClient.BARE_SPIN);
            addRatio(metric, "ToStock", LatencyClient.STOCK);
        }
        return rows;
    }

    private void add(
        final String client, final String metric, final String unit, final ToDoubleFunction<LatencyRun> figure)
    {
        final double[] values = runsOfClient.get(client).stream().mapToDouble(figure).toArray();
        if (values[0] != Usage.UNKNOWN && !Double.isNaN(values[0]))
        {
            rows.add(new Row(SCENARIO, caseName, client, metric, unit, Summary.of(values)));
        }
    }

    private void addRatio(final String metric, final String suffix, final LatencyClient rival)
    {
        final List<LatencyRun> ours = runsOfClient.get(LatencyClient.ODRADEK_SPIN.client());
        final List<LatencyRun> theirs = runsOfClient.get(rival.client());
        if (ours != null && theirs != null)
        {
            final double percentile = metric.equals("latencyP50Us") ? 50 : 99;
            rows.add(new Row(SCENARIO, caseName, LatencyClient.ODRADEK_SPIN.client(), metric + suffix, "ratio",
                Summary.ofRatios(byRound(ours, percentile), byRound(theirs, percentile))));
        }
    }

    private static double[] byRound(final List<LatencyRun> runs, final double percentile)
    {
        final double[] values = new double[runs.size()];
        runs.forEach(run -> values[run.round()] = run.us(percentile));
        return values;
    }
}
