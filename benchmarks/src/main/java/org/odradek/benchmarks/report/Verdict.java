// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The comparison of a figure of one case with an aim.
 *
 * @param caseName what the aim's pattern means if no case was run.
 * @param figure   the ratio, or the figure of an absolute aim; NaN if there is none.
 * @param note     what a reader should know, may be empty.
 */
record Verdict(Aim aim, String caseName, State state, double figure, String note)
{
    /** An aim is not met if its figure misses the bound or a rival could not run, and not run if ours was not. */
    enum State
    {
        MET, NOT_MET, NOT_RUN
    }

    /** One verdict for each aim and case that it covers, at least one for each aim. */
    static List<Verdict> judge(final List<Report> results, final List<Aim> aims)
    {
        final Judge judge = new Judge(results);
        return aims.stream().flatMap((aim) -> judge.judge(aim).stream()).toList();
    }

    /** Writes {@code {"verdicts": […]}}, from which pages are made; a figure is null if there is none. */
    static void write(final List<Verdict> verdicts, final Path file) throws IOException
    {
        Report.write(file, Map.of("verdicts", verdicts.stream().map((next) -> Environment.ordered(
            "scenario", next.aim.scenario(), "case", next.caseName, "client", next.aim.client(),
            "metric", next.aim.metric().key(), "against", next.aim.against(), "wanted", next.aim.wanted(),
            "figure", next.hasFigure() ? next.figure : null, "state", next.stateInWords(), "note", next.note))
            .toList()));
    }

    String stateInWords()
    {
        return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    boolean hasFigure()
    {
        return !Double.isNaN(figure);
    }

    /** By what factor the bound is missed, below 1 if it is met; NaN if there is no figure or the bound is 0. */
    double missedBy()
    {
        return !hasFigure() || aim.bound() == 0 ? Double.NaN :
            aim.isAtLeast() ? aim.bound() / figure : figure / aim.bound();
    }

    /** How far the figure is from the bound, in words. */
    String distance()
    {
        final String start = note + (hasFigure() && !note.isEmpty() ? "; against the others " : "");
        final double missedBy = missedBy();
        return start + (missedBy > 1 ? "missed by a factor of " + HtmlReport.figure(missedBy) :
            missedBy <= 1 ? "a factor of " + HtmlReport.figure(1 / missedBy) + " to spare" :
            figure > 0 ? HtmlReport.figure(figure) + " too many" : "");
    }

    /** A ratio that a scenario took round by round is preferred to the ratio of two medians. */
    private static final class Judge
    {
        /** By scenario, case, client and metric. */
        private final Map<List<String>, Row> rows = new LinkedHashMap<>();
        private final List<NotRun> notRun = new ArrayList<>();

        private Judge(final List<Report> results)
        {
            results.forEach((result) -> notRun.addAll(result.notRun()));
            results.stream().flatMap((result) -> result.rows().stream()).forEach((row) ->
                rows.put(List.of(row.scenario(), row.caseName(), row.client(), row.metric()), row));
        }

        private List<Verdict> judge(final Aim aim)
        {
            final List<Verdict> verdicts = rows.values().stream()
                .filter((row) -> row.scenario().equals(aim.scenario()) && row.client().equals(aim.client()) &&
                    row.metric().equals(aim.metric().key()) && row.caseName().matches(aim.cases()))
                .map((row) -> judge(aim, row)).toList();
            return !verdicts.isEmpty() ? verdicts : List.of(new Verdict(aim, aim.casesTitle(), State.NOT_RUN,
                Double.NaN, reasons(aim, NotRun.EVERY, List.of(aim.client(), NotRun.EVERY))));
        }

        /** The worst run counts for a figure that must be 0: an allocation in one of five is an allocation. */
        private Verdict judge(final Aim aim, final Row row)
        {
            final Map<Rival, Double> ratios = new EnumMap<>(Rival.class);
            aim.rivals().forEach((rival) -> ratios.put(rival, ratio(aim, row, rival)));
            final String missing = aim.rivals().stream().filter((rival) -> ratios.get(rival).isNaN())
                .map((rival) -> "not run: " + rival.title + inBrackets(reasons(aim, row.caseName(), rival.clients)))
                .collect(Collectors.joining("; "));
            final Row best = aim.isAgainstBest() ? find(aim, row, aim.client(), aim.metric().to(Rival.BEST)) : null;
            final double figure = aim.bound() == 0 ? row.summary().max() :
                aim.isAbsolute() ? row.summary().median() :
                best != null ? best.summary().median() :
                extreme(ratios.values().stream().filter((ratio) -> !ratio.isNaN()), !aim.isAtLeast());
            return new Verdict(aim, row.caseName(),
                missing.isEmpty() && aim.isMetBy(figure) ? State.MET : State.NOT_MET, figure, missing);
        }

        /** Ours divided by theirs, NaN if they did not run. */
        private double ratio(final Aim aim, final Row ours, final Rival rival)
        {
            final Row ofRounds = find(aim, ours, aim.client(), aim.metric().to(rival));
            return ofRounds != null ? ofRounds.summary().median() : ours.summary().median() / extreme(
                rival.clients.stream().map((client) -> find(aim, ours, client, aim.metric().key()))
                .filter(Objects::nonNull).map((row) -> row.summary().median()), aim.isAtLeast());
        }

        /** The largest or smallest of these, NaN if there is none: the best of a rival, or the worst of ours. */
        private static double extreme(final Stream<Double> figures, final boolean isLargest)
        {
            return figures.max(isLargest ? Comparator.naturalOrder() : Comparator.reverseOrder()).orElse(Double.NaN);
        }

        private String reasons(final Aim aim, final String caseName, final List<String> clients)
        {
            return notRun.stream().filter((left) -> left.scenario().equals(aim.scenario()) &&
                clients.contains(left.client()) && (caseName.equals(NotRun.EVERY) ||
                left.caseName().equals(NotRun.EVERY) || left.caseName().equals(caseName)))
                .map(NotRun::reason).distinct().sorted().collect(Collectors.joining("; "));
        }

        private static String inBrackets(final String reasons)
        {
            return reasons.isEmpty() ? "" : " (" + reasons + ")";
        }

        private Row find(final Aim aim, final Row sameCase, final String client, final String metric)
        {
            return rows.get(List.of(aim.scenario(), sameCase.caseName(), client, metric));
        }
    }
}
