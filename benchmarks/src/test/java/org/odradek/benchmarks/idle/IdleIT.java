// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.idle;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.benchmarks.live.ClientKind;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.live.Timing;
import org.odradek.benchmarks.report.Row;
import org.odradek.testkit.EmbeddedBroker;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The whole scenario in miniature.
 */
@Timeout(600)
@Tag("slow")
class IdleIT
{
    @Test
    void shouldSayWhatAMinuteOfWaitingCosts() throws Exception
    {
        final List<String> progress = new ArrayList<>();
        final Results results;
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            final IdlePlan plan = new IdlePlan(List.of(ClientKind.ODRADEK, ClientKind.EMPTY_JVM),
                0, new Timing(1, 1, 0, 0), broker.bootstrapServers());
            results = new IdleScenario(plan, broker.bootstrapServers(), LiveRounds.NO_PID, progress::add).run();
        }

        assertEquals(List.of("no records odradek", "no records empty-jvm", "1/s odradek", "1/s empty-jvm"),
            results.rows().stream().filter(row -> row.metric().equals(IdleScenario.THREAD_CPU))
                // Whether librdkafka's program can be made is this machine's business.
                .filter(row -> !row.client().equals(LiveRows.LIBRDKAFKA))
                .map(row -> row.caseName() + " " + row.client()).toList());
        for (final Row row : results.rows())
        {
            if (row.caseName().equals(IdlePlan.NO_RECORDS) && row.metric().equals("recordsPerSecond"))
            {
                assertEquals(0, row.summary().max(), row::toString);
            }
        }
        assertEquals(6, progress.stream().filter(line -> !line.contains(LiveRows.LIBRDKAFKA)).count(),
            progress::toString);
    }
}
