// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import picocli.CommandLine.Command;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** {@code bench flink}: what does a source cost a job? Only the jobs need Flink, which are in a module of their own. */
@Command(name = "flink", description = "Reads a topic into jobs of Flink: our source and Flink's connector for Kafka.")
@Facts(quickSeconds = 200, seconds = 1_080, columns = {"recordsPerSecond", "recordsPerSecondToConnector",
    "processCpuPerRecord", "processCpuPerRecordToConnector", "processAllocatedBytesPerRecord", "checkpointP50Us",
    "checkpointMaxUs", "processCpuPercent", "processCpuPercentToConnector", "latencyP50Us", "latencyP99Us",
    "latencyP50OverConnectorUs", "brokerCpuPercent"})
public final class Flink extends LiveScenario
{
    static final String ODRADEK = "odradek-flink";
    private static final String CONNECTOR = "flink-kafka";
    private static final String TASK = "org.odradek.benchmarks.flink.FlinkTask";
    private static final List<String> JVM_FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:MaxDirectMemorySize=512m");
    private static final List<Arm> ARMS = List.of(arm(ODRADEK), arm(CONNECTOR));
    static final List<CatchupRun.Case> CASES = List.of(job(23, "chained"), job(100, "chained"), job(1_000, "chained"),
        job(23, "keyed"), job(23, "checkpoints"));
    static final List<CatchupRun.Case> QUICK_CASES = List.of(job(23, "chained"), job(23, "keyed"));
    private static final int CHECKPOINT_INTERVAL_MS = 100;
    private static final List<Case> TRICKLES = List.of(Signalfx.linger(5_000, 0), Signalfx.linger(5_000, 5));

    private static CatchupRun.Case job(final int valueLength, final String job)
    {
        return new CatchupRun.Case(valueLength, 1, CatchupRun.Case.NO_CODEC, true, job);
    }

    private static Arm arm(final String source)
    {
        return new Arm(source, (name, settings, jvm) -> Child.start(name, task(), settings, jvm.with(JVM_FLAGS)),
            Settings.of("source", source, "checkpointIntervalMs", CHECKPOINT_INTERVAL_MS));
    }

    /** Returns null if the module with the jobs is not on the class path. */
    private static Class<?> task()
    {
        return Class.forName(Flink.class.getModule(), TASK);
    }

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.that(task() != null, "Flink is not on the class path: run ./odradek bench flink.");
    }

    private CatchupRun.Plan passes()
    {
        return new CatchupRun.Plan(name(), onChosenJvm(ARMS), isQuick() ? QUICK_CASES : CASES,
            plan().timing().rounds(), isQuick());
    }

    /** The plan of the trickle, which follows the passes. */
    @Override
    protected Plan plan()
    {
        return new Plan(name(), isQuick() ? TRICKLES.subList(0, 1) : TRICKLES, onChosenJvm(ARMS), Signalfx.SHARED,
            timing(isQuick() ? new Timing(2, 5, 5, 2) : new Timing(5, 10, 10, 3)), Flink::rows);
    }

    static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        final Usage[] ours = turns.get(ODRADEK);
        final Usage[] theirs = turns.get(CONNECTOR);
        return rows.add(turns, Metric.USAGE).add(turns, Metric.LATENCY)
            .add(ODRADEK, Metric.P50_OVER_CONNECTOR, IntStream.range(0, ours.length)
                .mapToDouble((i) -> ours[i].latencyUs(50) - theirs[i].latencyUs(50)).toArray())
            .addRatios(List.of(ODRADEK), List.of(Metric.PROCESS_CPU, Metric.P50, Metric.P99), Rival.FLINK_KAFKA);
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        final Results results = new CatchupRun(passes(), cluster, this::say).run();
        results.add(super.run(cluster));
        return results;
    }

    @Override
    protected boolean isComplete(final Results results)
    {
        return results.notRun().isEmpty() && super.isComplete(results);
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Map<String, Object> settings = super.settings();
        settings.put("settingsOfPasses", passes().settings(bootstrap()));
        settings.put("moreJvmFlags", JVM_FLAGS);
        return settings;
    }
}
