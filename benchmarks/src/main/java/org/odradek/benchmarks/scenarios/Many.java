// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.LivePlan;
import org.odradek.benchmarks.rig.LivePlan.Case;
import org.odradek.benchmarks.rig.LivePlan.Timing;
import org.odradek.benchmarks.rig.LiveRun;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.testkit.BrokerSettings;
import picocli.CommandLine.Command;

/**
 * {@code bench many}: hundreds of partitions on three brokers, and 10,000 records a second over all of them. What does
 * one consumer of all partitions cost, itself and its brokers?
 */
@Command(name = "many", description = "Reads a trickle of small records from hundreds of partitions on three brokers.")
@Facts(quickSeconds = 120, seconds = 1_150, columns = {"threadCpuPercent", "processCpuPercent",
    "processCpuPercentToStock", "allocatedBytes", "fetchesPerSecond", "brokerCpuPercent", "latencyP50Us",
    "latencyP99Us"})
public final class Many extends LiveScenario
{
    private static final int BROKERS = 3;
    private static final int RECORDS_PER_SECOND = 10_000;
    private static final int LINGER_MS = 5;
    /** The first record of each partition makes files. */
    private static final int PRODUCER_WARM_UP_SECONDS = 10;
    private static final int[] PARTITIONS = {300, 1_000};
    private static final List<Arm> ARMS = List.of(
        Arms.ODRADEK, Arms.withBudget(Arms.ODRADEK, 2), Arms.STOCK, Arms.STOCK_DEFAULTS,
        Arms.withBudget(Arms.STOCK_TUNED, 2), Arms.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS = List.of(Arms.ODRADEK, Arms.STOCK, Arms.LIBRDKAFKA);

    @Override
    protected LivePlan plan()
    {
        return plan(PARTITIONS);
    }

    /** A topic is made for each number of partitions. */
    private LivePlan plan(final int... counts)
    {
        final List<Case> cases = IntStream.of(counts)
            .mapToObj(count -> new Case(count + " partitions", RECORDS_PER_SECOND, LINGER_MS)).toList();
        return new LivePlan(name(), cases, onChosenJvm(isQuick() ? QUICK_ARMS : ARMS), Signalfx.SHARED.with(
            "partitionCount", counts[0], LivePlan.PRODUCER_WARM_UP_SECONDS, PRODUCER_WARM_UP_SECONDS),
            timing(isQuick() ? new Timing(1, 5, 6, 2) : new Timing(5, 8, 15, 3)), Signalfx::rows);
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Map<String, Object> settings = super.settings();
        settings.put("brokers", bootstrap() == null ? BROKERS : "given");
        settings.put("recordsPerSecond", RECORDS_PER_SECOND);
        settings.put("producerLingerMs", LINGER_MS);
        settings.put("partitionCount", PARTITIONS);
        return settings;
    }

    @Override
    protected List<BrokerSettings> brokers()
    {
        // One replica: what brokers do for each other is in no figure.
        return Collections.nCopies(BROKERS, new BrokerSettings().set("default.replication.factor", "1"));
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        final Results all = new Results();
        for (final int count : PARTITIONS)
        {
            all.add(new LiveRun(plan(count), cluster, json(), this::say).run());
        }
        return all;
    }
}
