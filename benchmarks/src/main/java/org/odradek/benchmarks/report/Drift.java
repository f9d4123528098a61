// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.odradek.benchmarks.report.Report.Row;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The comparison of a figure of our client with that of an earlier build of it, the base, which took part twice, over
 * several repeats of a scenario. <b>The figure has drifted if the median of now/base over the repeats is worse than
 * base/base was in any repeat</b>, whichever of the two base figures is the larger one. Now/base divides by the mean
 * of both.
 *
 * <p>Each repeat starts new processes, because two JVMs that run the same code may compile it differently.
 *
 * @param caseName  after the name of its scenario.
 * @param nowToBase over the repeats.
 * @param spread    the largest base/base, at least 1.
 */
public record Drift(String caseName, Metric metric, Summary nowToBase, double spread)
{
    /** If there is only noise, one figure in 20 exceeds the spread of 3 repeats, one in 300 that of 6. */
    static final int LEAST_REPEATS = 3;
    private static final String OURS = "odradek(-publisher)?";

    private record Figure(String caseName, Metric metric)
    {
    }

    /** Returns the names of both clients of the base beside our client of this name. */
    public static List<String> base(final String ours)
    {
        return List.of(
            ours.replaceFirst("odradek", "odradek-before"), ours.replaceFirst("odradek", "odradek-before-again"));
    }

    /**
     * Compares in each case CPU per record, and the rate; or the median latency, if it was measured: records then come
     * in at a given rate.
     *
     * @param reports each of one repeat of a scenario with {@code --drift}.
     * @throws IllegalStateException with one sentence if a client, a figure or a repeat is missing.
     */
    public static List<Drift> compare(final List<Report> reports)
    {
        final Map<Figure, List<double[]>> repeats = new LinkedHashMap<>();
        reports.forEach((report) -> add(report, repeats));
        final int wanted = Math.max(LEAST_REPEATS, repeats.values().stream().mapToInt(List::size).max().orElse(0));
        repeats.forEach((figure, list) -> require(list.size() == wanted,
            "%s has %d of at least %d repeats", figure.caseName, list.size(), wanted));
        return repeats.entrySet().stream()
            .map((entry) -> of(entry.getKey().caseName, entry.getKey().metric, entry.getValue())).toList();
    }

    private static void add(final Report report, final Map<Figure, List<double[]>> repeats)
    {
        report.notRun().forEach((left) -> require(false, "%s %s was not run by %s: %s",
            left.scenario(), left.caseName(), left.client(), left.reason()));
        final Map<List<String>, Double> medians = new HashMap<>();
        report.rows().forEach((row) ->
            medians.put(List.of(row.caseName(), row.client(), row.metric()), row.summary().median()));
        final List<Row> ours = report.rows().stream().filter((row) ->
            row.client().matches(OURS) && row.metric().equals(Metric.PROCESS_CPU_PER_RECORD.key())).toList();
        require(!ours.isEmpty(), "%s has no CPU per record of our client", report.scenario());
        for (final Row row : ours)
        {
            final boolean hasLatency = medians.containsKey(List.of(row.caseName(), row.client(), Metric.P50.key()));
            for (final Metric metric :
                List.of(hasLatency ? Metric.P50 : Metric.RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD))
            {
                final String caseName = row.scenario() + " " + row.caseName();
                final List<String> clients = new ArrayList<>(List.of(row.client()));
                clients.addAll(base(row.client()));
                final double[] figures = clients.stream().mapToDouble((client) ->
                    medians.getOrDefault(List.of(row.caseName(), client, metric.key()), 0.0)).toArray();
                for (int i = 0; i < figures.length; i++)
                {
                    require(figures[i] > 0, "%s has no %s of %s", caseName, words(metric), clients.get(i));
                }
                repeats.computeIfAbsent(new Figure(caseName, metric), (key) -> new ArrayList<>()).add(figures);
            }
        }
    }

    private static void require(final boolean isRight, final String sentence, final Object... words)
    {
        if (!isRight)
        {
            throw new IllegalStateException(String.format(sentence, words) + ".");
        }
    }

    /** @param repeats the present figure and both figures of the base, for each repeat. */
    static Drift of(final String caseName, final Metric metric, final List<double[]> repeats)
    {
        final double[] nowToBase =
            repeats.stream().mapToDouble((figures) -> figures[0] / ((figures[1] + figures[2]) / 2)).toArray();
        final double spread = repeats.stream().mapToDouble((figures) ->
            Math.max(figures[1], figures[2]) / Math.min(figures[1], figures[2])).max().orElseThrow();
        return new Drift(caseName, metric, Summary.of(nowToBase), spread);
    }

    public boolean isDrift()
    {
        return worseToSpread() > 1;
    }

    /** Returns by what factor the present figure is worse, divided by the spread: above 1 for a drift. */
    public double worseToSpread()
    {
        return (metric.isMoreBetter() ? 1 / nowToBase.median() : nowToBase.median()) / spread;
    }

    /** Returns cells of a table in Markdown: case, figure, now/base, base/base, and whether it has drifted. */
    public String row()
    {
        return String.format(Locale.ROOT, "| %s | %s | %.3f [%.3f..%.3f] | %.3f..%.3f | %s |", caseName, words(metric),
            nowToBase.median(), nowToBase.min(), nowToBase.max(), 1 / spread, spread, isDrift() ? "yes" : "no");
    }

    @Override
    public String toString()
    {
        return String.format(Locale.ROOT, "%s, %s %.3f of base, spread %.3f..%.3f",
            caseName, words(metric), nowToBase.median(), 1 / spread, spread);
    }

    private static String words(final Metric metric)
    {
        return Metric.words(metric.key());
    }
}
