// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.P50;
import static org.odradek.benchmarks.report.Metric.P99;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.LivePlan;
import org.odradek.benchmarks.rig.LivePlan.Case;
import org.odradek.benchmarks.rig.LivePlan.FlameGraphs;
import org.odradek.benchmarks.rig.LivePlan.Preparation;
import org.odradek.benchmarks.rig.LivePlan.Timing;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench latency}: how long does a record take from when it was due to its callback?
 */
@Command(name = Latency.NAME,
    description = "Measures how late records reach the callback, from when they were to be sent.")
public final class Latency extends LiveScenario
{
    static final String NAME = "latency";
    static final Arm ODRADEK_SPIN = Arms.ODRADEK.as("odradek-spin", "poll", "spin");
    static final Arm BARE_SPIN = Arms.BARE_LOOP.as("bare-loop", "poll", "spin");
    static final Settings SHARED = Arms.LIVE.with("valueLength", 100, "acks", "1");
    static final List<Arm> ARMS = List.of(
        ODRADEK_SPIN,
        Arms.ODRADEK,
        // Its polling thread has the last core for itself, as far as possible.
        ODRADEK_SPIN.as("odradek-pinned", "core", Runtime.getRuntime().availableProcessors() - 1),
        BARE_SPIN,
        Arms.BARE_LOOP.as("bare-loop-blocking"),
        Arms.STOCK,
        Arms.STOCK.as("stock-spin", "poll", "spin"),
        Arms.STOCK_DEFAULTS,
        Arms.STOCK_NEW,
        Arms.STOCK_PARKED,
        Arms.LIBRDKAFKA,
        Arms.withBudget(Arms.ODRADEK, 1),
        Arms.withBudget(Arms.STOCK_TUNED, 1),
        Arms.withBudget(Arms.LIBRDKAFKA, 1),
        Arms.withBudget(Arms.ODRADEK, 2),
        Arms.withBudget(Arms.STOCK_TUNED, 2),
        Arms.withBudget(Arms.LIBRDKAFKA, 2));
    static final List<Arm> QUICK_ARMS = List.of(ODRADEK_SPIN, Arms.ODRADEK, BARE_SPIN, Arms.STOCK);
    static final List<Integer> RATES = List.of(1_000, 5_000, 10_000, 50_000, 100_000);
    static final List<Integer> QUICK_RATES = List.of(1_000, 10_000, 50_000);
    static final Timing TIMING = new Timing(5, 4, 6, 1);
    static final Timing QUICK_TIMING = new Timing(1, 5, 6, 3);
    private static final int HIGHEST_RATE = 1_000_000;

    @Option(names = "--rates", split = ",", paramLabel = "N",
        description = "Records a second, a case for each (default: 1000,5000,10000,50000,100000; with --quick " +
            "1000,10000,50000, and four clients).")
    private List<Integer> rates;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        for (final int rate : rates == null ? List.<Integer>of() : rates)
        {
            check.that(rate >= 1 && rate <= HIGHEST_RATE,
                "--rates must be between 1 and " + HIGHEST_RATE + ", not " + rate + ".");
        }
    }

    static LivePlan plan(final List<Integer> rates, final List<Arm> arms, final Timing timing)
    {
        final List<Case> cases =
            rates.stream().map(rate -> new Case(String.format(Locale.ROOT, "%,d/s", rate), rate, 0)).toList();
        return new LivePlan(NAME, cases, arms, SHARED, timing, timing,
            new Preparation(Preparation.NO_PRACTICE, timing.firstWarmUpSeconds()), FlameGraphs.NONE,
            List.of(Metric.PRODUCER), Latency::rows);
    }

    private static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        return rows.add(turns, Metric.LATENCY).add(turns, Metric.USAGE)
            .addRatios(List.of(ODRADEK_SPIN.name()), List.of(P50, P99), Rival.BARE_LOOP, Rival.STOCK);
    }

    @Override
    protected LivePlan plan()
    {
        final List<Integer> standard = isQuick() ? QUICK_RATES : RATES;
        return plan(rates == null ? standard : rates, isQuick() ? QUICK_ARMS : ARMS,
            timing(isQuick() ? QUICK_TIMING : TIMING));
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 150 : 2_800;
    }

    @Override
    protected List<String> columns()
    {
        return List.of(P50.key(), P99.key(), Metric.P999.key(), Metric.P9999.key(), Metric.MAX.key(),
            P50.to(Rival.BARE_LOOP), P99.to(Rival.BARE_LOOP), P50.to(Rival.STOCK), P99.to(Rival.STOCK),
            Metric.THREAD_CPU.key());
    }
}
