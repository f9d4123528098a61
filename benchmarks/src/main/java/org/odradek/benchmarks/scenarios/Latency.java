// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario.Facts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;

/** {@code bench latency}: how long does a record take from when it was due to its callback? */
@Command(name = "latency",
    description = "Measures how late records reach the callback, from when they were to be sent.")
@Facts(quickSeconds = 150, seconds = 1_400, columns = {"latencyP50Us", "latencyP99Us", "latencyP999Us",
    "latencyP9999Us", "latencyMaxUs", "latencyP50UsToBareLoop", "latencyP99UsToBareLoop", "latencyP50UsToStock",
    "latencyP99UsToStock", "threadCpuPercent"})
public final class Latency extends LiveScenario
{
    static final Arm ODRADEK_SPIN = Arms.ODRADEK.as("odradek-spin", "poll", "spin");
    static final Arm BARE_SPIN = Arms.BARE_LOOP.as("bare-loop", "poll", "spin");
    private static final List<Arm> ARMS = List.of(
        ODRADEK_SPIN,
        Arms.ODRADEK,
        // Its polling thread has the last core for itself, as far as possible.
        ODRADEK_SPIN.as("odradek-pinned", "core", Runtime.getRuntime().availableProcessors() - 1),
        BARE_SPIN,
        Arms.BARE_LOOP.as("bare-loop-blocking"),
        Arms.STOCK, Arms.STOCK.as("stock-spin", "poll", "spin"), Arms.STOCK_NEW, Arms.STOCK_PARKED, Arms.LIBRDKAFKA,
        Arms.withBudget(Arms.ODRADEK, 2), Arms.withBudget(Arms.STOCK_TUNED, 2), Arms.withBudget(Arms.LIBRDKAFKA, 2));
    private static final List<Arm> QUICK_ARMS = List.of(ODRADEK_SPIN, Arms.ODRADEK, BARE_SPIN, Arms.STOCK);
    private static final List<Integer> RATES = List.of(1_000, 10_000, 50_000);
    private static final List<Integer> QUICK_RATES = List.of(1_000, 50_000);

    @Range(most = 1_000_000)
    @Option(names = "--rates", split = ",", paramLabel = "N",
        description = "Records a second, a case for each (default: 1000,10000,50000; with --quick " +
            "1000,50000, and four clients).")
    private List<Integer> rates;

    @Override
    protected Plan plan()
    {
        final List<Case> cases = (rates != null ? rates : isQuick() ? QUICK_RATES : RATES).stream()
            .map((rate) -> new Case(String.format(Locale.ROOT, "%,d/s", rate), rate, 0)).toList();
        final Timing timing = timing(isQuick() ? new Timing(1, 5, 4, 2) : new Timing(5, 4, 6, 1));
        return new Plan(name(), cases, onChosenJvm(isQuick() ? QUICK_ARMS : ARMS), Arms.LIVE.with("valueLength", 100,
            "acks", "1", PRODUCER_WARM_UP_SECONDS, timing.firstWarmUpSeconds()), timing,
            (rows, turns) -> rows.add(turns, Metric.LATENCY).add(turns, Metric.USAGE)
            .addRatios(List.of(ODRADEK_SPIN.name()), List.of(Metric.P50, Metric.P99), Rival.BARE_LOOP, Rival.STOCK));
    }
}
