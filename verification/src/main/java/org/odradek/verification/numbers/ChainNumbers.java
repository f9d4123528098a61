// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import org.odradek.tools.Table;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** How many chains of services each client carries: a table of the first page, and an SVG image with bars. */
final class ChainNumbers
{
    static final String SCENARIO = "chain";
    private static final List<String> OURS = List.of("odradek-shared", "odradek-publisher");
    private static final List<Bar> BARS = List.of(
        new Bar("article-stock", "the article's loop, kafka-clients"),
        new Bar("stock-timeout", "a thread for each service, kafka-clients"),
        new Bar("stock-shared", "one thread, shared partitions, kafka-clients"),
        new Bar("odradek-shared", "… Odradek, and the stock producer"),
        new Bar("odradek-publisher", "… Odradek and its publisher"),
        new Bar("chronicle-queue", "Chronicle Queue: files of one machine"));
    private static final String CHAINS = "chains";
    private static final double US_PER_MS = 1_000;
    private static final int TOP = 40;
    private static final int STEP = 26;
    private static final int LEFT = 320;
    private static final int WIDTH = 400;

    private record Bar(String client, String text)
    {
    }

    private ChainNumbers()
    {
    }

    /** Returns the chart of the scenario's result. */
    static String svg(final JsonNode result)
    {
        final int height = TOP + STEP * BARS.size();
        final StringBuilder out = new StringBuilder(String.format("""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 %1$d" font-family="sans-serif" font-size="13">
            <rect width="800" height="%1$d" fill="#fff"/>
            <text x="20" y="22" font-size="14">Chains of five services, 1,000 messages a second each, acks 1, on two \
            cores: how many keep p99.9 below 100 ms</text>
            """, height));
        final double most = BARS.stream().mapToDouble((bar) -> chains(result, bar.client())).max().orElseThrow();
        for (int i = 0; i < BARS.size(); i++)
        {
            final Bar bar = BARS.get(i);
            final double chains = chains(result, bar.client());
            final double width = WIDTH * chains / Math.max(1, most);
            final int y = TOP + STEP * i;
            out.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>" +
                "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"%s\"/>" +
                "<text x=\"%.1f\" y=\"%d\">%.0f</text>\n", LEFT - 10, y + 14, bar.text(), LEFT, y, width,
                OURS.contains(bar.client()) ? "#1a8a3c" : "#d9740b", LEFT + width + 8, y + 14, chains));
        }
        return out.append("</svg>\n").toString();
    }

    /** Returns the table of the scenario's result. */
    static String markdown(final JsonNode result)
    {
        final Table table = new Table("acks 1, linger or interval 10 ms",
            "chains", "p50 ms", "p99.9 ms", "client's CPU %", "broker's CPU %");
        for (final Bar bar : BARS)
        {
            final double chains = chains(result, bar.client());
            table.row(bar.text(), Table.figure(chains), ms(result, bar.client(), "latencyP50Us"),
                ms(result, bar.client(), "latencyP999Us"), figure(result, bar.client(), "processCpuPercent", 1),
                figure(result, bar.client(), "brokerCpuPercent", 1));
        }
        return table.toMarkdown();
    }

    private static String ms(final JsonNode result, final String client, final String metric)
    {
        return figure(result, client, metric, US_PER_MS);
    }

    /** Returns nothing for a client that held none. */
    private static String figure(
        final JsonNode result, final String client, final String metric, final double divisor)
    {
        final OptionalDouble median = median(result, client, metric);
        return median.isPresent() ? Table.figure(median.getAsDouble() / divisor) : "";
    }

    private static double chains(final JsonNode result, final String client)
    {
        return median(result, client, CHAINS).orElseThrow(() -> new IllegalStateException(
            "docs/results/" + SCENARIO + ".json holds no chains of " + client + ": measure it again."));
    }

    private static OptionalDouble median(final JsonNode result, final String client, final String metric)
    {
        return ResultRows.median(result, "highest held", client, metric);
    }
}
