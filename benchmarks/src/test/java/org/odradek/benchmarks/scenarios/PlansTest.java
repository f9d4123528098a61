// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Drift;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.scenarios.CatchupRun.Case;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PlansTest
{
    @Test
    void shouldNameWhatDiffersFromOnePlainPartition()
    {
        assertEquals(
            List.of("23 B", "100 B", "1000 B", "100 B, lz4", "100 B, zstd", "23 B, CRC off", "23 B, 8 partitions",
                "100 B, 8 partitions", "1000 B, 8 partitions"),
            Catchup.CASES.stream().map(Case::name).toList());
        assertTrue(Catchup.CASES.containsAll(Catchup.QUICK_CASES));
    }

    @Test
    void shouldNameWhatAJobOfFlinkDoes()
    {
        assertEquals(List.of("23 B, chained", "100 B, chained", "1000 B, chained", "23 B, keyed", "23 B, checkpoints"),
            Flink.CASES.stream().map(Case::name).toList());
        assertTrue(Flink.CASES.containsAll(Flink.QUICK_CASES));
    }

    @Test
    void shouldGiveEveryPartitionTheSameNumberOfRecords()
    {
        final Case three = new Case(100, 3, Case.NO_CODEC, true);
        final CatchupRun.Plan plan = new CatchupRun.Plan("catchup", Catchup.ARMS, List.of(three), 1, 1, 1_080_000);

        assertEquals(9_999, plan.records(three));
    }

    @Test
    void shouldGiveTheBareLoopOnlyWhatItCanRead()
    {
        assertTrue(Case.plain(23).isReadBy(Arms.BARE_LOOP));
        assertTrue(new Case(23, 1, Case.NO_CODEC, false).isReadBy(Arms.BARE_LOOP));
        assertFalse(new Case(23, 8, Case.NO_CODEC, true).isReadBy(Arms.BARE_LOOP));
        assertFalse(new Case(23, 1, "lz4", true).isReadBy(Arms.BARE_LOOP));
        assertTrue(new Case(23, 8, "lz4", true).isReadBy(Arms.STOCK_NEW));
    }

    @Test
    void shouldNameRoundTripPartitionsAndWhatDiffers()
    {
        assertEquals(List.of("0 ms, 8 partitions", "1 ms, 8 partitions", "20 ms, 8 partitions", "80 ms, 8 partitions",
            "20 ms, 8 partitions, cubic, loss 0.1 %", "20 ms, 1 partition", "20 ms, 64 partitions",
            "80 ms, 64 partitions", "20 ms, 8 partitions, 100 B", "20 ms, 8 partitions, send buffer -1",
            "20 ms, 1 partition, send buffer -1", "20 ms, 8 partitions, TLS", "80 ms, 8 partitions, no window"),
            Distance.CASES.stream().map(DistancePlan.Case::name).toList());
    }

    @Test
    void shouldGiveConnectionsTimeToGrowInProportionToTheDistance()
    {
        final Distance distance = new Distance();
        new CommandLine(distance).parseArgs("--cases", "(0|1|20|80) ms, 8 partitions");

        assertEquals(List.of(200, 400, 4_200, 12_000),
            distance.plan().cases().stream().map(distance.plan()::rampMs).toList());
    }

    @Test
    void shouldNameACaseOfLatencyByItsRate()
    {
        final Latency latency = new Latency();
        new CommandLine(latency).parseArgs("--rates", "50000");

        assertEquals("50,000/s", latency.plan().cases().get(0).name());
    }

    @Test
    void shouldChooseCasesByTheirNames()
    {
        final Signalfx signalfx = new Signalfx();
        new CommandLine(signalfx).parseArgs("--cases", "5000/s, linger 0 ms(, budget 2 ms)?");

        assertEquals(List.of("5000/s, linger 0 ms", "5000/s, linger 0 ms, budget 2 ms"),
            signalfx.plan().cases().stream().map(LiveScenario.Case::name).toList());
    }

    @Test
    void shouldCompareWithAnEarlierBuildTwiceInAnotherOrderForEachRepeat(@TempDir final Path folder) throws IOException
    {
        Files.writeString(Files.createDirectories(folder.resolve("target/odradek")).resolve("benchmarks.classpath"),
            "earlier");
        final List<String> orders = new ArrayList<>();
        for (int repeat = 1; repeat <= 3; repeat++)
        {
            final Signalfx signalfx = new Signalfx();
            new CommandLine(signalfx).parseArgs("--before", folder.toString(), "--drift", Integer.toString(repeat));
            final LiveScenario.Plan plan = signalfx.plan();
            orders.add(plan.arms().stream().map((arm) -> arm.name() + "=" +
                arm.settings().values().get(Child.CLASS_PATH)).collect(Collectors.joining(" ")));
            assertEquals(List.of(), plan.flameGraphs().clients());
            assertTrue(plan.cases().stream().allMatch((each) -> each.clients().containsAll(Drift.base("odradek"))));
        }

        assertEquals(List.of(
            "odradek-before-again=earlier odradek=null odradek-before=earlier",
            "odradek-before=earlier odradek-before-again=earlier odradek=null",
            "odradek=null odradek-before=earlier odradek-before-again=earlier"), orders);
    }

    @Test
    void shouldWriteManyPartitionsBeforeAnyoneReads()
    {
        final Signalfx.Many many = new Signalfx.Many();
        new CommandLine(many).parseArgs();

        assertEquals(10, many.plan().shared().number(LiveScenario.PRODUCER_WARM_UP_SECONDS));
    }
}
