// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The rows as people read them: a line for each case, each figure as its median and [min..max].
 */
final class JmhTable
{
    private static final String LINE = "%-25s %-20s %-20s %-20s %-20s %-20s %-20s %-16s %s%n";

    private JmhTable()
    {
    }

    static String format(final List<Row> rows)
    {
        final Map<String, Map<String, Summary>> lines = new LinkedHashMap<>();
        for (final Row row : rows)
        {
            lines.computeIfAbsent(row.caseName(), (key) -> new LinkedHashMap<>())
                .put(key(row.client(), row.metric()), row.summary());
        }
        final StringBuilder table = new StringBuilder(String.format(LINE, "value, codec, fetch", "odradek ns/record",
            "kafka-clients poll", "ratio", "its record sets", "ratio", "codec alone", "odradek B/fetch",
            "kafka-clients poll B/fetch"));
        lines.forEach((name, figures) -> table.append(String.format(LINE, name,
            cell(figures, JmhClient.ODRADEK, JmhRows.TIME),
            cell(figures, JmhClient.KAFKA_CLIENTS_POLL, JmhRows.TIME),
            cell(figures, JmhClient.KAFKA_CLIENTS_POLL, JmhRows.RATIO),
            cell(figures, JmhClient.KAFKA_CLIENTS, JmhRows.TIME),
            cell(figures, JmhClient.KAFKA_CLIENTS, JmhRows.RATIO),
            cell(figures, JmhClient.CODEC, JmhRows.TIME),
            median(figures, JmhClient.ODRADEK),
            median(figures, JmhClient.KAFKA_CLIENTS_POLL))));
        return table.toString();
    }

    private static String key(final String client, final String metric)
    {
        return client + '/' + metric;
    }

    private static String cell(final Map<String, Summary> figures, final JmhClient client, final String metric)
    {
        final Summary summary = figures.get(key(client.title(), metric));
        return summary == null ? "" : String.format(
            Locale.ROOT, "%.2f [%.2f..%.2f]", summary.median(), summary.min(), summary.max());
    }

    private static String median(final Map<String, Summary> figures, final JmhClient client)
    {
        return String.format(Locale.ROOT, "%,.0f", figures.get(key(client.title(), JmhRows.ALLOCATED)).median());
    }
}
