// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A chart of a result as an SVG image: a metric over the cases of a scenario, a line for each client.
 *
 * @param labels         a pattern of the names of the cases; its first group is the label of a case.
 * @param clients        in the order of the legend.
 * @param isOfLogarithms whether the figures go over powers of ten.
 */
public record LineChart(String title, String metric, String labels, List<String> clients, boolean isOfLogarithms)
{
    static final String SUFFIX = ".svg";
    private static final Map<String, LineChart> OF_SCENARIO = Map.of(
        "budget", new LineChart(
            "CPU of reading 5,000 records a second, in % of a core, for a latency budget in ms",
            "processCpuPercent", "(.*)", List.of("stock-tuned", "librdkafka", "odradek", "bare-loop"), false),
        "distance", new LineChart(
            "MB/s of reading 8 partitions over a round trip, steady state",
            "megabytesPerSecond", "(\\d+ ms), 8 partitions",
            List.of("stock-tuned", "librdkafka", "odradek", "streams-eight", "odradek-eight"), true));
    private static final List<String> COLOURS = List.of("#d9740b", "#2f6fd0", "#1a8a3c", "#888", "#7ac143");
    /** The area of the lines in a drawing of 800 x 300. */
    private static final int LEFT = 50;
    private static final int TOP = 40;
    private static final int WIDTH = 730;
    private static final int HEIGHT = 220;
    private static final int GRID_STEP = 5;
    private static final int MOST_STEPS = 10;
    private static final int MOST_LABELS = 12;
    private static final int LEGEND_LEFT = 600;
    private static final int LINE_HEIGHT = 20;

    /** Returns the chart of a scenario's result. */
    static String svg(final String scenario, final JsonNode result)
    {
        return OF_SCENARIO.get(scenario).draw(scenario, result);
    }

    /**
     * Returns a chart of lines.
     *
     * @param labels of the figures of each line.
     * @param lines  by name, in the order of the legend; at the most five.
     * @param top    the figure at the upper edge.
     */
    public static String svg(
        final String title, final List<String> labels, final Map<String, double[]> lines, final double top)
    {
        return new LineChart(title, null, null, List.copyOf(lines.keySet()), false).draw(labels, lines, top);
    }

    private String draw(final String scenario, final JsonNode result)
    {
        final Set<String> names = new LinkedHashSet<>(result.path("rows").findValuesAsText("case"));
        final List<String> cases = names.stream().filter((name) -> name.matches(labels)).toList();
        final Map<String, double[]> lines = clients.stream().collect(Collectors.toMap((client) -> client,
            (client) -> cases.stream().mapToDouble((name) -> figure(scenario, result, client, name)).toArray()));
        double most = 1;
        for (final double[] line : lines.values())
        {
            for (final double figure : line)
            {
                most = Math.max(most, figure);
            }
        }
        return draw(cases.stream().map((name) -> name.replaceFirst(labels, "$1")).toList(), lines, most);
    }

    private String draw(final List<String> cases, final Map<String, double[]> lines, final double most)
    {
        final StringBuilder out = new StringBuilder(String.format("""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 300" font-family="sans-serif" font-size="13">
            <rect width="800" height="300" fill="#fff"/>
            <text x="50" y="22" font-size="14">%s</text>
            """, title));
        int gridStep = GRID_STEP;
        while (most / gridStep > MOST_STEPS)
        {
            gridStep *= 2;
        }
        for (int figure = isOfLogarithms ? 1 : 0; figure <= most; figure += isOfLogarithms ? 9 * figure : gridStep)
        {
            final double y = y(figure, most);
            out.append(String.format(Locale.ROOT, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>" +
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", LEFT, y, WIDTH, LEFT - 8, y + 4, figure));
        }
        for (int i = 0; i < cases.size(); i += 1 + cases.size() / MOST_LABELS)
        {
            out.append("<text x=\"").append(x(i, cases.size())).append("\" y=\"").append(TOP + HEIGHT + LINE_HEIGHT)
                .append("\" text-anchor=\"middle\">").append(cases.get(i)).append("</text>\n");
        }
        for (int i = 0; i < clients.size(); i++)
        {
            appendLine(out, i, lines.get(clients.get(i)), most);
        }
        return out.append("</svg>\n").toString();
    }

    private void appendLine(final StringBuilder out, final int client, final double[] figures, final double most)
    {
        final String colour = COLOURS.get(client);
        out.append("<path d=\"");
        for (int i = 0; i < figures.length; i++)
        {
            out.append(String.format(Locale.ROOT, "%s%d %.1f", i == 0 ? "M" : "L", x(i, figures.length),
                y(figures[i], most)));
        }
        final int legendTop = TOP + LINE_HEIGHT * (client + 1);
        out.append("\" fill=\"none\" stroke=\"").append(colour).append("\" stroke-width=\"2.5\"/><text x=\"")
            .append(LEGEND_LEFT).append("\" y=\"").append(legendTop).append("\" fill=\"").append(colour).append("\">")
            .append(clients.get(client)).append("</text>\n");
    }

    private static int x(final int index, final int count)
    {
        return LEFT + WIDTH * (2 * index + 1) / (2 * count);
    }

    private double y(final double figure, final double most)
    {
        final double part = isOfLogarithms ? Math.log(Math.max(1, figure)) / Math.log(most) : figure / most;
        return TOP + HEIGHT * (1 - part);
    }

    private double figure(final String scenario, final JsonNode result, final String client, final String caseName)
    {
        return ResultRows.median(result, caseName, client, metric).orElseThrow(() -> new IllegalStateException(
            "docs/results/" + scenario + ".json holds no " + metric + " of " + client + " in " + caseName +
            ": measure it again."));
    }
}
