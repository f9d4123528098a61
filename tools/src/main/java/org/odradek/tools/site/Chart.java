// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.site;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bar or line chart in Mermaid as the values of {@code chart.mustache}, which draws it without a script. It reads the
 * charts that {@code odradek numbers} writes.
 *
 * @param title of the chart.
 * @param bars  one for each client; none in a line chart.
 * @param grid  the horizontal lines of a line chart with their figures.
 * @param marks of the cases below a line chart.
 * @param lines one for each client; none in a bar chart.
 */
record Chart(String title, List<Bar> bars, List<Mark> grid, List<Mark> marks, List<Line> lines)
{
    private static final String KIND = "xychart-beta\n";
    private static final Pattern TITLE = Pattern.compile("title \"([^\"]*)\"");
    private static final Pattern LABELS = Pattern.compile("x-axis \\[(.*)]");
    private static final Pattern LARGEST = Pattern.compile("y-axis 0 --> (\\S+)");
    private static final Pattern BARS = Pattern.compile("bar \\[(.*)]");
    private static final Pattern LINE = Pattern.compile("line \\[(.*)]");
    private static final Pattern COLOURS = Pattern.compile("plotColorPalette: \"([^\"]*)\"");
    /** The longest bar leaves room for its figure. */
    private static final double LONGEST_PERCENT = 85;
    /** The area of the lines in the drawing of 900 x 320. */
    private static final int LEFT = 60;
    private static final int TOP = 10;
    private static final int WIDTH = 820;
    private static final int HEIGHT = 270;
    private static final int GRID_LINES = 4;

    record Bar(String label, String figure, String percent, boolean isOurs)
    {
    }

    record Mark(String label, int at)
    {
    }

    record Line(String points, String colour)
    {
    }

    /** Returns the chart, or null if the text is a diagram of another kind. */
    static Chart parse(final String mermaid)
    {
        if (!mermaid.contains(KIND))
        {
            return null;
        }
        final List<String> labels = list(only(mermaid, LABELS));
        final double largest = Double.parseDouble(only(mermaid, LARGEST));
        final String title = only(mermaid, TITLE);
        return mermaid.contains("bar [") ?
            new Chart(title, bars(labels, list(only(mermaid, BARS)), largest), List.of(), List.of(), List.of()) :
            new Chart(title, List.of(), grid(largest), marks(labels), lines(mermaid, labels.size(), largest));
    }

    private static List<Bar> bars(final List<String> labels, final List<String> figures, final double largest)
    {
        final List<Bar> bars = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++)
        {
            final double percent = LONGEST_PERCENT * Double.parseDouble(figures.get(i)) / largest;
            bars.add(new Bar(labels.get(i), figures.get(i), String.format(Locale.ROOT, "%.1f", percent),
                labels.get(i).startsWith("odradek")));
        }
        return bars;
    }

    private static List<Mark> grid(final double largest)
    {
        final List<Mark> grid = new ArrayList<>();
        for (int i = 0; i <= GRID_LINES; i++)
        {
            grid.add(new Mark(String.format(Locale.ROOT, "%.1f", largest * i / GRID_LINES),
                TOP + HEIGHT - HEIGHT * i / GRID_LINES));
        }
        return grid;
    }

    private static List<Mark> marks(final List<String> labels)
    {
        final List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++)
        {
            marks.add(new Mark(labels.get(i), x(i, labels.size())));
        }
        return marks;
    }

    private static List<Line> lines(final String mermaid, final int count, final double largest)
    {
        final List<String> colours = list(only(mermaid, COLOURS));
        final List<Line> lines = new ArrayList<>();
        for (final Matcher line = LINE.matcher(mermaid); line.find();)
        {
            final List<String> figures = list(line.group(1));
            final StringJoiner points = new StringJoiner(" ");
            for (int i = 0; i < figures.size(); i++)
            {
                final double height = HEIGHT * Double.parseDouble(figures.get(i)) / largest;
                points.add(x(i, count) + "," + Math.round(TOP + HEIGHT - height));
            }
            lines.add(new Line(points.toString(), colours.get(lines.size())));
        }
        return lines;
    }

    private static int x(final int index, final int count)
    {
        return LEFT + WIDTH * (2 * index + 1) / (2 * count);
    }

    private static List<String> list(final String text)
    {
        return Arrays.stream(text.split(",")).map((item) -> item.trim().replace("\"", "")).toList();
    }

    private static String only(final String mermaid, final Pattern pattern)
    {
        final Matcher matcher = pattern.matcher(mermaid);
        if (!matcher.find())
        {
            throw new IllegalStateException("A chart has no line like " + pattern + ": " + mermaid);
        }
        return matcher.group(1);
    }
}
