// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.latency;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.live.Timing;
import org.odradek.benchmarks.report.Environment;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A small run against a real broker: ours and the floor get their records, none is missing, and the figures belong
 * together.
 */
@Tag("slow")
class LatencyIT
{
    @Test
    void shouldMeasureOursAndTheFloor(@TempDir final Path folder) throws Exception
    {
        final Path json = folder.resolve("latency.json");
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final LatencyPlan plan = new LatencyPlan(List.of(500),
                List.of(LatencyClient.ODRADEK_SPIN, LatencyClient.BARE_SPIN), new Timing(1, 2, 1, 1),
                broker.bootstrapServers());
            Results results;
            do
            {
                results = new LatencyScenario(
                    plan, broker.bootstrapServers(), LiveRounds.NO_PID, json, line -> {}).run();
            }
            // A stalled machine may deliver nothing in two seconds.
            while (results.attachments().size() < plan.clients().size());
            results.toReport(Environment.describe(plan.settings())).writeTo(json);

            final Map<String, Double> figures = results.rows().stream().collect(Collectors.toMap(
                row -> row.client() + " " + row.metric(), row -> row.summary().median()));
            assertTrue(figures.get("odradek-spin recordsPerSecond") > 0);
            assertTrue(figures.get("bare-loop recordsPerSecond") > 0);
            assertEquals(figures.get("odradek-spin latencyP50Us") / figures.get("bare-loop latencyP50Us"),
                figures.get("odradek-spin latencyP50UsToBareLoop"), 1e-9);
            assertTrue(figures.get("odradek-spin latencyP50Us") <= figures.get("odradek-spin latencyMaxUs"));
        }

        final JsonNode written = new ObjectMapper().readTree(json.toFile());
        assertEquals("librdkafka", written.path("notRun").path(0).path("client").asText());
        assertEquals(2, written.path("attachments").size());
        for (final JsonNode attachment : written.path("attachments"))
        {
            assertTrue(Files.size(folder.resolve(attachment.path("file").asText())) > 0);
        }
    }
}
