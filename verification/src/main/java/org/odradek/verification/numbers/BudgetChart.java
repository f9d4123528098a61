// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;

/**
 * The chart of the first page, which is also on that of latency budgets: how much CPU each client needs for each
 * budget, as an SVG image.
 */
final class BudgetChart
{
    static final String SUFFIX = ".svg";
    static final String SCENARIO = "budget";
    private static final String METRIC = "processCpuPercent";
    private static final List<String> CLIENTS = List.of("stock-tuned", "librdkafka", "odradek", "bare-loop");
    private static final List<String> COLOURS = List.of("#d9740b", "#2f6fd0", "#1a8a3c", "#888");
    /** The area of the lines in a drawing of 800 x 300. */
    private static final int LEFT = 50;
    private static final int TOP = 40;
    private static final int WIDTH = 730;
    private static final int HEIGHT = 220;
    private static final int GRID_STEP = 5;
    private static final int LEGEND_LEFT = 600;
    private static final int LINE_HEIGHT = 20;

    private BudgetChart()
    {
    }

    static String svg(final JsonNode result)
    {
        final List<String> cases = new ArrayList<>(new LinkedHashSet<>(result.path("rows").findValuesAsText("case")));
        double most = 0;
        for (final String client : CLIENTS)
        {
            for (final String caseName : cases)
            {
                most = Math.max(most, figure(result, client, caseName));
            }
        }
        final StringBuilder out = new StringBuilder("""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 300" font-family="sans-serif" font-size="13">
            <rect width="800" height="300" fill="#fff"/>
            <text x="50" y="22" font-size="14">CPU of reading 5,000 records a second, in % of a core, \
            for a latency budget in ms</text>
            """);
        for (int figure = 0; figure <= most; figure += GRID_STEP)
        {
            final double y = y(figure, most);
            out.append(String.format(Locale.ROOT, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>" +
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", LEFT, y, WIDTH, LEFT - 8, y + 4, figure));
        }
        for (int i = 0; i < cases.size(); i++)
        {
            out.append("<text x=\"").append(x(i, cases.size())).append("\" y=\"").append(TOP + HEIGHT + LINE_HEIGHT)
                .append("\" text-anchor=\"middle\">").append(cases.get(i)).append("</text>\n");
        }
        for (int i = 0; i < CLIENTS.size(); i++)
        {
            appendLine(out, result, cases, most, i);
        }
        return out.append("</svg>\n").toString();
    }

    private static void appendLine(
        final StringBuilder out, final JsonNode result, final List<String> cases, final double most, final int client)
    {
        final String colour = COLOURS.get(client);
        out.append("<path d=\"");
        for (int i = 0; i < cases.size(); i++)
        {
            out.append(String.format(Locale.ROOT, "%s%d %.1f", i == 0 ? "M" : "L", x(i, cases.size()),
                y(figure(result, CLIENTS.get(client), cases.get(i)), most)));
        }
        final int legendTop = TOP + LINE_HEIGHT * (client + 1);
        out.append("\" fill=\"none\" stroke=\"").append(colour).append("\" stroke-width=\"2.5\"/><text x=\"")
            .append(LEGEND_LEFT).append("\" y=\"").append(legendTop).append("\" fill=\"").append(colour).append("\">")
            .append(CLIENTS.get(client)).append("</text>\n");
    }

    private static int x(final int index, final int count)
    {
        return LEFT + WIDTH * (2 * index + 1) / (2 * count);
    }

    private static double y(final double figure, final double most)
    {
        return TOP + HEIGHT * (1 - figure / most);
    }

    private static double figure(final JsonNode result, final String client, final String caseName)
    {
        for (final JsonNode row : result.path("rows"))
        {
            if (row.path("metric").asText().equals(METRIC) && row.path("client").asText().equals(client) &&
                row.path("case").asText().equals(caseName))
            {
                return row.path("median").asDouble();
            }
        }
        throw new IllegalStateException("docs/results/" + SCENARIO + ".json holds no " + METRIC + " of " + client +
            " in " + caseName + ": measure it again.");
    }
}
