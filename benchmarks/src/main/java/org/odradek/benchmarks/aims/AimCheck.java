// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.ResultFile;
import org.odradek.benchmarks.report.Row;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Holds aims against the rows of a run. A quotient that a scenario took round by round is preferred to the quotient of
 * two medians.
 */
public final class AimCheck
{
    private static final String TO_BEST_RIVAL = "ToBestRival";

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final Map<String, Set<String>> casesOfScenario = new LinkedHashMap<>();
    private final List<NotRun> notRun = new ArrayList<>();

    /**
     * @param results of one run, a file for each scenario.
     */
    public AimCheck(final List<ResultFile> results)
    {
        for (final ResultFile result : results)
        {
            for (final Row row : result.rows())
            {
                rows.put(key(row.scenario(), row.caseName(), row.client(), row.metric()), row);
                casesOfScenario.computeIfAbsent(row.scenario(), key -> new LinkedHashSet<>()).add(row.caseName());
            }
            notRun.addAll(result.notRun());
        }
    }

    /**
     * @return one verdict for each aim and case it speaks of, at least one for each aim.
     */
    public List<Verdict> judge(final List<Aim> aims)
    {
        final List<Verdict> verdicts = new ArrayList<>();
        for (final Aim aim : aims)
        {
            final int before = verdicts.size();
            for (final String caseName : casesOfScenario.getOrDefault(aim.scenario(), Set.of()))
            {
                if (caseName.matches(aim.cases()) && find(aim, caseName, aim.client(), aim.metric()) != null)
                {
                    verdicts.add(judge(aim, caseName));
                }
            }
            if (verdicts.size() == before)
            {
                final String note = reasons(aim, NotRun.EVERY, List.of(aim.client(), NotRun.EVERY));
                verdicts.add(new Verdict(aim, aim.casesTitle(), Verdict.State.NOT_RUN, Double.NaN, note));
            }
        }
        return verdicts;
    }

    private Verdict judge(final Aim aim, final String caseName)
    {
        if (aim.isAbsolute())
        {
            // The worst run counts: an allocation in one of five is an allocation.
            final Row row = find(aim, caseName, aim.client(), aim.metric());
            final double figure = aim.bound().worse(row.summary().min(), row.summary().max());
            return verdict(aim, caseName, figure, List.of());
        }
        final List<Rival> missing = new ArrayList<>();
        double figure = Double.NaN;
        for (final Rival rival : aim.rivals())
        {
            final double ratio = ratio(aim, caseName, rival);
            if (Double.isNaN(ratio))
            {
                missing.add(rival);
            }
            else
            {
                figure = Double.isNaN(figure) ? ratio : aim.bound().worse(figure, ratio);
            }
        }
        final Row best = find(aim, caseName, aim.client(), aim.metric() + TO_BEST_RIVAL);
        final boolean isOfBest = best != null && aim.rivals().equals(Aims.BEST_RIVAL);
        return verdict(aim, caseName, isOfBest ? best.summary().median() : figure, missing);
    }

    private Verdict verdict(final Aim aim, final String caseName, final double figure, final List<Rival> missing)
    {
        if (missing.isEmpty())
        {
            final boolean isMet = aim.bound().isMetBy(figure);
            return new Verdict(aim, caseName, isMet ? Verdict.State.MET : Verdict.State.NOT_MET, figure, "");
        }
        final List<String> notes = new ArrayList<>();
        for (final Rival rival : missing)
        {
            final String reason = reasons(aim, caseName, rival.clients());
            notes.add("not run: " + rival.title() + (reason.isEmpty() ? "" : " (" + reason + ")"));
        }
        return new Verdict(aim, caseName, Verdict.State.NOT_MET, figure, String.join("; ", notes));
    }

    /**
     * @return ours by theirs, NaN if they did not run.
     */
    private double ratio(final Aim aim, final String caseName, final Rival rival)
    {
        double theirs = Double.NaN;
        for (final String client : rival.clients())
        {
            final Row row = find(aim, caseName, client, aim.metric());
            if (row != null)
            {
                final double median = row.summary().median();
                theirs = Double.isNaN(theirs) ? median : aim.bound().betterForRival(theirs, median);
            }
        }
        final Row ofRounds = find(aim, caseName, aim.client(), aim.metric() + rival.ratioSuffix());
        if (ofRounds != null)
        {
            return ofRounds.summary().median();
        }
        return find(aim, caseName, aim.client(), aim.metric()).summary().median() / theirs;
    }

    private String reasons(final Aim aim, final String caseName, final List<String> clients)
    {
        final Set<String> reasons = new TreeSet<>();
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
