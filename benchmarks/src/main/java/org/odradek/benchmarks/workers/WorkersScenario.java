// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Keys;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Prefill;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.TakenTurns;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code bench workers}: what does it cost to hand records to other threads, in order by key? From frames in memory and
 * from a broker, it lets each arm read and handle for a while, and subtracts what a handler on the polling thread
 * costs.
 */
@Command(name = WorkersScenario.NAME,
    description = "Hands records to other threads in order by key: ours, a bare ring buffer and its rivals.")
@Facts(quickSeconds = 130, seconds = 1_000, columns = {"recordsPerSecond", "processCpuPerRecord",
    "processCpuPerRecordOverDirect", "processAllocatedBytesPerRecord", "processCpuPerRecordToBareRing",
    "recordsPerSecondToStockPool", "processCpuPerRecordToStockPool",
    "processCpuPerRecordToParallelConsumer", "latencyP50Us"})
public final class WorkersScenario extends Scenario.OnCluster
{
    static final String NAME = "workers";
    static final String LEAST_TURN_MS = "leastTurnMs";
    static final Arm DIRECT = arm("direct", false);
    static final Arm BARE_RING = arm("bare-ring", false);
    static final Arm ODRADEK = arm("odradek", false);
    static final Arm SPIN = ODRADEK.as("odradek-spin", "isSpinning", true);
    static final Arm POOL = arm("stock-pool", true);
    /**
     * One call for each record takes several times as much CPU. A new member handles few records in its first second.
     * With the heap of the others, the JVM fails with an OutOfMemoryError after about ten members.
     */
    static final Arm PARALLEL = arm("parallel-consumer", true)
        .as("parallel-consumer", "batchSize", 100, LEAST_TURN_MS, 5_000, "jvmFlags", "-Xms2g -Xmx2g");
    static final List<Arm> ARMS = List.of(DIRECT, BARE_RING, ODRADEK, SPIN, POOL, PARALLEL);
    private static final int[] BUSY_US = {0, 1, 10};
    static final List<Case> CASES = cases();
    private static final String NEEDS_BROKER = "needsBroker";
    private static final int VALUE_LENGTH = 100;
    private static final int RATE = 5_000;
    /** As catchup has them, but the stock client takes as many records a poll as ours. */
    private static final Settings SHARED = Settings.of("fetchMaxBytes", 2 << 20, "partitionMaxBytes", 2 << 20,
        "fetchMinBytes", 1, "fetchMaxWaitMs", 500, "checkCrcs", true, "recordLimit", 1_000,
        "valueLength", VALUE_LENGTH, "rate", RATE);
    private static final Child.Jvm JVM = Child.Jvm.STANDARD.with(List.of("-XX:MaxDirectMemorySize=512m"));
    private static final int CALIBRATED_STEPS = 50_000_000;
    private static final int CALIBRATIONS = 4;

    @Range
    @Option(names = "--passes", paramLabel = "N",
        description = "Measured turns of each client in each case (default: 5, with --quick 3).")
    private Integer passes;
    @Option(names = "--cases", paramLabel = "REGEX",
        description = "Only the cases whose names match, from those of the full form.")
    private String pattern;

    /**
     * @param keys   as {@link Keys} has them.
     * @param busyUs of the handler, or {@link #TRICKLE}.
     */
    record Case(boolean isReplay, int workers, String keys, int busyUs)
    {
        static final int TRICKLE = -1;

        boolean isTrickle()
        {
            return busyUs == TRICKLE;
        }

        String group()
        {
            return (isReplay ? "replay, " : "broker, ") + (workers == 1 ? "1 worker" : workers + " workers") +
                (keys.equals(Keys.ZIPF) ? ", Zipf" : "") + (isTrickle() ? ", 5,000/s" : "");
        }

        String name()
        {
            return group() + (isTrickle() ? "" : ", " + busyUs + " us");
        }

        String command(final Effort effort)
        {
            return isTrickle() ? WorkersTask.TRICKLE + " " + effort.trickleMs() :
                Child.PASS + " " + busyUs + " " + effort.ms();
        }

        String words(final Usage usage)
        {
            return isTrickle() ? String.format(Locale.ROOT, "p50 %.1f us", usage.latencyUs(50)) :
                String.format(Locale.ROOT, "%.2f M records/s, %.0f ns", usage.perSecond(usage.records) / 1e6,
                (double)usage.processCpuNs / usage.records);
        }

        /** Three threads that spin on two cores would measure the scheduler; the rivals read from brokers only. */
        private boolean has(final Arm arm)
        {
            return !(arm.settings().is(NEEDS_BROKER) && isReplay || arm.settings().is("isSpinning") && workers > 1 ||
                isTrickle() && arm.name().equals(DIRECT.name()));
        }
    }

    /**
     * @param ms        of a turn, after a quarter of it that is not measured.
     * @param trickleMs of a turn of the trickle.
     */
    record Effort(int warmUpTurns, int turns, int ms, int trickleMs, int recordsOfLog, int recordsOfReplay)
    {
    }

    private static Arm arm(final String name, final boolean needsBroker)
    {
        return new Arm(name, (arm, settings, jvm) -> Child.start(arm, WorkersTask.class, settings, jvm),
            Settings.of("arm", name, NEEDS_BROKER, needsBroker));
    }

    private static List<Case> cases()
    {
        final List<Case> cases = new ArrayList<>();
        for (final boolean isReplay : new boolean[] {true, false})
        {
            IntStream.of(BUSY_US).forEach((us) -> cases.add(new Case(isReplay, 1, Keys.UNIFORM, us)));
            IntStream.of(BUSY_US).forEach((us) -> cases.add(new Case(isReplay, 2, Keys.UNIFORM, us)));
            IntStream.of(BUSY_US).forEach((us) -> cases.add(new Case(isReplay, 2, Keys.ZIPF, us)));
        }
        cases.add(new Case(true, 1, Keys.UNIFORM, Case.TRICKLE));
        return cases;
    }

    private Effort effort()
    {
        final int turns = passes != null ? passes : isQuick() ? 3 : 5;
        return isQuick() ? new Effort(1, turns, 400, 1_000, 2_000_000, 400_000) :
            new Effort(2, turns, 500, 2_000, 5_000_000, 400_000);
    }

    private List<Case> chosen()
    {
        return CASES.stream().filter((each) -> pattern != null ? each.name().matches(pattern) :
            !isQuick() || each.busyUs() <= 0 && each.keys().equals(Keys.UNIFORM)).toList();
    }

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.cases(pattern, !chosen().isEmpty(), CASES.get(0).name());
    }

    @Override
    protected Results run(final Cluster cluster)
    {
        return run(cluster, onChosenJvm(ARMS), chosen(), effort(), SHARED, this::say);
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Map<String, Object> settings = Environment.ordered(
            "broker", Cluster.describe(bootstrap()),
            "cases", chosen().stream().map(Case::name).toList(),
            "keys", Keys.COUNT, "recordsOfLog", effort().recordsOfLog(), "recordsOfReplay", effort().recordsOfReplay(),
            "warmUpTurns", effort().warmUpTurns(), "turns", effort().turns(), "turnMs", effort().ms(),
            "trickleMs", effort().trickleMs(), "armJvmFlags", JVM.flags(),
            "parkUs", TimeUnit.NANOSECONDS.toMicros(OdradekHandling.PARK_NS),
            "stockPool", "at most " + StockPool.MOST_POLLS + " polls that are not handled");
        settings.putAll(SHARED.values());
        return settings;
    }

    /** All must have run: none needs anything that a machine may lack. */
    @Override
    protected boolean isComplete(final Results results)
    {
        return results.notRun().isEmpty();
    }

    static Results run(final Cluster cluster, final List<Arm> arms, final List<Case> cases, final Effort effort,
        final Settings shared, final Consumer<String> progress)
    {
        final Results results = new Results();
        final Settings common = shared.with("stepsPerUs", stepsPerUs());
        cases.stream().collect(Collectors.groupingBy(Case::keys, LinkedHashMap::new, Collectors.toList()))
            .forEach((keys, ofKeys) ->
            {
                try (CaseTopic topic = new CaseTopic(cluster, NAME, 1))
                {
                    final Settings settings = SHARED.with(common).with("keys", keys, "topic", topic.name());
                    if (!ofKeys.stream().allMatch(Case::isReplay))
                    {
                        Prefill.fill(keys + " keys", settings.with("bootstrap", cluster.bootstrap(),
                            "partitionCount", 1, "records", effort.recordsOfLog(), "codec", "none"), progress);
                    }
                    ofKeys.stream().collect(Collectors.groupingBy(Case::group, LinkedHashMap::new, Collectors.toList()))
                        .values().forEach((group) -> run(group, arms, effort,
                        settings.with(cluster.connection()), results, progress));
                }
            });
        return results;
    }

    /** The clients of a group stay from case to case. */
    private static void run(final List<Case> group, final List<Arm> arms, final Effort effort, final Settings settings,
        final Results results, final Consumer<String> progress)
    {
        final Case first = group.get(0);
        try (TakenTurns turns = new TakenTurns(NAME, null, JVM, progress, results.notRun()))
        {
            turns.start(first.group(), arms.stream().filter(first::has).toList(), settings.with(
                "isReplay", first.isReplay(), "workers", first.workers(),
                "records", first.isReplay() ? effort.recordsOfReplay() : effort.recordsOfLog()));
            for (final Case each : group)
            {
                final Map<String, Usage[]> taken = turns.run(each.name(), each.command(effort),
                    each == first ? effort.warmUpTurns() : 1, effort.turns(), each::words);
                results.rows().addAll(rows(each, taken).list());
            }
        }
    }

    private static Rows rows(final Case each, final Map<String, Usage[]> turns)
    {
        final Rows rows = new Rows(NAME, each.name());
        if (each.isTrickle())
        {
            return rows.add(turns, Metric.P50, Metric.P90, Metric.PROCESS_CPU);
        }
        rows.add(turns, Metric.RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD, Metric.PROCESS_ALLOCATED_PER_RECORD,
            Metric.PROCESS_CPU, Metric.COMPILER);
        final double[] direct = perRecord(turns.getOrDefault(DIRECT.name(), new Usage[0]));
        turns.forEach((client, usages) ->
        {
            if (!client.equals(DIRECT.name()) && direct.length > 0)
            {
                final double[] all = perRecord(usages);
                rows.add(client, Metric.PROCESS_CPU_OVER_DIRECT,
                    IntStream.range(0, all.length).mapToDouble((i) -> all[i] - direct[i]).toArray());
            }
        });
        return rows.addRatios(List.of(ODRADEK.name(), SPIN.name()),
            List.of(Metric.RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD),
            Rival.BARE_RING, Rival.STOCK_POOL, Rival.PARALLEL);
    }

    /** NaN for a turn without a record, which is in no row. */
    private static double[] perRecord(final Usage[] usages)
    {
        return Arrays.stream(usages).mapToDouble((usage) ->
            usage.records == 0 ? Double.NaN : (double)usage.processCpuNs / usage.records).toArray();
    }

    /** How many steps of busy work take a microsecond here: all arms do as many, however long these take them. */
    private static int stepsPerUs()
    {
        long leastNs = Long.MAX_VALUE;
        long result = 0;
        for (int i = 0; i < CALIBRATIONS; i++)
        {
            final long startNs = System.nanoTime();
            result += Tally.busy(CALIBRATED_STEPS, result);
            leastNs = Math.min(leastNs, System.nanoTime() - startNs);
        }
        // Never 0: it only keeps the result in use.
        return (int)(CALIBRATED_STEPS * 1_000L / leastNs) + (result == 0 ? 1 : 0);
    }
}
