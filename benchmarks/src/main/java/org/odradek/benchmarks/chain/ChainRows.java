// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.chain.ChainTask.Result;
import org.odradek.benchmarks.report.IntervalLog;
import org.odradek.benchmarks.report.IntervalLog.Interval;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;

/**
 * From the searches of all rounds to rows: how many chains held and broke, the figures of these, and those of each
 * number that was tried.
 */
final class ChainRows
{
    static final String HIGHEST = "highest held";
    static final String LOWEST_BROKEN = "lowest broken";
    private static final double NS_PER_US = 1e3;
    private static final double MS_PER_SECOND = 1e3;

    private final Map<String, Rows> rowsOfCase = new LinkedHashMap<>();

    /**
     * What one arm's search came to in one round.
     *
     * @param results of each number of chains tried; of several tries in the order they were made: the last one counts.
     */
    record Search(Map<Integer, List<Result>> results)
    {
        Search
        {
            results = new TreeMap<>(results);
        }

        /** The highest number of chains that held in one of its tries, 0 if none did. */
        int held()
        {
            return results.keySet().stream().filter(chains -> last(chains).isHeld()).mapToInt(Integer::intValue)
                .max().orElse(0);
        }

        /** The lowest number of chains that broke, 0 if none did. */
        int broken()
        {
            return results.keySet().stream().filter(chains -> !last(chains).isHeld()).mapToInt(Integer::intValue)
                .min().orElse(0);
        }

        /** The try after which there was no other: chains that hold are not tried again. */
        Result last(final int chains)
        {
            final List<Result> tries = results.get(chains);
            return tries.get(tries.size() - 1);
        }
    }

    private ChainRows()
    {
    }

    /**
     * @param searches of each arm, in the order of the rounds.
     */
    static List<Row> of(final Map<ChainArm, List<Search>> searches)
    {
        final ChainRows rows = new ChainRows();
        searches.forEach((arm, rounds) -> rows.addLimits(arm.client(), rounds));
        final Map<Integer, Map<ChainArm, List<Result>>> numbers = new TreeMap<>();
        searches.forEach((arm, rounds) -> rounds.forEach(round -> round.results().forEach((chains, tries) ->
            numbers.computeIfAbsent(chains, key -> new LinkedHashMap<>())
                .computeIfAbsent(arm, key -> new ArrayList<>()).addAll(tries))));
        numbers.forEach((chains, arms) -> arms.forEach((arm, tries) ->
            rows.addFigures(chains == 1 ? "1 chain" : chains + " chains", arm.client(), tries)));
        rows.rows(HIGHEST).addRatio(ChainArm.MULTIPLEXED_SHARED.client(), Metric.CHAINS, Rival.STOCK_SHARED);
        return rows.rowsOfCase.values().stream().flatMap(ofCase -> ofCase.list().stream()).toList();
    }

    private void addLimits(final String client, final List<Search> rounds)
    {
        rows(HIGHEST).add(client, Metric.CHAINS, figures(rounds, Search::held));
        addFigures(HIGHEST, client, rounds.stream().filter(next -> next.held() > 0)
            .map(next -> next.last(next.held())).toList());
        final List<Search> broke = rounds.stream().filter(next -> next.broken() > 0).toList();
        rows(LOWEST_BROKEN).add(client, Metric.CHAINS, figures(broke, Search::broken));
        addFigures(LOWEST_BROKEN, client, broke.stream().map(next -> next.last(next.broken())).toList());
    }

    private void addFigures(final String caseName, final String client, final List<Result> steps)
    {
        // What was cut off before anything was measured has no figures.
        final List<Result> measured =
            steps.stream().filter(next -> next.correctedHistogram().getTotalCount() > 0).toList();
        final List<Histogram> corrected = measured.stream().map(Result::correctedHistogram).toList();
        final List<Histogram> uncorrected = measured.stream().map(Result::uncorrectedHistogram).toList();
        rows(caseName)
            .add(client, Metric.P50, us(corrected, 50))
            .add(client, Metric.P90, us(corrected, 90))
            .add(client, Metric.P99, us(corrected, 99))
            .add(client, Metric.P999, us(corrected, 99.9))
            .add(client, Metric.MAX, us(corrected, 100))
            .add(client, Metric.UNCORRECTED_P50, us(uncorrected, 50))
            .add(client, Metric.UNCORRECTED_P99, us(uncorrected, 99))
            .add(client, Metric.UNCORRECTED_P999, us(uncorrected, 99.9))
            .add(client, Metric.PROCESS_CPU, figures(measured, Result::processCpuPercent))
            .add(client, Metric.THREAD_CPU, figures(measured, Result::threadCpuPercent))
            .add(client, Metric.PRODUCER_CPU, figures(measured, Result::producerCpuPercent));
        if (!measured.isEmpty() && measured.get(0).brokerCpuPercent() > 0)
        {
            rows(caseName).add(client, Metric.BROKER_CPU, figures(measured, Result::brokerCpuPercent));
        }
    }

    private Rows rows(final String caseName)
    {
        return rowsOfCase.computeIfAbsent(caseName, name -> new Rows(ChainScenario.NAME, name));
    }

    private static double[] us(final List<Histogram> histograms, final double percentile)
    {
        return figures(histograms, histogram -> histogram.getValueAtPercentile(percentile) / NS_PER_US);
    }

    private static <T> double[] figures(final List<T> runs, final ToDoubleFunction<T> figure)
    {
        return runs.stream().mapToDouble(figure).toArray();
    }

    /**
     * Writes a histogram log for each client beside the JSON: an interval for each step, in nanoseconds, whose tag says
     * the number of chains and whether coordinated omission is corrected.
     *
     * @param measuredMs of each step.
     */
    static List<Attachment> writeLogs(
        final Path json, final Map<ChainArm, List<Search>> searches, final int measuredMs) throws IOException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final Map.Entry<ChainArm, List<Search>> arm : searches.entrySet())
        {
            final String client = arm.getKey().client();
            final String file = json.getFileName().toString().replaceFirst("\\.json$", "") + "-" + client + ".hlog";
            final List<Interval> intervals = new ArrayList<>();
            arm.getValue().stream().flatMap(search -> search.results().values().stream()).flatMap(List::stream)
                .forEach(step ->
                {
                    final String tag = step.chains() + "-chains-";
                    final double seconds = measuredMs / MS_PER_SECOND;
                    intervals.add(new Interval(tag + "corrected", step.correctedHistogram(), seconds));
                    intervals.add(new Interval(tag + "uncorrected", step.uncorrectedHistogram(), seconds));
                });
            attachments.add(IntervalLog.write(
                json, new Attachment("each step, " + client, Attachment.HLOG, file), intervals));
        }
        return attachments;
    }
}
