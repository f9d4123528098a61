// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import org.odradek.tools.Table;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Collectors;

/**
 * The table of the first page: figures of several results, ours beside those of the rivals with the best settings.
 */
final class Summary
{
    private static final Set<String> STOCK = Set.of("stock", "stock-defaults", "stock-new", "stock-tuned");
    private static final List<Line> LINES = List.of(
        new Line("catchup", "23 B", "recordsPerSecond", Math::max, "reading a log of 23-byte values, records/s"),
        new Line("catchup", "23 B", "processCpuPerRecord", Math::min, "… CPU per record in ns"),
        new Line("catchup", "23 B", "allocatedBytesPerRecord", Math::min, "… bytes allocated per record"),
        new Line("catchup-tls", "100 B", "processCpuPerRecord", Math::min, "… of 100-byte values with TLS, CPU in ns"),
        new Line("budget", "0 ms", "processCpuPercent", Math::min,
            "5,000 records/s without a latency budget, CPU in % of a core"),
        new Line("budget", "0 ms", "latencyP99Us", Math::min, "… without a latency budget, p99 in µs"),
        new Line(
            "budget", "2 ms", "processCpuPercent", Math::min, "… with a latency budget of 2 ms, CPU in % of a core"),
        new Line("budget", "2 ms", "latencyP99Us", Math::min, "… with a latency budget of 2 ms, p99 in µs"));

    /**
     * @param text of the first cell.
     * @param best the better of two figures.
     */
    private record Line(String scenario, String caseName, String metric, DoubleBinaryOperator best, String text)
    {
        String cell(final JsonNode result, final Set<String> clients)
        {
            OptionalDouble figure = OptionalDouble.empty();
            for (final JsonNode row : result.path("rows"))
            {
                if (row.path("case").asText().equals(caseName) && row.path("metric").asText().equals(metric) &&
                    clients.contains(row.path("client").asText()))
                {
                    final double median = row.path("median").asDouble();
                    figure = OptionalDouble.of(
                        figure.isPresent() ? best.applyAsDouble(figure.getAsDouble(), median) : median);
                }
            }
            return figure.isPresent() ? Table.figure(figure.getAsDouble()) : "";
        }
    }

    private Summary()
    {
    }

    static Set<String> scenarios()
    {
        return LINES.stream().map(Line::scenario).collect(Collectors.toSet());
    }

    static String markdown(final Map<String, JsonNode> results)
    {
        final Table table = new Table("", "odradek", "kafka-clients, at its best", "librdkafka", "bare loop");
        for (final Line line : LINES)
        {
            final JsonNode result = results.get(line.scenario());
            final String ours = line.cell(result, Set.of("odradek"));
            if (ours.isEmpty())
            {
                throw new IllegalStateException("docs/results/" + line.scenario() + ".json holds no " + line.metric() +
                    " of " + line.caseName() + ": measure it again.");
            }
            table.row(line.text(), ours, line.cell(result, STOCK), line.cell(result, Set.of("librdkafka")),
                line.cell(result, Set.of("bare-loop")));
        }
        return table.toMarkdown();
    }
}
