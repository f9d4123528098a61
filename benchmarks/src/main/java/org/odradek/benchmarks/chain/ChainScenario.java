// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.chain.ChainRun.Effort;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench chain}: how many chains of five services fit on a machine? Where each chain has a partition of its own
 * at each step the broker is the limit, because it works by batch and partition. Where chains share four partitions a
 * batch holds the messages of many chains, and the client is the limit: what a message costs the stock producer, in the
 * threads that call it and in its own. The CPU of all of these is shown.
 */
@Command(name = ChainScenario.NAME,
    description = "Finds how many chains of five services, each 1,000 messages a second, keep p99.9 below 100 ms.")
public final class ChainScenario extends Scenario.OnCluster
{
    static final String NAME = "chain";
    /** The last step overloads the machine on purpose; the broker must not be taken for dead then. */
    static final Map<String, String> BROKER_SETTINGS = Map.of("broker.session.timeout.ms", "60000");
    private static final int MOST_CHAINS = 1_000;
    private static final int MOST_LINGER_MS = 100;
    /** Up to six of these are in a latency; the rest of the 100 ms is for what gets in the way. */
    private static final String LINGER_MS_DEFAULT = "10";

    @Option(names = "--clients", split = ",", paramLabel = "NAME",
        description = "Only these (default: article-stock, stock-timeout, stock-one-thread, stock-shared, " +
            "odradek-per-service, odradek-multiplexed, odradek-shared, chronicle-queue).")
    private List<String> clients;
    @Option(names = "--chains", defaultValue = "0", paramLabel = "N",
        description = "Run this number of chains only, instead of searching.")
    private int chains;
    @Option(names = "--linger", defaultValue = LINGER_MS_DEFAULT, paramLabel = "MS",
        description = "Linger of the producers of all clients that use Kafka (default: ${DEFAULT-VALUE}).")
    private int lingerMs;

    @Override
    protected void check(final OptionCheck check)
    {
        final List<String> known = Arrays.stream(ChainArm.values()).map(arm -> arm.client).toList();
        check.that(clients == null || known.containsAll(clients), "--clients must be among " +
            String.join(", ", known) + ".");
        check.that(chains >= 0 && chains <= MOST_CHAINS,
            "--chains must be between 1 and " + MOST_CHAINS + ", or 0 to search, not " + chains + ".");
        check.that(lingerMs >= 0 && lingerMs <= MOST_LINGER_MS,
            "--linger must be between 0 and " + MOST_LINGER_MS + ", not " + lingerMs + ".");
        super.check(check);
    }

    private ChainRun plan()
    {
        final List<ChainArm> arms = Arrays.stream(ChainArm.values())
            .filter(arm -> clients == null || clients.contains(arm.client)).toList();
        return new ChainRun(arms, chains, lingerMs, jvmSettings(), isQuick() ? Effort.QUICK : Effort.FULL);
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 180 : 1_590;
    }

    @Override
    protected Results runOnOwnCluster() throws Exception
    {
        return runOnOwnBroker(BROKER_SETTINGS, this::run);
    }

    @Override
    protected Results run(final Cluster cluster) throws IOException
    {
        final Results results = new Results();
        return plan().report(plan().search(cluster, this::say, results.notRun()), json(), results);
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", Cluster.describe(bootstrap()));
        settings.putAll(plan().settings());
        return settings;
    }

    @Override
    protected List<String> columns()
    {
        return List.of(Metric.CHAINS.key(), Metric.P50.key(), Metric.P99.key(), Metric.P999.key(), Metric.MAX.key(),
            Metric.UNCORRECTED_P999.key(), Metric.PROCESS_CPU.key(), Metric.THREAD_CPU.key(),
            Metric.PRODUCER_CPU.key(), Metric.BROKER_CPU.key());
    }

    @Override
    protected List<Row> shown(final List<Row> rows)
    {
        return rows.stream().filter(row ->
            row.caseName().equals(ChainRows.HIGHEST) || row.caseName().equals(ChainRows.LOWEST_BROKEN)).toList();
    }

    /** Each of our own arms must have run. */
    @Override
    protected boolean isComplete(final Results results)
    {
        return results.notRun().stream().noneMatch(left -> plan().arms().stream()
            .anyMatch(arm -> arm.isOurs() && arm.client.equals(left.client())));
    }
}
