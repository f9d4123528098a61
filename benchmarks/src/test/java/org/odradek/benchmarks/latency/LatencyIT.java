/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A small run against a real broker: who takes part gets every record, and the figures belong together.
 */
class LatencyIT
{
    private static final int RATE = 500;

    @Test
    void shouldMeasureOursAndTheFloor(@TempDir final Path folder) throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final LatencyPlan plan = new LatencyPlan(List.of(RATE),
                List.of(LatencyClient.ODRADEK_SPIN, LatencyClient.BARE_SPIN), 1, 1, 1, broker.bootstrapServers());
            final List<LatencyRun> runs = new LatencyScenario(plan, broker.bootstrapServers(), line -> {}).run();
            final List<Row> rows = LatencyRows.of(plan.rates(), runs);
            final Path json = folder.resolve("latency.json");
            new Report(Environment.describe(plan.settings()), rows, List.of(), LatencyLogs.write(json, plan, runs))
                .writeTo(json);

            assertEquals(2, runs.size());
            for (final LatencyRun run : runs)
            {
                assertTrue(run.usage().records() > 0, run::toString);
                assertEquals(0, run.usage().missing());
                assertEquals(run.usage().records(), run.latency().getTotalCount());
            }
            final Map<String, Double> figures = rows.stream().collect(Collectors.toMap(
                row -> row.client() + " " + row.metric(), row -> row.summary().median()));
            assertEquals(figures.get("odradek-spin latencyP50Us") / figures.get("bare-loop latencyP50Us"),
                figures.get("odradek-spin latencyP50UsToBareLoop"), 1e-9);
            assertTrue(figures.get("odradek-spin latencyP50Us") <= figures.get("odradek-spin latencyMaxUs"));
            final JsonNode attachments = new ObjectMapper().readTree(json.toFile()).path("attachments");
            assertEquals(2, attachments.size());
            assertTrue(Files.size(folder.resolve(attachments.get(0).path("file").asText())) > 0);
        }
    }
}
