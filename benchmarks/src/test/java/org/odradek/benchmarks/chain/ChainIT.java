// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.chain.ChainScenario.Effort;
import org.odradek.benchmarks.chain.ChainTask.Result;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.testkit.EmbeddedBroker;
import picocli.CommandLine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The scenario in miniature: each step itself fails unless every message arrives exactly once and in order.
 */
@Tag("slow")
class ChainIT
{
    private static final int CHAINS = 2;
    private static final int ROUNDS = 2;
    private static final int WARM_UP_MS = 50;
    private static final int MEASURED_MS = 150;

    private static final Effort EFFORT =
        new Effort(ROUNDS, WARM_UP_MS, WARM_UP_MS, MEASURED_MS, 1, 1);

    @Test
    void shouldCarryEveryMessageThroughOurChainsAndWriteRowsAndLogs(@TempDir final Path folder) throws Exception
    {
        final Path file = folder.resolve("chain.json");
        final List<String> progress = new ArrayList<>();
        final Map<ChainArm, List<ChainSearch>> searches;
        try (EmbeddedBroker broker = EmbeddedBroker.start(ChainScenario.BROKER_SETTINGS))
        {
            final ChainScenario scenario = scenario("odradek-per-service,odradek-multiplexed", CHAINS, 5);
            final Results results = new Results();
            searches = scenario.search(
                Cluster.given(broker.bootstrapServers()), EFFORT, progress::add, results.notRun());
            results.rows().addAll(ChainRows.of("chain", searches));
            results.attachments().addAll(ChainRows.writeLogs(file, searches, MEASURED_MS / 1e3));
            results.toReport(scenario.settings()).writeTo(file);
            assertEquals(4 * ROUNDS, progress.size(), progress::toString);
        }

        assertEquals(List.of(ChainArm.PER_SERVICE, ChainArm.MULTIPLEXED), List.copyOf(searches.keySet()));
        searches.values().forEach((rounds) -> assertEquals(ROUNDS, rounds.size()));
        for (final ChainSearch search : searches.values().stream().flatMap(List::stream).toList())
        {
            final Result result = search.last(CHAINS);
            assertEquals(CHAINS * (WARM_UP_MS + MEASURED_MS), result.usage().records);
            assertEquals(CHAINS * MEASURED_MS, result.usage().latencyHistogram().getTotalCount());
            assertEquals(CHAINS * MEASURED_MS, Usage.decode(result.uncorrected()).getTotalCount());
        }
        final JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertEquals(2, json.get("attachments").size());
        for (final JsonNode attachment : json.get("attachments"))
        {
            final String log = Files.readString(folder.resolve(attachment.get("file").asText()));
            assertTrue(log.contains("Tag=" + CHAINS + "-chains-corrected,"), log);
        }
    }

    @Test
    void shouldCarryEveryMessageOfMoreChainsThanPartitionsWithEachProducer() throws Exception
    {
        final Effort oneRound = new Effort(1, WARM_UP_MS, WARM_UP_MS, MEASURED_MS, 1, 1);
        final int chains = KafkaChains.SHARED_PARTITIONS + 1;
        try (EmbeddedBroker broker = EmbeddedBroker.start(ChainScenario.BROKER_SETTINGS))
        {
            final Map<ChainArm, List<ChainSearch>> searches =
                scenario("stock-shared,odradek-shared,odradek-publisher,odradek-publisher-acks-all", chains, 5).search(
                Cluster.given(broker.bootstrapServers()), oneRound, (line) -> { }, new ArrayList<>());

            assertEquals(4, searches.size());
            searches.forEach((arm, rounds) ->
            {
                final Result result = rounds.get(0).last(chains);
                assertEquals(chains * (WARM_UP_MS + MEASURED_MS), result.usage().records);
                assertTrue(result.usage().threadCpuNs > 0, result::toString);
                // Our publisher has no thread of its own.
                assertEquals(arm.publisherAcks == null, result.producerCpuNs() > 0, result::toString);
            });
        }
    }

    @Test
    void shouldGoOnWithoutAnArmThatFails() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start(ChainScenario.BROKER_SETTINGS))
        {
            final int lingerNoProducerTakes = -1;
            final List<NotRun> notRun = new ArrayList<>();

            final Map<ChainArm, List<ChainSearch>> searches =
                scenario("odradek-multiplexed,chronicle-queue", CHAINS, lingerNoProducerTakes).search(
                Cluster.given(broker.bootstrapServers()), EFFORT, (line) -> { }, notRun);

            assertEquals(Set.of(ChainArm.CHRONICLE), searches.keySet());
            assertEquals(ROUNDS, searches.get(ChainArm.CHRONICLE).size());
            assertEquals(List.of(ChainArm.MULTIPLEXED.client),
                notRun.stream().map(NotRun::client).toList());
            final String reason = notRun.get(0).reason();
            assertTrue(reason.contains("linger"), reason);
        }
    }

    private static ChainScenario scenario(final String clients, final int chains, final int lingerMs)
    {
        final ChainScenario scenario = new ChainScenario();
        new CommandLine(scenario).parseArgs("--clients=" + clients, "--chains=" + chains, "--linger=" + lingerMs);
        return scenario;
    }
}
