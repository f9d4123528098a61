// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.ArrayList;
import java.util.List;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.clients.OdradekClient;
import org.odradek.benchmarks.clients.StockClient;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.scenarios.CatchupRun.Case;
import picocli.CommandLine.Command;

/**
 * {@code bench cores}: what {@code bench catchup} reads, by one process with 1, 2, 4 .. threads up to the cores of the
 * machine, each with a consumer and its shard of the partitions. How do throughput and CPU per record grow?
 */
@Command(name = "cores",
    description = "Reads a log with 1, 2, 4 .. threads of one process, each with its share: ours and the stock client.")
@Facts(quickSeconds = 50, seconds = 150,
    columns = {"recordsPerSecond", "megabytesPerSecond", "processCpuPerRecord", "brokerCpuPercent"})
public final class Cores extends PassScenario
{
    private static final int LEAST_PARTITIONS = 8;
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    @Override
    CatchupRun.Plan plan()
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
        return new CatchupRun.Plan(name(), onChosenJvm(arms), List.of(new Case(100, partitions, Case.NO_CODEC, true)),
            passes(3, 5), isQuick());
    }
}
