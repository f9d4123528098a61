// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.tools.Table;
import org.odradek.verification.numbers.LineChart;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Judges the samples of a soak. The first tenth of them is the warm-up and does not count. Of each quantity, the slope
 * over the others is compared with the bound; of the CPU per record, the median of the last third with that of the
 * first third.
 */
final class SoakVerdict
{
    /** Fewer samples are too few for a slope that a fault does not move. */
    static final int LEAST_SAMPLES = 20;

    private static final int WARM_UP_PART = 10;
    /** Higher figures of the chart, as the CPU per record while few records pass, end at its edge. */
    private static final double MOST_PERCENT = 200;
    /**
     * The counted time of a run of two hours. In a shorter run a quantity may grow as much as in this time, because a
     * connection that is open at its end, or a class that is loaded in it, is no slope.
     */
    private static final double LEAST_HOURS = 1.8;

    private final List<SoakSample> samples;
    private final List<Line> lines;

    /**
     * The judgement of one quantity.
     *
     * @param first  the median of the first third of the samples that count.
     * @param last   the median of the last third.
     * @param growth in an hour, or the factor from {@code first} to {@code last}.
     * @param bound  of the growth.
     */
    record Line(SoakQuantity quantity, double first, double last, double growth, double bound)
    {
        boolean isGood()
        {
            return growth <= bound;
        }
    }

    /** @param samples {@link #LEAST_SAMPLES} or more, in the order of time. */
    SoakVerdict(final List<SoakSample> samples)
    {
        this.samples = samples.subList(samples.size() / WARM_UP_PART, samples.size());
        lines = Stream.of(SoakQuantity.values()).map(this::judge).toList();
    }

    private Line judge(final SoakQuantity quantity)
    {
        final double[] hours = samples.stream().mapToDouble(SoakSample::hours).toArray();
        final double[] figures = figures(quantity);
        final int third = figures.length / 3;
        final double first = median(Arrays.copyOf(figures, third));
        final double last = median(Arrays.copyOfRange(figures, figures.length - third, figures.length));
        if (quantity.isFactor())
        {
            return new Line(quantity, first, last, last / first, quantity.bound);
        }
        final double counted = hours[hours.length - 1] - hours[0];
        return new Line(quantity, first, last, slope(hours, figures),
            quantity.bound * Math.max(counted, LEAST_HOURS) / counted);
    }

    private double[] figures(final SoakQuantity quantity)
    {
        return samples.stream().mapToDouble((sample) -> sample.figure(quantity)).toArray();
    }

    /** The slope of Theil and Sen: the median of the slopes of all pairs. Figures of a few samples do not move it. */
    static double slope(final double[] x, final double[] y)
    {
        final double[] slopes = new double[x.length * (x.length - 1) / 2];
        int count = 0;
        for (int i = 0; i < x.length; i++)
        {
            for (int j = i + 1; j < x.length; j++)
            {
                slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
            }
        }
        return median(slopes);
    }

    /** @param values which this method sorts. */
    private static double median(final double[] values)
    {
        Arrays.sort(values);
        return (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
    }

    /** Returns the quantities that grow by more than their bounds. */
    List<SoakQuantity> failures()
    {
        return lines.stream().filter((line) -> !line.isGood()).map(Line::quantity).toList();
    }

    /** Returns a table for a terminal. */
    String toText()
    {
        final Table table = new Table("", "first third", "last third", "growth", "bound", "verdict");
        for (final Line line : lines)
        {
            table.row(line.quantity.textWithUnit(), Table.figure(line.first), Table.figure(line.last),
                growth(line.quantity, line.growth), growth(line.quantity, line.bound),
                line.isGood() ? "holds" : "exceeded");
        }
        return table.toText();
    }

    /** Returns the table of the page, with the reasons of the bounds. */
    String toMarkdown()
    {
        final StringBuilder table = new StringBuilder(
            "| | first third | last third | growth | bound | reason of the bound | verdict |\n" +
            "|---|--:|--:|--:|--:|---|---|\n");
        for (final Line line : lines)
        {
            table.append("| ").append(String.join(" | ", line.quantity.textWithUnit(), Table.figure(line.first),
                Table.figure(line.last), growth(line.quantity, line.growth), growth(line.quantity, line.bound),
                line.quantity.reason, line.isGood() ? "holds" : "**exceeded**")).append(" |\n");
        }
        return table.toString();
    }

    /** Returns a chart of all quantities but the lag, in percent of their first third. */
    String toSvg()
    {
        final Map<String, double[]> percent = new LinkedHashMap<>();
        for (final Line line : lines)
        {
            if (line.quantity != SoakQuantity.LAG)
            {
                percent.put(line.quantity.text, Arrays.stream(figures(line.quantity))
                    .map((figure) -> Math.min(MOST_PERCENT, 100 * figure / line.first)).toArray());
            }
        }
        return LineChart.svg("A process under a soak: what it holds and needs, in % of the first third of the run",
            samples.stream().map(SoakSample::time).toList(), percent, MOST_PERCENT);
    }

    private static String growth(final SoakQuantity quantity, final double growth)
    {
        final String rounded = Table.figure(Math.rint(growth * 1_000) / 1_000);
        return quantity.isFactor() ? "× " + rounded : rounded + " per hour";
    }
}
