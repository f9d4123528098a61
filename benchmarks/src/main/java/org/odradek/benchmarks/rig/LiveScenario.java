// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A scenario on a live topic: what a subclass has is its {@link Plan} and its columns. */
public abstract class LiveScenario extends Scenario.OnCluster
{
    /**
     * Each client first polls so long with very brief waits. What hardly ever runs is not compiled: clients that wait
     * would be compared as the interpreter runs them. The producer, which sends hardly anything, has no rows then.
     */
    public static final String PRACTICE_SECONDS = "practiceSeconds";
    /** Before the turns of each case, so that the JVMs of producer and broker do not compile in somebody's turn. */
    public static final String PRODUCER_WARM_UP_SECONDS = "producerWarmUpSeconds";
    static final int PRACTICE_PER_SECOND = 500;
    /** With one record a second, a turn may begin just after a record. */
    private static final double LEAST_OF_DUE = 0.8;
    private static final String OURS = "odradek";
    private static final String PARTITION_COUNT = "partitionCount";

    @Range
    @Option(names = "--seconds", paramLabel = "N",
        description = "Measured of each client in each case, over all rounds (default: as the full form says).")
    private Integer seconds;
    @Range
    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each client in each case.")
    private Integer rounds;

    /**
     * Who reads what of a live topic for how long.
     *
     * @param scenario    its name in rows.
     * @param cases       in this order.
     * @param arms        that take turns.
     * @param shared      settings of all of them, of the producer and of the run.
     * @param timing      of the turns.
     * @param flameGraphs what is sampled after the turns of the first case.
     * @param rowMaker    makes the rows of a case.
     */
    public record Plan(String scenario, List<Case> cases, List<Arm> arms, Settings shared, Timing timing,
        FlameGraphs flameGraphs, LiveRun.RowMaker rowMaker)
    {
        /** Without flame graphs. */
        public Plan(final String scenario, final List<Case> cases, final List<Arm> arms, final Settings shared,
            final Timing timing, final LiveRun.RowMaker rowMaker)
        {
            this(scenario, cases, arms, shared, timing, new FlameGraphs(List.of(), 0, 0), rowMaker);
        }

        /** @return of the topic: one, or as many as the setting partitionCount has, which all share or a case has. */
        int partitions()
        {
            return cases.stream().mapToInt((each) -> (int)shared.with(each.settings()).number(PARTITION_COUNT, 1)).max()
                .orElseThrow();
        }

        /** For the report; the bootstrap is that of a given cluster, or null. */
        public Map<String, Object> settings(final String bootstrap)
        {
            final Map<String, Object> settings = Environment.ordered(
                "broker", Cluster.describe(bootstrap),
                "cases", cases.stream().map(Case::name).toList(),
                "clients", arms.stream().map(Arm::name).toList(),
                "rounds", timing.rounds(),
                "secondsPerTurn", timing.seconds(),
                "firstWarmUpSeconds", timing.firstWarmUpSeconds(),
                "warmUpSeconds", timing.warmUpSeconds());
            settings.putAll(shared.values());
            arms.stream().filter((arm) -> !arm.settings().values().isEmpty())
                .forEach((arm) -> settings.put(arm.name(), arm.settings().values()));
            settings.put("clientJvmFlags", Child.Jvm.STANDARD.flags());
            return settings;
        }
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
     * @param warmUpSeconds      before each later turn, which has the same JVM and a new client.
     */
    public record Timing(int rounds, int seconds, int firstWarmUpSeconds, int warmUpSeconds)
    {
    }

    /**
     * What is sampled with async-profiler after the turns, so that sampling is in no figure: each client once for CPU
     * and once for allocations, each time in a JVM of its own.
     */
    public record FlameGraphs(List<String> clients, int warmUpSeconds, int seconds)
    {
    }

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.that(seconds == null || rounds == null || seconds % rounds == 0,
            "--seconds must be a multiple of --rounds, not " + seconds + " of " + rounds + ".");
    }

    protected abstract Plan plan();

    /** Returns the timing of the full or the quick form with what the options replace. */
    protected final Timing timing(final Timing standard)
    {
        final int chosenRounds = rounds == null ? standard.rounds() : rounds;
        final int total = seconds == null ? standard.rounds() * standard.seconds() : seconds;
        return new Timing(chosenRounds, Math.max(1, total / chosenRounds), standard.firstWarmUpSeconds(),
            standard.warmUpSeconds());
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(bootstrap());
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        return new LiveRun(plan(), cluster, json(), this::say).run();
    }

    /** In the full form our clients must have read what was sent: a client that has stopped costs little. */
    @Override
    protected boolean isComplete(final Results results)
    {
        final List<String> less = isQuick() ? List.of() : less(plan().cases(), results.rows());
        less.forEach(this::say);
        return less.isEmpty();
    }

    /** Returns a sentence for each client of ours that has read less than {@link #LEAST_OF_DUE} of what was due. */
    static List<String> less(final List<Case> cases, final List<Row> rows)
    {
        final Map<String, Integer> due =
            cases.stream().collect(Collectors.toMap(Case::name, Case::recordsPerSecond));
        return rows.stream().filter((row) -> row.client().startsWith(OURS) &&
            row.metric().equals(Metric.RECORDS_PER_SECOND.key()) && due.containsKey(row.caseName()) &&
            row.summary().median() < LEAST_OF_DUE * due.get(row.caseName()))
            .map((row) -> String.format(Locale.ROOT, "%s, %s: %.1f records/s, less than %.1f of the %d that were due",
            row.caseName(), row.client(), row.summary().median(), LEAST_OF_DUE, due.get(row.caseName()))).toList();
    }
}
