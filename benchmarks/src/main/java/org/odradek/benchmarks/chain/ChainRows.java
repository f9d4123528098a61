// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.chain.ChainTask.Result;
import org.odradek.benchmarks.report.IntervalLog;
import org.odradek.benchmarks.report.IntervalLog.Interval;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * From the searches of all rounds to rows: how many chains held and broke, the figures of these, and those of each
 * number that was tried.
 */
final class ChainRows
{
    static final String HIGHEST = "highest held";
    static final String LOWEST_BROKEN = "lowest broken";
    private static final Metric[] OF_USAGE = {Metric.P50, Metric.P90, Metric.P99, Metric.P999, Metric.MAX,
        Metric.PROCESS_CPU, Metric.THREAD_CPU, Metric.BROKER_CPU};

    private ChainRows()
    {
    }

    /**
     * @param scenario in rows.
     * @param searches of each arm, in the order of the rounds.
     */
    static List<Row> of(final String scenario, final Map<ChainArm, List<ChainSearch>> searches)
    {
        final Rows highest = new Rows(scenario, HIGHEST);
        final Rows broken = new Rows(scenario, LOWEST_BROKEN);
        final Map<Integer, Rows> ofNumber = new TreeMap<>();
        searches.forEach((arm, rounds) ->
        {
            // An arm of which none held has 0; one of which none broke has no such number.
            highest.add(arm.client, Metric.CHAINS, rounds.stream().mapToDouble(ChainSearch::held).toArray());
            addFigures(highest, arm.client, last(rounds, ChainSearch::held));
            final List<Result> lowest = last(rounds, ChainSearch::broken);
            broken.add(arm.client, Metric.CHAINS, lowest.stream().mapToDouble(Result::chains).toArray());
            addFigures(broken, arm.client, lowest);
            results(rounds).collect(Collectors.groupingBy(Result::chains)).forEach((chains, tries) ->
                addFigures(ofNumber.computeIfAbsent(
                    chains, (number) -> new Rows(scenario, caseName(number))), arm.client, tries));
        });
        highest.addRatio(ChainArm.MULTIPLEXED_SHARED.client, Metric.CHAINS, Rival.STOCK_SHARED);
        return Stream.concat(Stream.of(highest, broken), ofNumber.values().stream())
            .flatMap((rows) -> rows.list().stream()).toList();
    }

    static String caseName(final int chains)
    {
        return chains == 1 ? "1 chain" : chains + " chains";
    }

    private static List<Result> last(final List<ChainSearch> rounds, final ToIntFunction<ChainSearch> number)
    {
        return rounds.stream().filter((search) -> number.applyAsInt(search) > 0)
            .map((search) -> search.last(number.applyAsInt(search))).toList();
    }

    private static Stream<Result> results(final List<ChainSearch> rounds)
    {
        return rounds.stream().flatMap((search) -> search.results().stream());
    }

    /** What was cut off before anything was measured has no figures. */
    private static void addFigures(final Rows rows, final String client, final List<Result> steps)
    {
        final List<Result> measured = steps.stream().filter((step) -> step.usage().hasLatency()).toList();
        final List<Histogram> uncorrected = measured.stream().map((step) -> Usage.decode(step.uncorrected())).toList();
        rows.add(Map.of(client, measured.stream().map(Result::usage).toArray(Usage[]::new)), OF_USAGE)
            .add(client, Metric.UNCORRECTED_P50, us(uncorrected, 50))
            .add(client, Metric.UNCORRECTED_P99, us(uncorrected, 99))
            .add(client, Metric.UNCORRECTED_P999, us(uncorrected, 99.9))
            .add(client, Metric.PRODUCER_CPU,
                measured.stream().mapToDouble((step) -> step.usage().cpuPercent(step.producerCpuNs())).toArray());
    }

    private static double[] us(final List<Histogram> histograms, final double percentile)
    {
        return histograms.stream().mapToDouble((next) -> next.getValueAtPercentile(percentile) / 1e3).toArray();
    }

    /**
     * Writes a histogram log for each client beside the JSON: an interval for each step, in nanoseconds, whose tag says
     * the number of chains and whether coordinated omission is corrected. All steps lasted so many seconds.
     */
    static List<Attachment> writeLogs(
        final Path json, final Map<ChainArm, List<ChainSearch>> searches, final double seconds) throws IOException
    {
        final List<Attachment> attachments = new ArrayList<>();
        for (final Map.Entry<ChainArm, List<ChainSearch>> arm : searches.entrySet())
        {
            final String client = arm.getKey().client;
            final String file = json.getFileName().toString().replaceFirst("\\.json$", "") + "-" + client + ".hlog";
            attachments.add(IntervalLog.write(json, new Attachment("each step, " + client, Attachment.HLOG, file),
                results(arm.getValue()).flatMap((step) -> Stream.of(
                    new Interval(step.chains() + "-chains-corrected", step.usage().latencyHistogram(), seconds),
                    new Interval(step.chains() + "-chains-uncorrected", Usage.decode(step.uncorrected()), seconds)))
                .toList()));
        }
        return attachments;
    }
}
