// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

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
import org.odradek.benchmarks.rig.LivePlan.Timing;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import picocli.CommandLine.Command;

/**
 * {@code bench idle}: a partition to which nothing is written, and one that gets a record a second. What does a
 * consumer cost that waits?
 */
@Command(name = "idle",
    description = "Waits for records that hardly come: CPU and bytes a minute, an empty JVM beside.")
@Facts(quickSeconds = 110, seconds = 1_650, columns = {"threadCpuPerMinute", "threadCpuPerMinuteToStock",
    "processCpuPerMinute", "allocatedBytesPerMinute", "processAllocatedBytesPerMinute", "fetchesPerSecond"})
public final class Idle extends LiveScenario
{
    static final List<Case> CASES = List.of(new Case("no records", 0, 0), new Case("1/s", 1, 0));
    /** Its polls end as those of ours do; in its read it would wait until the broker's answer. */
    static final Arm BARE_POLLING = Arms.BARE_LOOP.as("bare-loop", "select", true);
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_DEFAULTS, Arms.STOCK_NEW,
        BARE_POLLING, Arms.BARE_LOOP.as("bare-loop-blocking"), Arms.EMPTY_JVM, Arms.LIBRDKAFKA);
    /** Without the stock client's own defaults: on an idle topic they differ in nothing that matters. */
    private static final List<Arm> QUICK_ARMS =
        List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_NEW, Arms.EMPTY_JVM, Arms.LIBRDKAFKA);

    static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        return rows.add(turns, Metric.USAGE).add(turns, Metric.PER_MINUTE).addRatios(List.of(Arms.ODRADEK.name()),
            List.of(Metric.THREAD_CPU_PER_MINUTE, Metric.PROCESS_CPU_PER_MINUTE), Rival.STOCK, Rival.LIBRDKAFKA,
            Rival.BEST, Rival.BARE_LOOP);
    }

    @Override
    protected LivePlan plan()
    {
        return new LivePlan(name(), CASES, onChosenJvm(isQuick() ? QUICK_ARMS : ARMS),
            Signalfx.SHARED.with(LivePlan.PRACTICE_SECONDS, isQuick() ? 4 : 15),
            timing(isQuick() ? new Timing(1, 5, 1, 1) : new Timing(5, 15, 3, 3)), Idle::rows);
    }
}
