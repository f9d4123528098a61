// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.odradek.benchmarks.report.Environment;

/**
 * Who reads what of a live topic for how long.
 *
 * @param scenario    its name in rows.
 * @param cases       in this order.
 * @param arms        that take turns.
 * @param shared      settings of all of them, of the producer and of the run.
 * @param firstTiming of the turns of the first case.
 * @param timing      of the turns of the others.
 * @param flameGraphs what is sampled after the turns of the first case.
 * @param rowMaker    makes the rows of a case.
 */
public record LivePlan(
    String scenario,
    List<Case> cases,
    List<Arm> arms,
    Settings shared,
    Timing firstTiming,
    Timing timing,
    FlameGraphs flameGraphs,
    LiveRun.RowMaker rowMaker)
{
    /**
     * Each client first polls so long with very brief waits. What hardly ever runs is not compiled: clients that wait
     * would be compared as the interpreter runs them. The producer, which sends hardly anything, has no rows then.
     */
    public static final String PRACTICE_SECONDS = "practiceSeconds";
    /** Before the turns of each case, so that the JVMs of producer and broker do not compile in somebody's turn. */
    public static final String PRODUCER_WARM_UP_SECONDS = "producerWarmUpSeconds";
    static final int PRACTICE_PER_SECOND = 500;
    private static final String PARTITION_COUNT = "partitionCount";

    /** With the same timing in all cases and no flame graphs. */
    public LivePlan(final String scenario, final List<Case> cases, final List<Arm> arms, final Settings shared,
        final Timing timing, final LiveRun.RowMaker rowMaker)
    {
        this(scenario, cases, arms, shared, timing, timing, new FlameGraphs(List.of(), 0, 0), rowMaker);
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

        boolean isFor(final String client)
        {
            return clients.isEmpty() || clients.contains(client);
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
     * What is sampled with async-profiler after the turns, so that sampling is in no figure: each client once for CPU
     * and once for allocations, each time in a JVM of its own.
     *
     * @param clients their names.
     * @param seconds sampled for each graph.
     */
    public record FlameGraphs(List<String> clients, int warmUpSeconds, int seconds)
    {
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
        final Map<String, Object> settings = Environment.ordered(
            "broker", Cluster.describe(bootstrap),
            "cases", cases.stream().map(Case::name).toList(),
            "clients", arms.stream().map(Arm::name).toList(),
            "rounds", timing.rounds(),
            "secondsPerTurnOfFirstCase", firstTiming.seconds(),
            "secondsPerTurn", timing.seconds(),
            "firstWarmUpSeconds", timing.firstWarmUpSeconds(),
            "warmUpSeconds", timing.warmUpSeconds());
        settings.putAll(shared.values());
        arms.stream().filter(arm -> !arm.settings().values().isEmpty())
            .forEach(arm -> settings.put(arm.name(), arm.settings().values()));
        settings.put("clientJvmFlags", Child.Jvm.STANDARD.flags());
        return settings;
    }
}
