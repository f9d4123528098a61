// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.List;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.rig.Scenario.Facts;
import picocli.CommandLine.Command;

/**
 * {@code bench migration}: what {@code bench catchup} reads from one partition, by the two ways on that a program for
 * the old SimpleConsumer has.
 */
@Command(name = "migration",
    description = "Reads prefilled partitions as fast as one thread can: ours, and the SimpleConsumer facade.")
@Facts(quickSeconds = 90, seconds = 420, columns = {"recordsPerSecond", "megabytesPerSecond", "threadCpuPerRecord",
    "processCpuPerRecord", "allocatedBytesPerRecord", "brokerCpuPercent", "recordsPerSecondToBareLoop",
    "recordsPerSecondToStock"})
public final class Migration extends PassScenario
{
    @Override
    CatchupRun.Plan plan()
    {
        return new CatchupRun.Plan(name(), onChosenJvm(List.of(Arms.ODRADEK, Arms.FACADE)),
            Catchup.CASES.subList(0, 3), passes(5, 5), isQuick());
    }
}
