// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a figure of ours should be: a line of {@code aims.txt}, the table of all aims, which says what each column is.
 *
 * @param wanted the bound of the ratio or of the figure: ≥, ≤ or &lt; and a number or a quotient; 0 for none.
 */
record Aim(
    String scenario, String cases, String casesTitle, Metric metric, String client, String wanted, List<Rival> rivals)
{
    private static final List<Rival> BEST_RIVAL = List.of(Rival.STOCK, Rival.STOCK_NEW, Rival.LIBRDKAFKA);

    /** In the order of the scenarios. */
    static final List<Aim> ALL = HtmlReport.resource("aims.txt").lines()
        .filter((line) -> !line.startsWith("#")).map(Aim::parse).toList();

    static Aim parse(final String line)
    {
        final String[] columns = line.split(" \\| ?");
        return new Aim(columns[0], columns[1], columns[2], Metric.valueOf(columns[3]), columns[4], columns[5],
            Arrays.stream(columns).skip(6).flatMap((rivals) -> Arrays.stream(rivals.split(" "))).map(Rival::valueOf)
            .toList());
    }

    boolean isAbsolute()
    {
        return rivals.isEmpty();
    }

    boolean isOfDefault()
    {
        return client.equals("odradek");
    }

    boolean isAgainstBest()
    {
        return rivals.equals(BEST_RIVAL);
    }

    /** Whom ours is compared with, in words. */
    String against()
    {
        return isAbsolute() ? "absolute" : isAgainstBest() ? Rival.BEST.title :
            rivals.stream().map((rival) -> rival.title).collect(Collectors.joining(" and "));
    }

    boolean isAtLeast()
    {
        return wanted.startsWith("≥");
    }

    double bound()
    {
        final String[] quotient = wanted.replaceAll("[≥≤< ]", "").split("/");
        return Double.parseDouble(quotient[0]) / (quotient.length == 1 ? 1 : Double.parseDouble(quotient[1]));
    }

    boolean isMetBy(final double figure)
    {
        return isAtLeast() ? figure >= bound() : wanted.startsWith("<") ? figure < bound() : figure <= bound();
    }
}
