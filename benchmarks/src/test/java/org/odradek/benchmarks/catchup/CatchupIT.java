/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The whole scenario in miniature: it compares the sums of all arms itself and fails where they differ.
 */
@Timeout(180)
class CatchupIT
{
    private static final int BYTES_PER_TOPIC = 2_500_000;
    private static final int METRICS = 6;
    private static final Set<String> COLUMNS =
        Set.of("scenario", "case", "client", "metric", "unit", "median", "min", "max", "runs");

    @Test
    void shouldRunEveryArmOverEverySizeAndWriteItsRows(@TempDir final Path folder) throws Exception
    {
        final Path file = folder.resolve("catchup.json");
        final List<String> progress = new ArrayList<>();
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final String bootstrap = broker.bootstrapServers();
            final CatchupPlan plan = new CatchupPlan(
                "catchup", ArmKind.CATCHUP, List.of(23, 1_000), 2, 1, BYTES_PER_TOPIC, bootstrap);

            final List<Row> rows = new CatchupScenario(plan, bootstrap, progress::add).run();

            new Report(Environment.describe(plan.settings()), rows).writeTo(file);
        }

        final JsonNode json = new ObjectMapper().readTree(file.toFile());
        assertEquals(2 * ArmKind.CATCHUP.size() * METRICS, json.get("rows").size());
        for (final JsonNode row : json.get("rows"))
        {
            assertIsRow(row);
        }
        assertIsEnvironment(json.get("environment"));
        assertEquals(2, progress.stream().filter(line -> line.contains("records written in")).count());
        assertEquals(2, progress.stream().filter(line -> line.contains("warm-up 1 of 1")).count());
        assertEquals(2, progress.stream().filter(line -> line.contains("round 2 of 2")).count());
    }

    private static void assertIsRow(final JsonNode row)
    {
        final Set<String> columns = new HashSet<>();
        row.fieldNames().forEachRemaining(columns::add);
        assertEquals(COLUMNS, columns);
        assertEquals("catchup", row.get("scenario").asText());
        assertTrue(Set.of("23 B", "1000 B").contains(row.get("case").asText()), row::toString);
        assertEquals(2, row.get("runs").asInt());
        for (final String figure : List.of("median", "min", "max"))
        {
            assertTrue(row.get(figure).isNumber(), row::toString);
        }
        assertTrue(row.get("min").asDouble() <= row.get("median").asDouble(), row::toString);
        assertTrue(row.get("median").asDouble() <= row.get("max").asDouble(), row::toString);
    }

    private static void assertIsEnvironment(final JsonNode environment)
    {
        for (final String name : List.of("jvm", "os", "cpus", "date", "settings"))
        {
            assertTrue(environment.hasNonNull(name), name);
        }
        final JsonNode settings = environment.get("settings");
        assertEquals(2, settings.get("passes").asInt());
        assertEquals(BYTES_PER_TOPIC / 31, settings.get("records").get(0).asInt());
    }
}
