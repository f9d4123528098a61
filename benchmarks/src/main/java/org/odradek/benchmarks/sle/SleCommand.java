// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.OptionCheck;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.RowTable;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSettings;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench sle}: checks its options, provides the cluster, and says how it ended.
 */
@Command(
    name = "sle",
    description = "Looks for the highest rate at which a latency is kept: three brokers, three replicas, 1,000 bytes.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class SleCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Option(names = "--java-home", paramLabel = "DIR",
        description = "JDK 17 or later in which the clients run (default: this one).")
    private Path javaHome = Path.of(System.getProperty("java.home"));

    @Option(names = "--collector", defaultValue = "G1", paramLabel = "NAME",
        description = "Of the clients' garbage: ${COMPLETION-CANDIDATES}; EPSILON is for ours alone " +
            "(default: ${DEFAULT-VALUE}).")
    private Collector collector;

    @Option(names = "--quick",
        description = "Two clients, one round and level, windows of 4 s, refined once: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster instead of three brokers of its own; it must share this machine's clock.")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there as well.")
    private Path json;

    @Override
    public Integer call() throws Exception
    {
        checkOptions();
        final long startNs = System.nanoTime();
        final ClientJvm jvm = new ClientJvm(javaHome, collector);
        final SlePlan full = isQuick ? SlePlan.quick(jvm, bootstrap) : SlePlan.full(jvm, bootstrap);
        final SlePlan plan = collector == Collector.EPSILON ? full.withOursAlone() : full;
        say("about " + plan.expectedSeconds() + " s");
        final List<SleProbe> probes = bootstrap == null ? runOnOwnCluster(plan) : run(plan, bootstrap);

        final List<Row> rows = SleRows.of(probes);
        System.out.println();
        System.out.print(RowTable.format(rows, columns()));
        System.out.println();
        if (json != null)
        {
            new Report(Environment.describe(plan.settings()), rows, List.of(), SleLogs.write(json, probes))
                .writeTo(json);
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (json == null ? "" : ", results in " + json));
        return CommandLine.ExitCode.OK;
    }

    private static List<SleProbe> runOnOwnCluster(final SlePlan plan) throws Exception
    {
        say("starting " + SlePlan.BROKERS + " brokers");
        final List<BrokerSettings> settings = new ArrayList<>();
        for (int i = 0; i < SlePlan.BROKERS; i++)
        {
            settings.add(new BrokerSettings()
                // What is overloaded on purpose must not be taken for dead.
                .set("broker.session.timeout.ms", "60000")
                // By default a broker looks for what it may delete every five minutes: 20 GB here.
                .set("log.retention.check.interval.ms", "5000"));
        }
        try (BrokerCluster cluster = BrokerCluster.start(settings))
        {
            return run(plan, cluster.bootstrapServers());
        }
    }

    private static List<SleProbe> run(final SlePlan plan, final String bootstrap) throws InterruptedException
    {
        return new SleScenario(plan, bootstrap, SleCommand::say).run();
    }

    private static Map<String, String> columns()
    {
        final Map<String, String> columns = new LinkedHashMap<>();
        columns.put(SleRows.HELD, "records/s kept");
        columns.put("latencyP50Us", "p50 us");
        columns.put("latencyP99Us", "p99 us");
        columns.put("latencyP999Us", "p99.9 us");
        columns.put("processCpuPercent", "CPU % of consumers");
        columns.put(SleRows.TO_STOCK, "to better stock");
        return columns;
    }

    private static void say(final String line)
    {
        System.out.println("sle: " + line);
    }

    private void checkOptions()
    {
        new OptionCheck(spec).that(Files.isExecutable(javaHome.resolve("bin").resolve("java")),
            "--java-home must be a JDK with bin/java, not " + javaHome + ".")
            .bootstrap(bootstrap).writable("--json", json);
    }
}
