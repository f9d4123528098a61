// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.clients.OdradekClient;
import org.odradek.benchmarks.clients.StockClient;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.scenarios.CatchupPlan.Case;
import picocli.CommandLine.Command;

/**
 * {@code bench cores}: what {@code bench catchup} reads, by one process with 1, 2, 4 .. threads up to the cores of the
 * machine, each with a consumer and its shard of the partitions. How do throughput and CPU per record grow?
 */
@Command(name = Cores.NAME, description =
    "Reads a log with 1, 2, 4 .. threads of one process, each with its share: ours and the stock client.")
public final class Cores extends Scenario.OnCluster
{
    static final String NAME = "cores";
    private static final int LEAST_PARTITIONS = 8;
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    private static final int PASSES = 5;
    private static final int QUICK_PASSES = 3;

    private CatchupPlan plan()
    {
        final List<Arm> arms = new ArrayList<>();
        int partitions = LEAST_PARTITIONS;
        for (int threads = 1; threads <= CORES; threads *= 2)
        {
            final String name = threads == 1 ? ", 1 thread" : ", " + threads + " threads";
            arms.add(Arms.threads(Arms.ODRADEK.name() + name, OdradekClient.class, threads));
            arms.add(Arms.threads(Arms.STOCK.name() + name, StockClient.class, threads));
            partitions = Math.max(partitions, threads);
        }
        return CatchupPlan.of(NAME, onChosenJvm(arms), List.of(new Case(100, partitions, Case.NO_CODEC, true)),
            isQuick() ? QUICK_PASSES : PASSES, isQuick());
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 50 : 150;
    }

    @Override
    protected Results run(final Cluster cluster) throws Exception
    {
        return new CatchupRun(plan(), cluster, this::say).run();
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(bootstrap());
    }

    @Override
    protected List<String> columns()
    {
        return List.of(Metric.RECORDS_PER_SECOND.key(), Metric.MEGABYTES_PER_SECOND.key(),
            Metric.PROCESS_CPU_PER_RECORD.key(), Metric.BROKER_CPU.key());
    }
}
