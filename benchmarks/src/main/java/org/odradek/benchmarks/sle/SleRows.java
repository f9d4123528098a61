/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes rows of probes: for each level and client the highest rate kept, and what it was like there.
 */
final class SleRows
{
    static final String HELD = "recordsPerSecond";
    static final String TO_STOCK = "recordsPerSecondToStock";

    private static final String SCENARIO = "sle";
    private static final String US = "us";

    private SleRows()
    {
    }

    static List<Row> of(final List<SleProbe> probes)
    {
        final Map<List<Object>, List<SleProbe>> searches = new LinkedHashMap<>();
        for (final SleProbe probe : probes)
        {
            searches.computeIfAbsent(List.of(probe.level(), probe.client()), key -> new ArrayList<>()).add(probe);
        }
        final List<Row> rows = new ArrayList<>();
        searches.values().forEach(search -> add(search, probes, rows));
        return rows;
    }

    private static void add(final List<SleProbe> search, final List<SleProbe> all, final List<Row> rows)
    {
        final SleProbe best = best(search);
        final String caseName = search.get(0).level().caseName();
        final SleClient client = search.get(0).client();
        rows.add(row(caseName, client, HELD, "records/s", best == null ? 0 : best.rate()));
        if (best != null)
        {
            rows.add(row(caseName, client, "latencyP50Us", US, best.us(50)));
            rows.add(row(caseName, client, "latencyP99Us", US, best.us(99)));
            rows.add(row(caseName, client, "latencyP999Us", US, best.us(99.9)));
            rows.add(row(caseName, client, "processCpuPercent", "% of a core", best.processCpuPercent()));
        }
        final double stock = all.stream()
            .filter(probe -> probe.level().equals(search.get(0).level()) && probe.client() != SleClient.ODRADEK)
            .filter(SleProbe::isKept).mapToDouble(SleProbe::rate).max().orElse(Double.NaN);
        if (client == SleClient.ODRADEK && best != null && !Double.isNaN(stock))
        {
            rows.add(row(caseName, client, TO_STOCK, "ratio", best.rate() / stock));
        }
    }

    private static SleProbe best(final List<SleProbe> search)
    {
        SleProbe best = null;
        for (final SleProbe probe : search)
        {
            if (probe.isKept() && (best == null || probe.rate() > best.rate()))
            {
                best = probe;
            }
        }
        return best;
    }

    private static Row row(
        final String caseName, final SleClient client, final String metric, final String unit, final double value)
    {
        return new Row(SCENARIO, caseName, client.client(), metric, unit, Summary.of(value));
    }
}
