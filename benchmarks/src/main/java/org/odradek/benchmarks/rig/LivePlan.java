// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.odradek.benchmarks.report.Metric;

/**
 * Who reads what of a live topic for how long.
 *
 * @param scenario      its name in rows.
 * @param cases         in this order.
 * @param arms          that take turns.
 * @param shared        settings of all of them.
 * @param firstTiming   of the turns of the first case.
 * @param timing        of the turns of the others.
 * @param preparation   what comes before the turns.
 * @param flameGraphs   what is sampled after the turns of the first case.
 * @param producerMetrics rows of the producer in each case.
 * @param rowMaker      makes the rows of a case.
 */
public record LivePlan(
    String scenario,
    List<Case> cases,
    List<Arm> arms,
    Settings shared,
    Timing firstTiming,
    Timing timing,
    Preparation preparation,
    FlameGraphs flameGraphs,
    List<Metric> producerMetrics,
    LiveRun.RowMaker rowMaker)
{
    private static final String PARTITION_COUNT = "partitionCount";

    /** Without preparation and flame graphs, and with a producer. */
    public LivePlan(final String scenario, final List<Case> cases, final List<Arm> arms, final Settings shared,
        final Timing timing, final LiveRun.RowMaker rowMaker)
    {
        this(scenario, cases, arms, shared, timing, timing, Preparation.NONE, FlameGraphs.NONE,
            List.of(Metric.PRODUCER), rowMaker);
    }

    /**
     * How records come in.
     *
     * @param name             in rows.
     * @param recordsPerSecond at an even pace; 0 for none at all.
     * @param lingerMs         of the producer: 0 sends nearly every record as a batch of its own.
     * @param settings         of every client in this case; {@code partitionCount} is how many partitions are used.
     * @param clients          names of those that take part; empty for all of them.
     */
    public record Case(String name, int recordsPerSecond, int lingerMs, Settings settings, List<String> clients)
    {
        public Case(final String name, final int recordsPerSecond, final int lingerMs)
        {
            this(name, recordsPerSecond, lingerMs, Settings.NONE, List.of());
        }

        boolean isFor(final Arm arm)
        {
            return clients.isEmpty() || clients.contains(arm.name());
        }

        /** What a process that has been started needs to know of the case; nothing in most cases. */
        Settings ofRun()
        {
            return !settings.has(PARTITION_COUNT) ? settings :
                settings.with("partitions", IntStream.range(0, settings.number(PARTITION_COUNT)).toArray());
        }
    }

    /**
     * How long clients are run.
     *
     * @param rounds             turns of each client in each case.
     * @param seconds            measured in each turn.
     * @param firstWarmUpSeconds before a client's first turn.
     * @param warmUpSeconds      before each later one: the JVM stays, the client in it is made anew.
     */
    public record Timing(int rounds, int seconds, int firstWarmUpSeconds, int warmUpSeconds)
    {
    }

    /**
     * What comes before the turns.
     *
     * @param practiceSeconds       of each client with very brief polls, or {@link #NO_PRACTICE}. What hardly ever runs
     *                              is not compiled: clients that wait would be compared as the interpreter runs them.
     * @param producerWarmUpSeconds in each case, so that its JVM and the broker's do not compile in somebody's turn.
     */
    public record Preparation(int practiceSeconds, int producerWarmUpSeconds)
    {
        public static final int NO_PRACTICE = -1;
        public static final int PRACTICE_PER_SECOND = 500;
        public static final Preparation NONE = new Preparation(NO_PRACTICE, 0);

        boolean hasPractice()
        {
            return practiceSeconds != NO_PRACTICE;
        }
    }

    /**
     * What is sampled with async-profiler after the turns, so that sampling is in no figure: each arm once for CPU and
     * once for allocations, each time in a JVM of its own.
     *
     * @param seconds sampled for each graph.
     */
    public record FlameGraphs(List<Arm> arms, int warmUpSeconds, int seconds)
    {
        public static final FlameGraphs NONE = new FlameGraphs(List.of(), 0, 0);
    }

    /** With arms of the same names, also for what is sampled. */
    LivePlan with(final List<Arm> otherArms)
    {
        final List<String> sampled = flameGraphs.arms().stream().map(Arm::name).toList();
        final FlameGraphs otherGraphs = new FlameGraphs(otherArms.stream()
            .filter(arm -> sampled.contains(arm.name())).toList(), flameGraphs.warmUpSeconds(), flameGraphs.seconds());
        return new LivePlan(scenario, cases, otherArms, shared, firstTiming, timing, preparation, otherGraphs,
            producerMetrics, rowMaker);
    }

    /** @return of the topic: one, or as many as the setting partitionCount has, which all share or a case has. */
    int partitions()
    {
        return cases.stream().mapToInt(each -> (int)shared.with(each.settings()).number(PARTITION_COUNT, 1)).max()
            .orElseThrow();
    }

    /**
     * @param bootstrap of a given cluster, or null.
     * @return for the report.
     */
    public Map<String, Object> settings(final String bootstrap)
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", Cluster.describe(bootstrap));
        settings.put("cases", cases.stream().map(Case::name).toList());
        settings.put("clients", arms.stream().map(Arm::name).toList());
        settings.put("rounds", timing.rounds());
        settings.put("secondsPerTurnOfFirstCase", firstTiming.seconds());
        settings.put("secondsPerTurn", timing.seconds());
        settings.put("firstWarmUpSeconds", timing.firstWarmUpSeconds());
        settings.put("warmUpSeconds", timing.warmUpSeconds());
        if (preparation.hasPractice())
        {
            settings.put("practice", Preparation.PRACTICE_PER_SECOND + "/s, brief polls, for " +
                preparation.practiceSeconds() + " s");
        }
        settings.putAll(shared.values());
        arms.forEach(arm ->
        {
            if (!arm.settings().values().isEmpty())
            {
                settings.put(arm.name(), arm.settings().values());
            }
        });
        settings.put("clientJvmFlags", Child.Jvm.STANDARD.flags());
        return settings;
    }
}
