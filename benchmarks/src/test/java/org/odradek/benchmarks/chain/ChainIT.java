// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.Report;
import org.odradek.testkit.EmbeddedBroker;

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
@Timeout(600)
@Tag("slow")
class ChainIT
{
    private static final int CHAINS = 2;
    private static final int ROUNDS = 2;
    private static final int WARM_UP_MS = 50;
    private static final int MEASURED_MS = 150;

    @Test
    void shouldCarryEveryMessageThroughOurChainsAndWriteRowsAndLogs(@TempDir final Path folder) throws Exception
    {
        final Path file = folder.resolve("chain.json");
        final Map<ChainArm, List<ArmSteps>> searches;
        try (EmbeddedBroker broker = EmbeddedBroker.start(ChainCommand.BROKER_SETTINGS))
        {
            final String bootstrap = broker.bootstrapServers();
            final ChainPlan plan = new ChainPlan(List.of(ChainArm.PER_SERVICE, ChainArm.MULTIPLEXED), CHAINS, 5,
                new ChainEffort(ROUNDS, WARM_UP_MS, WARM_UP_MS, MEASURED_MS, 1, 1), bootstrap);
            final List<String> progress = new ArrayList<>();

            searches = new ChainScenario(plan, bootstrap, ChainSettings.NULL_PID, progress::add).run();

            new Report(Environment.describe(plan.settings()), ChainRows.of(searches), List.of(),
                HistogramLogs.write(file, searches, MEASURED_MS)).writeTo(file);
            assertEquals(4 * ROUNDS, progress.size(), progress::toString);
        }

        assertEquals(List.of(ChainArm.PER_SERVICE, ChainArm.MULTIPLEXED), List.copyOf(searches.keySet()));
        searches.values().forEach(rounds -> assertEquals(ROUNDS, rounds.size()));
        for (final ArmSteps search : searches.values().stream().flatMap(List::stream).toList())
        {
            final StepResult result = search.last(CHAINS);
            assertEquals(CHAINS * (WARM_UP_MS + MEASURED_MS), result.sent());
            assertEquals(CHAINS * MEASURED_MS, result.correctedHistogram().getTotalCount());
            assertEquals(CHAINS * MEASURED_MS, result.uncorrectedHistogram().getTotalCount());
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
    void shouldGoOnWithoutAnArmThatFails() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start(ChainCommand.BROKER_SETTINGS))
        {
            final String bootstrap = broker.bootstrapServers();
            final int lingerNoProducerTakes = -1;
            final ChainPlan plan = new ChainPlan(
                List.of(ChainArm.MULTIPLEXED, ChainArm.CHRONICLE), CHAINS, lingerNoProducerTakes,
                new ChainEffort(ROUNDS, WARM_UP_MS, WARM_UP_MS, MEASURED_MS, 1, 1), bootstrap);
            final ChainScenario scenario =
                new ChainScenario(plan, bootstrap, ChainSettings.NULL_PID, line -> { });

            final Map<ChainArm, List<ArmSteps>> searches = scenario.run();

            assertEquals(Set.of(ChainArm.CHRONICLE), searches.keySet());
            assertEquals(ROUNDS, searches.get(ChainArm.CHRONICLE).size());
            assertEquals(List.of(ChainArm.MULTIPLEXED.client()),
                scenario.notRun().stream().map(NotRun::client).toList());
            final String reason = scenario.notRun().get(0).reason();
            assertTrue(reason.contains("linger"), reason);
        }
    }
}
