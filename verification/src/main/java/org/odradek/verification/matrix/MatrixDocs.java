// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.tools.Table;
import org.odradek.verification.numbers.Environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The results of the matrix: docs/results/matrix.json, and the table made of it, between two markers of
 * docs/platforms.md. A new result replaces the row of its version; the other rows keep their dates.
 */
final class MatrixDocs
{
    private static final String BEGIN = "<!-- matrix -->\n";
    private static final String END = "<!-- /matrix -->";
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path page;
    private final Path results;

    MatrixDocs(final Path home)
    {
        page = home.resolve("docs").resolve("platforms.md");
        results = home.resolve("docs").resolve("results").resolve("matrix.json");
    }

    static ObjectNode row(final KafkaVersion version, final SmokeReading.Tally tally)
    {
        final List<SmokeTopic> topics = version.topics();
        final ObjectNode row = MAPPER.createObjectNode();
        row.put("version", version.text());
        row.put("metadata", version.hasZooKeeper() ? "ZooKeeper" : "KRaft");
        row.put("magic", topics.stream().map((topic) -> Integer.toString(topic.magic())).distinct()
            .collect(Collectors.joining(", ")));
        row.put("codecs", topics.stream().map(SmokeTopic::codec).distinct().collect(Collectors.joining(", ")));
        row.put("groups", version.groups());
        row.put("readings", tally.readings);
        row.put("records", tally.records);
        row.put("published", tally.published);
        row.put("lost", tally.lost);
        row.put("repeated", tally.repeated);
        row.put("wrong", tally.wrong);
        row.put("passed", tally.problems.isEmpty() && tally.records > 0 && tally.published > 0);
        row.put("problems", tally.problems.stream()
            .map((problem) -> problem.lines().findFirst().orElse("")).collect(Collectors.joining("; ")));
        row.set("environment", Environment.here());
        return row;
    }

    static boolean isPassed(final JsonNode row)
    {
        return row.path("passed").asBoolean();
    }

    void record(final List<? extends JsonNode> rows) throws IOException
    {
        final Map<Integer, JsonNode> byRelease = new TreeMap<>();
        if (Files.exists(results))
        {
            put(byRelease, MAPPER.readTree(results.toFile()));
        }
        put(byRelease, rows);
        final ArrayNode all = MAPPER.createArrayNode();
        byRelease.values().forEach(all::add);
        Files.writeString(results, MAPPER.writeValueAsString(all) + "\n");
        Files.writeString(page, rewritten(Files.readString(page), all));
    }

    static String rewritten(final String text, final Iterable<JsonNode> rows)
    {
        final int begin = text.indexOf(BEGIN);
        final int end = text.indexOf(END);
        if (begin < 0 || end < begin)
        {
            throw new IllegalStateException(
                "docs/platforms.md has no markers for the table: " + BEGIN.strip() + " and " + END);
        }
        return text.substring(0, begin + BEGIN.length()) + table(rows).toMarkdown() + text.substring(end);
    }

    static Table table(final Iterable<? extends JsonNode> rows)
    {
        final Table table = new Table("Kafka", "metadata in", "magic stored", "codecs", "groups", "readings", "records",
            "published", "lost", "repeated", "wrong", "result", "JDK", "date");
        for (final JsonNode row : rows)
        {
            final JsonNode environment = row.path("environment");
            table.row(row.path("version").asText(), row.path("metadata").asText(), row.path("magic").asText(),
                row.path("codecs").asText(), row.path("groups").asText(), count(row, "readings"), count(row, "records"),
                count(row, "published"), count(row, "lost"), count(row, "repeated"), count(row, "wrong"),
                isPassed(row) ? "passed" : "FAILED", jdk(environment), environment.path("date").asText());
        }
        return table;
    }

    private static String count(final JsonNode row, final String name)
    {
        return Table.figure(row.path(name).asLong());
    }

    private static void put(final Map<Integer, JsonNode> byRelease, final Iterable<? extends JsonNode> rows)
    {
        rows.forEach((row) -> byRelease.put(KafkaVersion.of(row.path("version").asText()).release(), row));
    }

    private static String jdk(final JsonNode environment)
    {
        final String jvm = environment.path("jvm").asText();
        return jvm.substring(jvm.lastIndexOf(' ') + 1).split("[.+-]")[0];
    }
}
