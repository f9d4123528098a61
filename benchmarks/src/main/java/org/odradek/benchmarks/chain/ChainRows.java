// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * From the searches of all rounds to rows: how many chains held and broke, the figures of these, and those of each
 * number that was tried.
 */
final class ChainRows
{
    static final String SCENARIO = "chain";
    static final String HIGHEST = "highest held";
    static final String LOWEST_BROKEN = "lowest broken";
    static final String CHAINS = "chains";
    static final String PROCESS_CPU = "processCpuPercent";
    static final String BROKER_CPU = "brokerCpuPercent";
    static final String P50 = "latencyP50Us";
    static final String P99 = "latencyP99Us";
    static final String P999 = "latencyP999Us";
    static final String MAX = "latencyMaxUs";
    static final String UNCORRECTED_P999 = "uncorrectedLatencyP999Us";

    private static final double NS_PER_US = 1e3;

    private final List<Row> rows = new ArrayList<>();

    private ChainRows()
    {
    }

    /** What a table shows, with its headings. */
    static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(CHAINS, CHAINS);
        columns.put(P50, "p50 us");
        columns.put(P99, "p99 us");
        columns.put(P999, "p99.9 us");
        columns.put(MAX, "worst us");
        columns.put(UNCORRECTED_P999, "p99.9 us uncorrected");
        columns.put(PROCESS_CPU, "client CPU %");
        columns.put(BROKER_CPU, "broker CPU %");
        return columns;
    }

    /**
     * @param searches of each arm, in the order of the rounds.
     */
    static List<Row> of(final Map<ChainArm, List<ArmSteps>> searches)
    {
        final ChainRows rows = new ChainRows();
        searches.forEach(rows::addLimits);
        rows.addNumbers(searches);
        return rows.rows;
    }

    private void addLimits(final ChainArm arm, final List<ArmSteps> rounds)
    {
        final String client = arm.client();
        add(HIGHEST, client, CHAINS, CHAINS, summary(rounds, ArmSteps::held));
        addFigures(HIGHEST, client, rounds.stream().filter(next -> next.held() > 0)
            .map(next -> next.last(next.held())).toList());

        final List<ArmSteps> broke = rounds.stream().filter(next -> next.broken() > 0).toList();
        if (!broke.isEmpty())
        {
            add(LOWEST_BROKEN, client, CHAINS, CHAINS, summary(broke, ArmSteps::broken));
            addFigures(LOWEST_BROKEN, client, broke.stream().map(next -> next.last(next.broken())).toList());
        }
    }

    private void addNumbers(final Map<ChainArm, List<ArmSteps>> searches)
    {
        final Map<Integer, Map<ChainArm, List<StepResult>>> numbers = new TreeMap<>();
        searches.forEach((arm, rounds) -> rounds.forEach(round -> round.results().forEach((chains, tries) ->
            numbers.computeIfAbsent(chains, key -> new EnumMap<>(ChainArm.class))
                .computeIfAbsent(arm, key -> new ArrayList<>()).addAll(tries))));
        numbers.forEach((chains, arms) ->
            arms.forEach((arm, tries) -> addFigures(caseName(chains), arm.client(), tries)));
    }

    private static String caseName(final int chains)
    {
        return chains == 1 ? "1 chain" : chains + " chains";
    }

    private void addFigures(final String caseName, final String client, final List<StepResult> steps)
    {
        // What was cut off before anything was measured has no figures.
        final List<StepResult> measured =
            steps.stream().filter(next -> next.correctedHistogram().getTotalCount() > 0).toList();
        if (measured.isEmpty())
        {
            return;
        }
        final List<Histogram> corrected = measured.stream().map(StepResult::correctedHistogram).toList();
        final List<Histogram> uncorrected = measured.stream().map(StepResult::uncorrectedHistogram).toList();
        addPercentile(caseName, client, P50, corrected, 50);
        addPercentile(caseName, client, "latencyP90Us", corrected, 90);
        addPercentile(caseName, client, P99, corrected, 99);
        addPercentile(caseName, client, P999, corrected, 99.9);
        addPercentile(caseName, client, MAX, corrected, 100);
        addPercentile(caseName, client, "uncorrectedLatencyP50Us", uncorrected, 50);
        addPercentile(caseName, client, "uncorrectedLatencyP99Us", uncorrected, 99);
        addPercentile(caseName, client, UNCORRECTED_P999, uncorrected, 99.9);
        add(caseName, client, PROCESS_CPU, "%", summary(measured, StepResult::processCpuPercent));
        if (measured.get(0).brokerCpuPercent() > 0)
        {
            add(caseName, client, BROKER_CPU, "%", summary(measured, StepResult::brokerCpuPercent));
        }
    }

    private void addPercentile(
        final String caseName,
        final String client,
        final String metric,
        final List<Histogram> histograms,
        final double percentile)
    {
        add(caseName, client, metric, "us",
            summary(histograms, histogram -> histogram.getValueAtPercentile(percentile) / NS_PER_US));
    }

    private void add(
        final String caseName, final String client, final String metric, final String unit, final Summary summary)
    {
        rows.add(new Row(SCENARIO, caseName, client, metric, unit, summary));
    }

    private static <T> Summary summary(final List<T> runs, final ToDoubleFunction<T> figure)
    {
        return Summary.of(runs.stream().mapToDouble(figure).toArray());
    }
}
