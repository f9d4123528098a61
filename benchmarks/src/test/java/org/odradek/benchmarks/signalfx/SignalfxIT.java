// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.signalfx;

import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.live.ClientKind;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.live.Timing;
import org.odradek.benchmarks.report.Attachment;
import org.odradek.testkit.EmbeddedBroker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The whole scenario in miniature: it fails itself where a record is missing.
 */
@Timeout(600)
@Tag("slow")
class SignalfxIT
{
    private static final List<ClientKind> CLIENTS = List.of(ClientKind.ODRADEK, ClientKind.STOCK);

    @Test
    void shouldWriteRowsLatenciesAndFlameGraphs(@TempDir final Path folder) throws Exception
    {
        final List<String> progress = new ArrayList<>();
        final Results results;
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final SignalfxPlan plan = new SignalfxPlan(List.of(new SignalfxCase(1_000, 0)), CLIENTS,
                new Timing(1, 3, 1, 1), new Timing(1, 3, 1, 1), List.of(ClientKind.ODRADEK), 0, 1,
                broker.bootstrapServers());
            results = new SignalfxScenario(plan, broker.bootstrapServers(), LiveRounds.NO_PID,
                folder.resolve("signalfx.json"), progress::add).run();
        }

        for (final ClientKind client : CLIENTS)
        {
            for (final String metric : List.of(LiveRows.THREAD_CPU, LiveRows.PROCESS_CPU, LiveRows.ALLOCATED))
            {
                assertEquals(1, results.rows().stream().filter(row -> row.client().equals(client.client()) &&
                    row.metric().equals(metric) && row.caseName().equals("1000/s, linger 0 ms")).count(), metric);
            }
        }
        assertTrue(results.rows().stream().anyMatch(row -> row.client().equals("producer")));
        assertTrue(results.rows().stream().anyMatch(
            row -> row.client().equals("odradek") && row.metric().equals("threadCpuPercentToStock")));
        assertTrue(results.attachments().size() >= 2, progress::toString);
        for (final Attachment attachment : results.attachments())
        {
            assertIsComplete(folder.resolve(attachment.file()), attachment.kind());
        }
        assertTrue(results.attachments().stream().anyMatch(file -> file.kind().equals(Attachment.FLAME_GRAPH)),
            progress::toString);
    }

    private static void assertIsComplete(final Path file, final String kind) throws Exception
    {
        if (kind.equals(Attachment.FLAME_GRAPH))
        {
            assertTrue(Files.readString(file).contains("</html>"), file::toString);
        }
        else
        {
            try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
            {
                assertTrue(reader.nextIntervalHistogram().getMaxValueAsDouble() > 0, file::toString);
            }
        }
    }
}
