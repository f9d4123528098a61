// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MatrixDocsTest
{
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @TempDir
    private Path home;

    @Test
    void shouldKeepTheRowsOfOtherReleases() throws IOException
    {
        Files.createDirectories(home.resolve("docs/results"));
        final Path page = home.resolve("docs/platforms.md");
        Files.writeString(page, "before\n<!-- matrix -->\nold\n<!-- /matrix -->\nafter\n");
        final MatrixDocs docs = new MatrixDocs(home);

        docs.record(List.of(row("4.4.0", 0), row("2.1.1", 3)));
        docs.record(List.of(row("2.1.0", 0)));

        final JsonNode rows = MAPPER.readTree(home.resolve("docs/results/matrix.json").toFile());
        assertEquals(List.of("2.1.0", "4.4.0"), rows.findValuesAsText("version"));
        final String text = Files.readString(page);
        assertTrue(text.startsWith("before\n<!-- matrix -->\n| Kafka"), text);
        assertTrue(text.endsWith("<!-- /matrix -->\nafter\n"), text);
        assertTrue(text.contains("4.4.0") && text.contains("passed"), text);
    }

    @Test
    void shouldReportWhatFailed()
    {
        assertTrue(MatrixDocs.table(List.of(row("4.4.0", 1))).toText().contains("FAILED"));
    }

    @Test
    void shouldRequireItsMarkers()
    {
        assertThrows(IllegalStateException.class, () -> MatrixDocs.rewritten("no marker", List.of()));
    }

    @Test
    void shouldShowTheCommittedResults() throws IOException
    {
        final Path docs = Path.of("..", "docs");
        final String page = Files.readString(docs.resolve("platforms.md"));

        assertEquals(page,
            MatrixDocs.rewritten(page, MAPPER.readTree(docs.resolve("results").resolve("matrix.json").toFile())));
    }

    private static ObjectNode row(final String version, final long lost)
    {
        final SmokeReading.Tally tally = new SmokeReading.Tally();
        tally.add(1_000, lost, 0, 0);
        tally.published = 1_000;
        if (lost > 0)
        {
            tally.problems.add("records were lost");
        }
        return MatrixDocs.row(KafkaVersion.of(version), tally);
    }
}
