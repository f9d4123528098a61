/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * From the steps of the arms to rows: how many chains held and broke, and the figures of each number tried.
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

    static List<Row> of(final List<ArmSteps> arms)
    {
        final ChainRows rows = new ChainRows();
        arms.forEach(rows::addArm);
        return rows.rows;
    }

    static String caseName(final int chains)
    {
        return chains == 1 ? "1 chain" : chains + " chains";
    }

    private void addArm(final ArmSteps steps)
    {
        final String client = steps.arm().client();
        add(HIGHEST, client, CHAINS, "chains", Summary.of(steps.held()));
        if (steps.broken() > 0)
        {
            add(LOWEST_BROKEN, client, CHAINS, "chains", Summary.of(steps.broken()));
        }
        steps.results().forEach((chains, tries) -> addTries(caseName(chains), client, tries));
    }

    private void addTries(final String caseName, final String client, final List<StepResult> tries)
    {
        // What was cut off before anything was measured has no figures.
        final List<StepResult> measured =
            tries.stream().filter(next -> next.correctedHistogram().getTotalCount() > 0).toList();
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

    private static <T> Summary summary(final List<T> tries, final ToDoubleFunction<T> figure)
    {
        return Summary.of(tries.stream().mapToDouble(figure).toArray());
    }
}
