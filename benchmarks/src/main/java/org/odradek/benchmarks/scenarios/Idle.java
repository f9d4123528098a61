// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.PROCESS_CPU_PER_MINUTE;
import static org.odradek.benchmarks.report.Metric.THREAD_CPU_PER_MINUTE;

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
import picocli.CommandLine.Command;

/**
 * {@code bench idle}: a partition to which nothing is written, and one that gets a record a second. What does a
 * consumer cost that waits?
 */
@Command(name = Idle.NAME,
    description = "Waits for records that hardly come: CPU and bytes a minute, an empty JVM beside.")
public final class Idle extends LiveScenario
{
    static final String NAME = "idle";
    static final List<Case> CASES = List.of(new Case("no records", 0, 0), new Case("1/s", 1, 0));
    /** Its polls end as those of ours do; in its read it would wait until the broker's answer. */
    static final Arm BARE_POLLING = Arms.BARE_LOOP.as("bare-loop", "select", true);
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_DEFAULTS, Arms.STOCK_NEW,
        BARE_POLLING, Arms.BARE_LOOP.as("bare-loop-blocking"), Arms.EMPTY_JVM,
        Arms.LIBRDKAFKA);
    /** Without the stock client's own defaults: on an idle topic they differ in nothing that matters. */
    private static final List<Arm> QUICK_ARMS =
        List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_NEW, Arms.EMPTY_JVM, Arms.LIBRDKAFKA);
    private static final Timing TIMING = new Timing(5, 15, 3, 3);
    private static final Timing QUICK_TIMING = new Timing(1, 5, 1, 1);
    private static final int PRACTICE_SECONDS = 15;
    private static final int QUICK_PRACTICE_SECONDS = 4;

    static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        return rows.add(turns, Metric.USAGE).add(turns, Metric.PER_MINUTE).addRatios(
            List.of(Arms.ODRADEK.name()), List.of(THREAD_CPU_PER_MINUTE, PROCESS_CPU_PER_MINUTE), Rival.STOCK,
            Rival.LIBRDKAFKA, Rival.BEST, Rival.BARE_LOOP);
    }

    @Override
    protected LivePlan plan()
    {
        final Timing timing = timing(isQuick() ? QUICK_TIMING : TIMING);
        return new LivePlan(NAME, CASES, isQuick() ? QUICK_ARMS : ARMS, Signalfx.SHARED, timing, timing,
            new Preparation(isQuick() ? QUICK_PRACTICE_SECONDS : PRACTICE_SECONDS, 0), FlameGraphs.NONE, List.of(),
            Idle::rows);
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 110 : 1_650;
    }

    @Override
    protected List<String> columns()
    {
        return List.of(THREAD_CPU_PER_MINUTE.key(), THREAD_CPU_PER_MINUTE.to(Rival.STOCK),
            PROCESS_CPU_PER_MINUTE.key(), Metric.ALLOCATED_PER_MINUTE.key(),
            Metric.PROCESS_ALLOCATED_PER_MINUTE.key(), Metric.FETCHES.key());
    }
}
