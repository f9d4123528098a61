/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Our two arms in miniature: each step itself fails unless every message arrives exactly once and in order.
 */
@Timeout(600)
class ChainIT
{
    private static final int CHAINS = 2;
    private static final int WARM_UP_MS = 50;
    private static final int MEASURED_MS = 150;

    @Test
    void shouldCarryEveryMessageThroughOurChainsAndWriteRowsAndLogs(@TempDir final Path folder) throws Exception
    {
        final Path file = folder.resolve("chain.json");
        final List<ArmSteps> arms;
        try (EmbeddedBroker broker = EmbeddedBroker.start(ChainCommand.BROKER_SETTINGS))
        {
            final String bootstrap = broker.bootstrapServers();
            final ChainPlan plan = new ChainPlan(List.of(ChainArm.PER_SERVICE, ChainArm.MULTIPLEXED), CHAINS, 5,
                new ChainEffort(WARM_UP_MS, WARM_UP_MS, MEASURED_MS, 1, 1), bootstrap);
            final List<String> progress = new ArrayList<>();

            arms = new ChainScenario(plan, bootstrap, ChainSettings.NULL_PID, progress::add).run();

            new Report(Environment.describe(plan.settings()), ChainRows.of(arms), List.of(),
                HistogramLogs.write(file, arms, MEASURED_MS)).writeTo(file);
            assertEquals(4, progress.size(), progress::toString);
        }

        assertEquals(2, arms.size());
        for (final ArmSteps arm : arms)
        {
            final StepResult result = arm.results().get(CHAINS).get(0);
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
}
