// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Makes rows of probes: for each level and client the highest rate kept in each round, and what it was like there.
 */
final class SleRows
{
    static final String SCENARIO = "sle";
    static final String HELD = "recordsPerSecond";
    static final String TO_STOCK = "recordsPerSecondToStock";

    private static final String US = "us";

    private SleRows()
    {
    }

    static List<Row> of(final List<SleProbe> probes)
    {
        final int rounds = 1 + probes.stream().mapToInt(SleProbe::round).max().orElseThrow();
        final Map<Level, Map<SleClient, SleProbe[]>> best = new LinkedHashMap<>();
        for (final SleProbe probe : probes)
        {
            final SleProbe[] ofRounds = best.computeIfAbsent(probe.level(), level -> new LinkedHashMap<>())
                .computeIfAbsent(probe.client(), client -> new SleProbe[rounds]);
            final SleProbe before = ofRounds[probe.round()];
            if (probe.isKept() && (before == null || probe.rate() > before.rate()))
            {
                ofRounds[probe.round()] = probe;
            }
        }
        final List<Row> rows = new ArrayList<>();
        best.forEach((level, clients) -> add(level, clients, rows));
        return rows;
    }

    private static void add(final Level level, final Map<SleClient, SleProbe[]> clients, final List<Row> rows)
    {
        clients.forEach((client, best) ->
        {
            rows.add(row(level, client, HELD, "records/s", Summary.of(held(best))));
            addFigure(level, client, "latencyP50Us", US, best, probe -> probe.us(50), rows);
            addFigure(level, client, "latencyP99Us", US, best, probe -> probe.us(99), rows);
            addFigure(level, client, "latencyP999Us", US, best, probe -> probe.us(99.9), rows);
            addFigure(level, client, "processCpuPercent", "% of a core", best, SleProbe::processCpuPercent, rows);
        });
        addToStock(level, clients, rows);
    }

    /** By the better of its rows, round by round; not where one of both held nothing in a round. */
    private static void addToStock(final Level level, final Map<SleClient, SleProbe[]> clients, final List<Row> rows)
    {
        double[] stock = null;
        for (final SleClient client : clients.keySet())
        {
            final double[] theirs = held(clients.get(client));
            if (client != SleClient.ODRADEK &&
                (stock == null || Summary.of(theirs).median() > Summary.of(stock).median()))
            {
                stock = theirs;
            }
        }
        final double[] ours = held(clients.getOrDefault(SleClient.ODRADEK, new SleProbe[0]));
        if (stock != null && ours.length > 0 && Arrays.stream(stock).allMatch(rate -> rate > 0))
        {
            rows.add(row(level, SleClient.ODRADEK, TO_STOCK, "ratio", Summary.ofRatios(ours, stock)));
        }
    }

    private static double[] held(final SleProbe[] best)
    {
        return Arrays.stream(best).mapToDouble(probe -> probe == null ? 0 : probe.rate()).toArray();
    }

    /** Of the rounds in which the level was kept at all. */
    private static void addFigure(
        final Level level,
        final SleClient client,
        final String metric,
        final String unit,
        final SleProbe[] best,
        final ToDoubleFunction<SleProbe> figure,
        final List<Row> rows)
    {
        final double[] figures = Arrays.stream(best).filter(Objects::nonNull).mapToDouble(figure).toArray();
        if (figures.length > 0)
        {
            rows.add(row(level, client, metric, unit, Summary.of(figures)));
        }
    }

    private static Row row(
        final Level level, final SleClient client, final String metric, final String unit, final Summary summary)
    {
        return new Row(SCENARIO, level.caseName(), client.client(), metric, unit, summary);
    }
}
