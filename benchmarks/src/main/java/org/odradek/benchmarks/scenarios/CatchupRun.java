// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.agrona.CloseHelper;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Prefill;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Case by case: fills a topic, starts every arm, lets them take turns round by round, compares their sums, makes rows.
 * A rival that cannot run is left out and named; ours and the bare loop must run.
 */
record CatchupRun(CatchupRun.Plan plan, Cluster cluster, Consumer<String> progress, Results results)
{
    private static final Metric[] METRICS = {Metric.RECORDS_PER_SECOND, Metric.MEGABYTES_PER_SECOND,
        Metric.THREAD_CPU_PER_RECORD, Metric.PROCESS_CPU_PER_RECORD, Metric.ALLOCATED_PER_RECORD,
        Metric.PROCESS_ALLOCATED_PER_RECORD, Metric.BROKER_CPU, Metric.COMPILER, Metric.CHECKPOINT_P50,
        Metric.CHECKPOINT_MAX};
    private static final List<String> MUST_RUN =
        List.of(Arms.ODRADEK.name(), Arms.BARE_LOOP.name(), Arms.FACADE.name());
    /** For all clients. With more records per poll the stock client is not faster: they leave the CPU's cache. */
    private static final Settings SHARED = Settings.of(
        "fetchMaxBytes", 2 << 20, "partitionMaxBytes", 2 << 20, "fetchMinBytes", 1, "fetchMaxWaitMs", 100,
        "recordLimit", 100_000, "stockRecordLimit", 1_000, "pollTimeoutMs", 1_000);
    private static final Child.Jvm JVM = Child.Jvm.STANDARD.with(List.of("-XX:MaxDirectMemorySize=256m"));
    private static final int WARM_UP_PASSES = 2;
    private static final int MOST_WARM_UP_TIMES = 5;
    private static final int BYTES_AROUND_VALUE = 8;
    /** A JVM compiles by how long it has run: who reads faster than this in a warm-up pass reads the topic again. */
    private static final double WARM_UP_BYTES_PER_SECOND = 150e6;

    /**
     * One topic and how it is read.
     *
     * @param partitions of the topic, all alike and all read by one consumer.
     * @param codec      of its batches, as Kafka names it.
     * @param job        of a stream engine that reads it; empty for a client alone.
     */
    record Case(int valueLength, int partitions, String codec, boolean isCheckingCrcs, String job)
    {
        static final String NO_CODEC = "none";

        Case(final int valueLength, final int partitions, final String codec, final boolean isCheckingCrcs)
        {
            this(valueLength, partitions, codec, isCheckingCrcs, "");
        }

        static Case plain(final int valueLength)
        {
            return new Case(valueLength, 1, NO_CODEC, true);
        }

        /** @return the length of a value, and what differs from one uncompressed partition whose CRCs are checked. */
        String name()
        {
            return valueLength + " B" + (codec.equals(NO_CODEC) ? "" : ", " + codec) +
                (partitions == 1 ? "" : ", " + partitions + " partitions") + (isCheckingCrcs ? "" : ", CRC off") +
                (job.isEmpty() ? "" : ", " + job);
        }

        /** @return whether the arm can read it: the bare loop knows one partition and no codec. */
        boolean isReadBy(final Arm arm)
        {
            return !arm.name().equals(Arms.BARE_LOOP.name()) && !arm.name().equals(Arms.ODRADEK_BUFFER.name()) ||
                 partitions == 1 && codec.equals(NO_CODEC);
        }
    }

    /**
     * How much of what is read how often.
     *
     * @param passes        measured passes of each arm over each topic.
     * @param warmUpPasses  passes before those, discarded; an arm that is done early reads again, {@link #warmUpNs()}.
     * @param bytesPerTopic about how long each log would be uncompressed; the number of records follows from it.
     */
    record Plan(String scenario, List<Arm> arms, List<Case> cases, int passes, int warmUpPasses, long bytesPerTopic)
    {
        Plan(final String scenario, final List<Arm> arms, final List<Case> cases, final int passes,
            final boolean isQuick)
        {
            this(scenario, arms, cases, passes, WARM_UP_PASSES, isQuick ? 125_000_000 : 600_000_000);
        }

        /** @return a number that gives every partition as many records. */
        long records(final Case each)
        {
            return bytesPerTopic / (each.valueLength() + BYTES_AROUND_VALUE) / each.partitions() * each.partitions();
        }

        /** @return how long a warm-up pass takes at least. */
        private long warmUpNs()
        {
            return Math.round(bytesPerTopic / WARM_UP_BYTES_PER_SECOND * 1e9);
        }

        Map<String, Object> settings(final String bootstrap)
        {
            final Map<String, Object> settings = Environment.ordered(
                "broker", Cluster.describe(bootstrap),
                "cases", cases.stream().map(Case::name).toList(),
                "records", cases.stream().map(this::records).toList(),
                "passes", passes, "warmUpPasses", warmUpPasses,
                "warmUpPassLeastMs", TimeUnit.NANOSECONDS.toMillis(warmUpNs()),
                "armJvmFlags", JVM.flags(),
                "checkCrcs", "true, except in cases named CRC off",
                "producerBatchSize", Prefill.BATCH_SIZE, "producerLingerMs", Prefill.LINGER_MS);
            settings.putAll(SHARED.values());
            return settings;
        }
    }

    /** A scenario on logs that are already there: what a subclass has is its {@link Plan}. */
    abstract static class OnLogs extends Scenario.OnCluster
    {
        @Range
        @Option(names = "--passes", paramLabel = "N",
            description = "Measured passes of each client over each topic (default: 5, with --quick 3; migration: 5).")
        private Integer passes;

        /** @return the passes of the quick or the full form, or those that the option says. */
        final int passes(final int quick, final int full)
        {
            return passes != null ? passes : isQuick() ? quick : full;
        }

        abstract Plan plan();

        @Override
        protected Results run(final Cluster cluster)
        {
            return new CatchupRun(plan(), cluster, this::say).run();
        }

        @Override
        protected Map<String, Object> settings()
        {
            return plan().settings(bootstrap());
        }
    }

    CatchupRun(final Plan plan, final Cluster cluster, final Consumer<String> progress)
    {
        this(plan, cluster, progress, new Results());
    }

    Results run()
    {
        for (final Case each : plan.cases())
        {
            try (CaseTopic topic =
                new CaseTopic(cluster, plan.scenario() + "-" + each.valueLength(), each.partitions()))
            {
                final Settings settings = SHARED.with("bootstrap", cluster.bootstrap(),
                    "topic", topic.name(), "records", plan.records(each),
                    "partitions", IntStream.range(0, each.partitions()).toArray(),
                    "partitionCount", each.partitions(), "checkCrcs", each.isCheckingCrcs(),
                    "valueLength", each.valueLength(), "codec", each.codec(), "job", each.job());
                final Usage written = Prefill.fill(each.name(), settings, progress);
                final Rows rows = new Rows(plan.scenario(), each.name());
                results.rows().addAll(rows(rows, runRounds(each, settings, written)).list());
            }
        }
        return results;
    }

    static Rows rows(final Rows rows, final Map<String, Usage[]> passes)
    {
        final List<Metric> compared = List.of(Metric.RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD);
        return rows.add(passes, METRICS)
            .addRatios(List.copyOf(passes.keySet()), compared.subList(0, 1), Rival.BARE_LOOP, Rival.STOCK)
            .addRatios(List.of(Arms.ODRADEK.name()), compared, Rival.BEST)
            .addRatios(List.of(Flink.ODRADEK), compared, Rival.FLINK_KAFKA);
    }

    private Map<String, Usage[]> runRounds(final Case each, final Settings settings, final Usage written)
    {
        final Map<String, Child> children = new LinkedHashMap<>();
        try
        {
            plan.arms().stream().filter(each::isReadBy).forEach((arm) -> start(each, settings, arm, children));
            final Map<String, Usage[]> measured = new LinkedHashMap<>();
            children.keySet().forEach((client) -> measured.put(client, new Usage[plan.passes()]));
            final List<String> clients = List.copyOf(children.keySet());
            for (int round = -plan.warmUpPasses(); round < plan.passes(); round++)
            {
                final boolean isWarmUp = round < 0;
                final StringBuilder rates = new StringBuilder();
                for (final int index : TurnOrder.ofRound(Math.max(0, round), clients.size()))
                {
                    final String client = clients.get(index);
                    final Usage pass = pass(children.get(client), client, written, isWarmUp ? plan.warmUpNs() : 0);
                    rates.append(String.format(Locale.ROOT, "  %s %.2f", client, pass.perSecond(pass.records) / 1e6))
                        .append(isWarmUp ? " (" + pass.warmUpSeconds + " s)" : "");
                    measured.get(client)[Math.max(0, round)] = pass;
                }
                progress.accept(each.name() + (isWarmUp ?
                    ": warm-up " + (round + plan.warmUpPasses() + 1) + " of " + plan.warmUpPasses() :
                    ": round " + (round + 1) + " of " + plan.passes()) + ", M records/s:" + rates);
            }
            return measured;
        }
        finally
        {
            children.values().forEach(Child::close);
        }
    }

    /** Opens its client now, so that one that cannot be opened is known before the rounds. */
    private void start(final Case each, final Settings settings, final Arm arm, final Map<String, Child> children)
    {
        try
        {
            children.put(arm.name(), arm.start(settings.with(cluster.connection()), JVM));
            children.get(arm.name()).awaitStart();
            children.get(arm.name()).ask(Child.OPEN);
        }
        catch (final Arm.MissingException | IllegalStateException ex)
        {
            if (MUST_RUN.contains(arm.name()))
            {
                throw ex;
            }
            CloseHelper.close(children.remove(arm.name()));
            final String reason = ex.getMessage().lines().limit(2).collect(Collectors.joining(" "));
            progress.accept(each.name() + ": without " + arm.name() + ": " + reason);
            results.notRun().add(new NotRun(plan.scenario(), each.name(), arm.name(), reason));
        }
    }

    /**
     * Lets a client make one pass, or more until the least time has passed, and returns the last one. The client rests
     * before it answers, so the broker has then finished its work for the pass.
     */
    private Usage pass(final Child child, final String client, final Usage written, final long leastNs)
    {
        final long startNs = System.nanoTime();
        Usage pass;
        long elapsedNs;
        do
        {
            final long brokerCpuNs = cluster.brokerCpuNs();
            pass = child.ask(Child.PASS, Usage.class);
            pass.mustHaveReadTheSameAs(written, client);
            pass.brokerCpuNs = cluster.brokerCpuNsSince(brokerCpuNs);
            elapsedNs = System.nanoTime() - startNs;
        }
        while (elapsedNs < leastNs || elapsedNs < MOST_WARM_UP_TIMES * leastNs &&
            !Child.isQuiet(pass.compilerMs, Math.max(1, pass.seconds())));
        pass.warmUpSeconds = Math.round(elapsedNs / 1e9);
        return pass;
    }
}
