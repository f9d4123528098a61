// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.Summary;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * From what the JVMs said of one case to its rows.
 */
final class JmhRows
{
    static final String SCENARIO = "jmh";
    static final String TIME = "nsPerRecord";
    static final String ALLOCATED = "bytesPerFetch";
    static final String ALLOCATED_BY_ALL = "gcBytesPerFetch";
    static final String RATIO = "timesOurs";

    private JmhRows()
    {
    }

    /**
     * @param figures of each client, in the order of the rounds.
     */
    static List<Row> of(final JmhCase jmhCase, final Map<JmhClient, JmhFigure[]> figures)
    {
        final List<Row> rows = new ArrayList<>();
        final int records = jmhCase.recordCount();
        final double[] ours = values(figures.get(JmhClient.ODRADEK), JmhFigure::ns);
        figures.forEach((client, ofClient) ->
        {
            final double[] ns = values(ofClient, JmhFigure::ns);
            final double[] nsPerRecord = values(ofClient, (figure) -> figure.ns() / records);
            rows.add(row(jmhCase, client, TIME, "ns/record", Summary.of(nsPerRecord)));
            rows.add(row(
                jmhCase, client, ALLOCATED, "bytes/fetch", Summary.of(values(ofClient, JmhFigure::bytes))));
            rows.add(row(jmhCase, client, ALLOCATED_BY_ALL, "bytes/fetch",
                Summary.of(values(ofClient, JmhFigure::gcBytes))));
            rows.add(row(jmhCase, client, RATIO, "ratio", Summary.ofRatios(ns, ours)));
        });
        return rows;
    }

    private static Row row(
        final JmhCase jmhCase, final JmhClient client, final String metric, final String unit, final Summary summary)
    {
        return new Row(SCENARIO, jmhCase.name(), client.title(), metric, unit, summary);
    }

    private static double[] values(final JmhFigure[] figures, final ToDoubleFunction<JmhFigure> figure)
    {
        return Arrays.stream(figures).mapToDouble(figure).toArray();
    }
}
