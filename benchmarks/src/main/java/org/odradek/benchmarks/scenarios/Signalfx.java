// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.P50;
import static org.odradek.benchmarks.report.Metric.P99;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.THREAD_CPU;

import java.util.List;
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
import org.odradek.benchmarks.rig.Settings;
import picocli.CommandLine.Command;

/**
 * {@code bench signalfx}: a trickle of small records in one partition, as metrics come in. What does it cost to read
 * 5,000 or 10,000 records of 23 bytes a second for as long as they come?
 */
@Command(name = Signalfx.NAME,
    description = "Reads a trickle of small records from one partition: CPU, bytes, collections, latency.")
public final class Signalfx extends LiveScenario
{
    static final String NAME = "signalfx";
    static final Settings SHARED = Arms.LIVE.with("valueLength", 23, "acks", "1");
    static final List<String> OURS = List.of(Arms.ODRADEK.name(), Arms.PACED.name());
    static final Rival[] RIVALS = {Rival.STOCK, Rival.LIBRDKAFKA, Rival.BEST, Rival.BARE_LOOP};
    private static final List<Case> CASES =
        List.of(linger(5_000, 0), linger(5_000, 5), linger(10_000, 0), linger(10_000, 5));
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.PACED, Arms.STOCK, Arms.STOCK_DEFAULTS,
        Arms.STOCK_NEW, Arms.STOCK_TUNED, Arms.STOCK_PARKED, Arms.BARE_LOOP, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS = List.of(Arms.ODRADEK, Arms.PACED, Arms.STOCK, Arms.LIBRDKAFKA);
    private static final List<Arm> SAMPLED = List.of(Arms.ODRADEK, Arms.STOCK);
    /** The first case is the one that a client of this kind was once measured by, and takes the time that took. */
    private static final Timing FIRST_TIMING = new Timing(2, 150, 15, 5);
    private static final Timing TIMING = new Timing(2, 8, 15, 3);
    private static final Timing QUICK_TIMING = new Timing(2, 5, 6, 2);

    static Case linger(final int recordsPerSecond, final int lingerMs)
    {
        return new Case(recordsPerSecond + "/s, linger " + lingerMs + " ms", recordsPerSecond, lingerMs);
    }

    static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        return rows.add(turns, Metric.USAGE).add(turns, Metric.PER_RECORD).add(turns, Metric.LATENCY)
            .addRatios(OURS, List.of(THREAD_CPU, PROCESS_CPU, P50, P99), RIVALS);
    }

    @Override
    protected LivePlan plan()
    {
        final Timing quickTiming = timing(QUICK_TIMING);
        return new LivePlan(NAME, isQuick() ? CASES.subList(0, 2) : CASES, isQuick() ? QUICK_ARMS : ARMS, SHARED,
            isQuick() ? quickTiming : timing(FIRST_TIMING), isQuick() ? quickTiming : timing(TIMING), Preparation.NONE,
            isQuick() ? new FlameGraphs(SAMPLED, 2, 3) : new FlameGraphs(SAMPLED, 5, 15), List.of(Metric.PRODUCER),
            Signalfx::rows);
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 180 : 3_600;
    }

    @Override
    protected List<String> columns()
    {
        return List.of(THREAD_CPU.key(), PROCESS_CPU.key(), PROCESS_CPU.to(Rival.STOCK), Metric.ALLOCATED.key(),
            Metric.COLLECTIONS.key(), Metric.FETCHES.key(), P50.key(), P99.key());
    }
}
