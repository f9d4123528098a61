// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.HdrHistogram.Histogram;
import org.apache.kafka.common.config.TopicConfig;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.IntervalLog;
import org.odradek.benchmarks.report.IntervalLog.Interval;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.internal.JavaProcessBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** {@code bench sle}: the highest rate at which a latency is kept, on three brokers with three replicas. */
@Command(name = "sle",
    description = "Looks for the highest rate at which a latency is kept: three brokers, three replicas, 1,000 bytes.")
@Facts(quickSeconds = 150, seconds = 2_140, columns = {"recordsPerSecond", "latencyP50Us", "latencyP99Us",
    "latencyP999Us", "processCpuPercent", "recordsPerSecondToStock"})
public final class Sle extends Scenario.OnCluster
{
    static final int PARTITIONS = 3;
    private static final int BROKERS = 3;
    /** Bytes kept of each log: more than two cores can write in a minute, so no record is deleted before it is read. */
    private static final int KEPT_BYTES = 1 << 30;
    private static final Map<String, String> KEEP_THE_END = Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1",
        TopicConfig.RETENTION_BYTES_CONFIG, String.valueOf(KEPT_BYTES),
        TopicConfig.SEGMENT_BYTES_CONFIG, String.valueOf(KEPT_BYTES / 16),
        TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, "1000");
    private static final int FIRST_RATE = 3_000;
    private static final int HIGHEST_RATE = 3_000_000;
    private static final Settings SHARED = Arms.LIVE.with("valueLength", 1_000, "lingerMs", 0, "acks", "1");
    private static final List<Level> LEVELS = List.of(
        new Level("p99 < 200 ms in 10 s", 99, 200, 10, 2),
        new Level("p99 < 20 ms in 10 s", 99, 20, 10, 2),
        new Level("p99.9 < 50 ms in 60 s", 99.9, 50, 60, 1));
    private static final List<Level> QUICK_LEVELS = List.of(new Level("p99 < 200 ms in 4 s", 99, 200, 4, 1));

    @Option(names = "--java-home", paramLabel = "DIR",
        description = "JDK 17 or later in which the clients run (default: this one).")
    private Path javaHome = Path.of(System.getProperty("java.home"));
    @Option(names = "--collector", defaultValue = "G1", paramLabel = "NAME",
        description = "Of the clients' garbage: ${COMPLETION-CANDIDATES}; EPSILON is for ours alone " +
            "(default: ${DEFAULT-VALUE}).")
    private Collector collector;

    /** The garbage collectors that can be compared. EPSILON collects nothing, so a client that allocates ends. */
    enum Collector
    {
        G1("-XX:+UseG1GC"), SERIAL("-XX:+UseSerialGC"), PARALLEL("-XX:+UseParallelGC"), ZGC("-XX:+UseZGC"),
        EPSILON("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC");

        private final List<String> flags;

        Collector(final String... flags)
        {
            this.flags = List.of(flags);
        }

        Child.Jvm jvm(final Path java)
        {
            return new Child.Jvm(java, List.of("-Xms256m", "-Xmx256m")).with(flags);
        }
    }

    /**
     * What is promised: a percentile that stays below a limit in a window of some seconds.
     *
     * @param halvings how often the gap between a rate that kept the level and one that did not is halved.
     */
    record Level(String caseName, double percentile, int limitMs, int seconds, int halvings)
    {
        boolean isKeptBy(final Usage usage)
        {
            return usage.hasLatency() &&
                usage.latencyHistogram().getValueAtPercentile(percentile) < TimeUnit.MILLISECONDS.toNanos(limitMs);
        }
    }

    /**
     * What is looked for, and how closely. In each round every client has a turn, with all levels in it.
     *
     * @param firstPracticeSeconds before the first turn of all: brokers and producers are cold as well.
     * @param practiceSeconds      before each other turn, at the first rate. Nothing is kept of it.
     * @param warmUpSeconds        of each rate, before its window.
     * @param jvm                  in which the clients run. Brokers and producers run on this one.
     */
    record Plan(List<Level> levels, List<Arm> arms, int rounds, int firstPracticeSeconds, int practiceSeconds,
        int warmUpSeconds, int firstRate, int highestRate, Child.Jvm jvm)
    {
    }

    /** One rate tried once: records a second over all partitions, and the usage of all consumers together. */
    record Probe(int round, Level level, String client, int rate, boolean isKept, Usage usage)
    {
    }

    @Override
    protected void check(final OptionCheck check)
    {
        check.that(Files.isExecutable(java()), "--java-home must be a JDK with bin/java, not " + javaHome + ".");
        super.check(check);
    }

    private Path java()
    {
        return javaHome.resolve("bin").resolve("java");
    }

    private Plan plan()
    {
        final List<Arm> arms = collector == Collector.EPSILON ? List.of(Arms.ODRADEK) :
            isQuick() ? List.of(Arms.ODRADEK, Arms.STOCK) : List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_DEFAULTS);
        final Child.Jvm jvm = collector.jvm(java());
        return isQuick() ? new Plan(QUICK_LEVELS, onChosenJvm(arms), 1, 10, 3, 1, FIRST_RATE, HIGHEST_RATE, jvm) :
            new Plan(LEVELS, onChosenJvm(arms), 2, 60, 10, 3, FIRST_RATE, HIGHEST_RATE, jvm);
    }

    @Override
    protected List<BrokerSettings> brokers()
    {
        // By default a broker looks for what it may delete every five minutes: 20 GB here.
        return Collections.nCopies(BROKERS, new BrokerSettings().set("log.retention.check.interval.ms", "5000"));
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        try (CaseTopic topic = new CaseTopic(cluster, "sle", PARTITIONS, 1, KEEP_THE_END))
        {
            final List<Probe> probes = new Search(plan(), cluster, topic.name(), this::say).run();
            return new Results(rows(probes), List.of(), json() == null ? List.of() : writeLogs(json(), probes));
        }
    }

    @Override
    protected Map<String, Object> settings() throws IOException
    {
        final Plan plan = plan();
        final Map<String, Object> settings = Environment.ordered(
            "brokers", bootstrap() == null ? BROKERS + ", each in its own JVM on this machine" : "given",
            "replicas", bootstrap() == null ? BROKERS : "the cluster's default",
            "partitions", PARTITIONS, "producers", PARTITIONS, "consumers", PARTITIONS,
            "keptBytesPerPartition", KEPT_BYTES,
            "levels", plan.levels.stream().map(Level::caseName).toList(),
            "halvings", plan.levels.stream().map(Level::halvings).toList(),
            "clients", plan.arms.stream().map(Arm::name).toList(),
            "firstRate", plan.firstRate, "rounds", plan.rounds, "firstPracticeSeconds", plan.firstPracticeSeconds,
            "practiceSeconds", plan.practiceSeconds, "warmUpSeconds", plan.warmUpSeconds);
        settings.putAll(SHARED.values());
        settings.put("clientJvmFlags", plan.jvm.flags());
        settings.put("clientJava", JavaProcessBuilder.versionOf(java()).map(Runtime.Version::toString)
            .orElse("unknown: no file release in its folder"));
        return settings;
    }

    /** For each level and client the highest rate kept in each round, and what it was like there. */
    static List<Row> rows(final List<Probe> probes)
    {
        final int rounds = 1 + probes.stream().mapToInt(Probe::round).max().orElseThrow();
        final Map<Level, Rows> rows = new LinkedHashMap<>();
        for (final List<Probe> tried : ofLevelAndClient(probes))
        {
            final Probe[] best = new Probe[rounds];
            tried.stream().filter(Probe::isKept).sorted(Comparator.comparingInt(Probe::rate))
                .forEach((probe) -> best[probe.round] = probe);
            final String client = tried.get(0).client;
            rows.computeIfAbsent(tried.get(0).level, (level) -> new Rows("sle", level.caseName))
                .add(client, Metric.RECORDS_PER_SECOND,
                Arrays.stream(best).mapToDouble((probe) -> probe == null ? 0 : probe.rate).toArray())
                // Only the rounds in which the level was kept.
                .add(Map.of(client, Arrays.stream(best).filter(Objects::nonNull).map(Probe::usage)
                .toArray(Usage[]::new)), Metric.P50, Metric.P99, Metric.P999, Metric.PROCESS_CPU);
        }
        return rows.values().stream().flatMap((ofLevel) ->
            ofLevel.addRatio(Arms.ODRADEK.name(), Metric.RECORDS_PER_SECOND, Rival.STOCK).list().stream()).toList();
    }

    private static Collection<List<Probe>> ofLevelAndClient(final List<Probe> probes)
    {
        return probes.stream().collect(Collectors.groupingBy((probe) -> List.of(probe.level, probe.client),
            LinkedHashMap::new, Collectors.toList())).values();
    }

    /** A histogram log for each level and client: an interval for each rate tried, whose tag says the rate. */
    static List<Attachment> writeLogs(final Path json, final List<Probe> probes) throws IOException
    {
        final List<Attachment> logs = new ArrayList<>();
        for (final List<Probe> tried : ofLevelAndClient(probes))
        {
            final String level = tried.get(0).level.caseName;
            final String client = tried.get(0).client;
            logs.add(IntervalLog.write(json, new Attachment(level + ", " + client, Attachment.HLOG,
                Attachment.fileName("sle", level, client, "hlog")), tried.stream().map((probe) -> new Interval(
                probe.rate + "-per-second", probe.usage.latencyHistogram(), probe.level.seconds)).toList()));
        }
        return logs;
    }

    /**
     * Round by round and client by client, level after level, the search for the highest rate. A client is one consumer
     * for each partition, each in its own JVM.
     */
    static final class Search
    {
        private final List<Child> producers = new ArrayList<>();
        /** The consumers of the client whose turn it is. */
        private final List<Child> consumers = new ArrayList<>();
        private final List<Probe> probes = new ArrayList<>();
        private final Plan plan;
        private final Settings settings;
        private final Consumer<String> progress;

        Search(final Plan plan, final Cluster cluster, final String topic, final Consumer<String> progress)
        {
            this.plan = plan;
            this.progress = progress;
            settings = SHARED.with("bootstrap", cluster.bootstrap(), "topic", topic);
        }

        interface Trial
        {
            boolean isKept(int rate) throws InterruptedException;
        }

        /** @return every rate that was tried, in the order of trying. */
        List<Probe> run() throws InterruptedException
        {
            try
            {
                IntStream.range(0, PARTITIONS).forEach((partition) -> producers.add(
                    Child.producer(settings.with("partitions", partition, "recordsPerSecond", 1))));
                producers.forEach(Child::awaitStart);
                int practiceSeconds = plan.firstPracticeSeconds;
                for (int round = 0; round < plan.rounds; round++)
                {
                    for (final int index : TurnOrder.ofRound(round, plan.arms.size()))
                    {
                        turn(round, plan.arms.get(index), practiceSeconds);
                        practiceSeconds = plan.practiceSeconds;
                    }
                }
            }
            finally
            {
                producers.forEach(Child::close);
            }
            return probes;
        }

        private void turn(final int round, final Arm arm, final int practiceSeconds) throws InterruptedException
        {
            try
            {
                IntStream.range(0, PARTITIONS).forEach((partition) -> consumers.add(
                    arm.start(settings.with("partitions", partition), plan.jvm)));
                consumers.forEach(Child::awaitStart);
                read(plan.firstRate, practiceSeconds, 0);
                int firstRate = plan.firstRate;
                for (final Level level : plan.levels)
                {
                    final int held = highestKept(firstRate, plan.highestRate, level.halvings,
                        (rate) -> isKept(round, level, arm.name(), rate));
                    // The next level is tighter, so it breaks near where this one does or below.
                    firstRate = Math.max(plan.firstRate, held / 2);
                }
            }
            finally
            {
                consumers.forEach(Child::close);
                consumers.clear();
            }
        }

        /**
         * Doubles the rate until one is not kept, then halves the gap between that and the last that was. Returns the
         * highest rate that was kept, 0 if none was.
         */
        static int highestKept(final int first, final int highest, final int halvings, final Trial trial)
            throws InterruptedException
        {
            int held = 0;
            int broken = first;
            while (held < highest && trial.isKept(broken))
            {
                held = broken;
                broken = Math.min(2 * held, highest);
            }
            for (int i = 0; i < halvings && broken - held > 1; i++)
            {
                final int middle = held + (broken - held) / 2;
                final boolean isKept = trial.isKept(middle);
                held = isKept ? middle : held;
                broken = isKept ? broken : middle;
            }
            return held;
        }

        /**
         * A consumer that is behind at the end of the window shows it in its latencies, because a record's latency
         * counts from when it was due.
         */
        private boolean isKept(final int round, final Level level, final String client, final int rate)
            throws InterruptedException
        {
            final Usage usage = read(rate, plan.warmUpSeconds, level.seconds);
            final boolean isKept = level.isKeptBy(usage);
            probes.add(new Probe(round, level, client, rate, isKept, usage));
            progress.accept(String.format(Locale.ROOT, "round %d of %d, %s, %s, %,d/s: %s, p%s %.1f ms", round + 1,
                plan.rounds, level.caseName, client, rate, isKept ? "kept" : "not kept",
                String.valueOf(level.percentile).replaceFirst("\\.0$", ""), usage.latencyUs(level.percentile) / 1e3));
            return isKept;
        }

        /** @return what all consumers read and used in these seconds. */
        private Usage read(final int rate, final int warmUpSeconds, final int seconds) throws InterruptedException
        {
            consumers.forEach(Child::run);
            producers.forEach((producer) -> producer.run(rate / producers.size()));
            Child.warmUp(consumers, warmUpSeconds);
            producers.forEach(Child::measure);
            consumers.forEach(Child::measure);
            TimeUnit.SECONDS.sleep(seconds);
            final Usage sum = new Usage();
            final Histogram latency = Usage.histogram();
            sum.processCpuNs = 0;
            for (final Child consumer : consumers)
            {
                final Usage next = consumer.stop();
                latency.add(next.latencyHistogram());
                sum.records += next.records;
                sum.processCpuNs += next.processCpuNs;
                sum.wallNs += next.wallNs / consumers.size();
            }
            sum.latency = Usage.encode(latency);
            producers.forEach(Child::stop);
            return sum;
        }
    }
}
