// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.P50;
import static org.odradek.benchmarks.report.Metric.P99;
import static org.odradek.benchmarks.report.Metric.P999;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.RECORDS_PER_SECOND;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.scenarios.SleRun.Level;
import org.odradek.testkit.JavaProcessBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench sle}: the highest rate at which a latency is kept, on three brokers with three replicas.
 */
@Command(name = Sle.NAME,
    description = "Looks for the highest rate at which a latency is kept: three brokers, three replicas, 1,000 bytes.")
public final class Sle extends Scenario.OnCluster
{
    static final String NAME = "sle";
    private static final int BROKERS = 3;
    private static final List<Level> LEVELS = List.of(
        new Level("p99 < 200 ms in 10 s", 99, 200, 10, 2),
        new Level("p99 < 20 ms in 10 s", 99, 20, 10, 2),
        new Level("p99.9 < 50 ms in 60 s", 99.9, 50, 60, 1));
    private static final List<Level> QUICK_LEVELS = List.of(new Level("p99 < 200 ms in 4 s", 99, 200, 4, 1));
    private static final int FIRST_RATE = 3_000;
    private static final int HIGHEST_RATE = 3_000_000;

    @Option(names = "--java-home", paramLabel = "DIR",
        description = "JDK 17 or later in which the clients run (default: this one).")
    private Path javaHome = Path.of(System.getProperty("java.home"));
    @Option(names = "--collector", defaultValue = "G1", paramLabel = "NAME",
        description = "Of the clients' garbage: ${COMPLETION-CANDIDATES}; EPSILON is for ours alone " +
            "(default: ${DEFAULT-VALUE}).")
    private Collector collector;

    /** The garbage collectors that can be compared. */
    enum Collector
    {
        G1("-XX:+UseG1GC"),
        SERIAL("-XX:+UseSerialGC"),
        PARALLEL("-XX:+UseParallelGC"),
        ZGC("-XX:+UseZGC"),
        /** For ours only: it collects nothing, so a client that allocates ends. */
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

    private SleRun.Plan plan()
    {
        final List<Arm> arms = collector == Collector.EPSILON ? List.of(Arms.ODRADEK) :
            isQuick() ? List.of(Arms.ODRADEK, Arms.STOCK) : List.of(Arms.ODRADEK, Arms.STOCK, Arms.STOCK_DEFAULTS);
        return new SleRun.Plan(isQuick() ? QUICK_LEVELS : LEVELS, onChosenJvm(arms),
            isQuick() ? new SleRun.Timing(1, 15, 4, 2) : new SleRun.Timing(2, 60, 10, 3), FIRST_RATE, HIGHEST_RATE,
            collector.jvm(java()));
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 120 : 2_140;
    }

    @Override
    protected Results runOnOwnCluster() throws Exception
    {
        // By default a broker looks for what it may delete every five minutes: 20 GB here.
        return runOnOwnBrokers(BROKERS, Map.of("log.retention.check.interval.ms", "5000"), this::run);
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        try (CaseTopic topic = new CaseTopic(
            cluster, NAME, SleRun.PARTITIONS, 1, CaseTopic.keeping(SleRun.KEPT_BYTES)))
        {
            return new SleRun(plan(), cluster, topic.name(), this::say).run(json());
        }
    }

    @Override
    protected Map<String, Object> settings() throws IOException
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("brokers", bootstrap() == null ? BROKERS + ", each in its own JVM on this machine" : "given");
        settings.put("replicas", bootstrap() == null ? BROKERS : "the cluster's default");
        settings.putAll(plan().settings());
        settings.put("clientJava", JavaProcessBuilder.versionOf(java()).map(Runtime.Version::toString)
            .orElse("unknown: no file release in its folder"));
        return settings;
    }

    @Override
    protected List<String> columns()
    {
        return List.of(RECORDS_PER_SECOND.key(), P50.key(), P99.key(), P999.key(), PROCESS_CPU.key(),
            RECORDS_PER_SECOND.to(Rival.STOCK));
    }
}
