// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The demo's result as a table with the sentence that says where it was measured.
 */
public final class DemoNumbers
{
    private DemoNumbers()
    {
    }

    /**
     * @param demo what {@code odradek demo --json} wrote.
     * @return ours, the stock client and the ratios side by side.
     */
    public static Table table(final JsonNode demo)
    {
        final Table table = new Table("", "Odradek", "stock KafkaConsumer", "ratio");
        row(table, demo, "records read", "records");
        row(table, demo, "bytes allocated by the polling thread", "allocatedBytes");
        row(table, demo, "bytes allocated per record", "bytesPerRecord");
        row(table, demo, "bytes allocated in the whole JVM", "allocatedBytesJvm");
        row(table, demo, "garbage collections", "gcCount");
        row(table, demo, "CPU % of the process", "cpuPercentProcess");
        row(table, demo, "CPU % of the polling thread", "cpuPercentThread");
        row(table, demo, "fetches/s", "fetchesPerSecond");
        return table;
    }

    static String markdown(final JsonNode demo)
    {
        final JsonNode settings = demo.path("environment").path("settings");
        return table(demo).toMarkdown() + "\n" +
            Table.figure(settings.path("rate").asDouble()) + " records/s of " +
            settings.path("valueLength").asInt() + " bytes, each client alone for " +
            Table.figure(settings.path("measuredSeconds").asDouble()) + " s after " +
            Table.figure(settings.path("warmUpSeconds").asDouble()) + " s of warm-up; written by " +
            "`./odradek demo --record`, " +
            Environment.sentence(demo.path("environment")) + "\n";
    }

    private static void row(final Table table, final JsonNode demo, final String title, final String field)
    {
        final JsonNode ratio = demo.path("ratios").path(field);
        table.row(title, Table.figure(demo.path("ours").path(field).asDouble()),
            Table.figure(demo.path("stock").path(field).asDouble()),
            ratio.isNumber() ? Table.figure(ratio.asDouble()) : "");
    }
}
