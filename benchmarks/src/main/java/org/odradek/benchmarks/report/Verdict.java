// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.odradek.benchmarks.report.Aims.Aim;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;

/**
 * Whether an aim is met in one case.
 *
 * @param aim      that was judged.
 * @param caseName in which; what the aim's pattern means if no case was run.
 * @param state    met or not.
 * @param figure   the ratio, or the figure of an absolute aim; NaN if there is none.
 * @param note     what a reader should know, may be empty.
 */
record Verdict(Aim aim, String caseName, State state, double figure, String note)
{
    /** An aim that was not run is not met either. */
    enum State
    {
        /** The figure is there, and so are all clients that it is compared with. */
        MET,
        /** The figure misses the bound, or a rival could not run. */
        NOT_MET,
        /** Ours was not measured. */
        NOT_RUN
    }

    /**
     * @param results of one run, a file for each scenario.
     * @param aims    to judge.
     * @return one verdict for each aim and case that it covers, at least one for each aim.
     */
    static List<Verdict> judge(final List<Report> results, final List<Aim> aims)
    {
        final Judge judge = new Judge(results);
        return aims.stream().flatMap(aim -> judge.judge(aim).stream()).toList();
    }

    /**
     * Writes {@code {"verdicts": [{scenario, case, client, metric, against, wanted, figure, state, note}]}}, from which
     * pages are made; the figure is null if there is none.
     *
     * @throws IOException if the file cannot be written.
     */
    static void write(final List<Report> results, final Path file) throws IOException
    {
        Report.write(file, Map.of("verdicts", judge(results, Aims.ALL).stream().map(Verdict::fields).toList()));
    }

    private Map<String, Object> fields()
    {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("scenario", aim.scenario());
        fields.put("case", caseName);
        fields.put("client", aim.client());
        fields.put("metric", aim.metric().key());
        fields.put("against", aim.against());
        fields.put("wanted", aim.wanted());
        fields.put("figure", hasFigure() ? figure : null);
        fields.put("state", stateInWords());
        fields.put("note", note);
        return fields;
    }

    String stateInWords()
    {
        return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    boolean hasFigure()
    {
        return !Double.isNaN(figure);
    }

    /**
     * @return by what factor the bound is missed, below 1 if it is met; NaN if there is no figure or the bound is 0.
     */
    double missedBy()
    {
        return hasFigure() && aim.bound() != 0 ? aim.missedBy(figure) : Double.NaN;
    }

    /** A ratio that a scenario took round by round is preferred to the ratio of two medians. */
    private static final class Judge
    {
        private final Map<String, Row> rows = new LinkedHashMap<>();
        private final List<NotRun> notRun = new ArrayList<>();

        private Judge(final List<Report> results)
        {
            for (final Report result : results)
            {
                for (final Row row : result.rows())
                {
                    rows.put(key(row.scenario(), row.caseName(), row.client(), row.metric()), row);
                }
                notRun.addAll(result.notRun());
            }
        }

        private List<Verdict> judge(final Aim aim)
        {
            final List<Verdict> verdicts = new ArrayList<>();
            for (final Row row : List.copyOf(rows.values()))
            {
                if (row.scenario().equals(aim.scenario()) && row.client().equals(aim.client()) &&
                    row.metric().equals(aim.metric().key()) && row.caseName().matches(aim.cases()))
                {
                    verdicts.add(aim.isAbsolute() ? absolute(aim, row) : relative(aim, row));
                }
            }
            return !verdicts.isEmpty() ? verdicts : List.of(new Verdict(aim, aim.casesTitle(), State.NOT_RUN,
                Double.NaN, reasons(aim, NotRun.EVERY, List.of(aim.client(), NotRun.EVERY))));
        }

        /** Of what must be 0 the worst run counts: an allocation in one of five is an allocation. */
        private Verdict absolute(final Aim aim, final Row row)
        {
            return verdict(aim, row.caseName(), aim.bound() == 0 ? row.summary().max() : row.summary().median());
        }

        private Verdict relative(final Aim aim, final Row row)
        {
            final List<String> missing = new ArrayList<>();
            double figure = Double.NaN;
            for (final Rival rival : aim.rivals())
            {
                final double ratio = ratio(aim, row, rival);
                if (Double.isNaN(ratio))
                {
                    final String reason = reasons(aim, row.caseName(), rival.clients());
                    missing.add("not run: " + rival.title() + (reason.isEmpty() ? "" : " (" + reason + ")"));
                }
                else
                {
                    figure = Double.isNaN(figure) ? ratio : aim.worse(figure, ratio);
                }
            }
            final Row best = find(aim, row.caseName(), aim.client(), aim.metric().to(Rival.BEST));
            if (best != null && aim.rivals().equals(Aims.BEST_RIVAL))
            {
                figure = best.summary().median();
            }
            return missing.isEmpty() ? verdict(aim, row.caseName(), figure) :
                new Verdict(aim, row.caseName(), State.NOT_MET, figure, String.join("; ", missing));
        }

        private static Verdict verdict(final Aim aim, final String caseName, final double figure)
        {
            return new Verdict(aim, caseName, aim.isMetBy(figure) ? State.MET : State.NOT_MET, figure, "");
        }

        /**
         * @return ours divided by theirs, NaN if they did not run.
         */
        private double ratio(final Aim aim, final Row ours, final Rival rival)
        {
            final Row ofRounds = find(aim, ours.caseName(), aim.client(), aim.metric().to(rival));
            if (ofRounds != null)
            {
                return ofRounds.summary().median();
            }
            double theirs = Double.NaN;
            for (final String client : rival.clients())
            {
                final Row row = find(aim, ours.caseName(), client, aim.metric().key());
                if (row != null)
                {
                    final double median = row.summary().median();
                    theirs = Double.isNaN(theirs) ? median : aim.betterForRival(theirs, median);
                }
            }
            return ours.summary().median() / theirs;
        }

        private String reasons(final Aim aim, final String caseName, final List<String> clients)
        {
            final TreeSet<String> reasons = new TreeSet<>();
            for (final NotRun left : notRun)
            {
                final boolean isSameCase = caseName.equals(NotRun.EVERY) || left.caseName().equals(NotRun.EVERY) ||
                    left.caseName().equals(caseName);
                if (left.scenario().equals(aim.scenario()) && isSameCase && clients.contains(left.client()))
                {
                    reasons.add(left.reason());
                }
            }
            return String.join("; ", reasons);
        }

        private Row find(final Aim aim, final String caseName, final String client, final String metric)
        {
            return rows.get(key(aim.scenario(), caseName, client, metric));
        }

        private static String key(final String... parts)
        {
            return String.join("\n", parts);
        }
    }
}
