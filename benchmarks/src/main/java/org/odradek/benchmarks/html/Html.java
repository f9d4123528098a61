// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import java.util.Locale;

/**
 * Text and numbers as the page shows them.
 */
final class Html
{
    private static final double SMALLEST_WITH_THOUSANDS = 1_000;

    private Html()
    {
    }

    static String escape(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /**
     * @return three digits that count, or all before the point where there are more.
     */
    static String figure(final double value)
    {
        final double size = Math.abs(value);
        if (size == 0 || Double.isNaN(value) || Double.isInfinite(value))
        {
            return size == 0 ? "0" : "–";
        }
        if (size >= SMALLEST_WITH_THOUSANDS)
        {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        final int digits = Math.max(0, 2 - (int)Math.floor(Math.log10(size)));
        final String text = String.format(Locale.ROOT, "%." + digits + "f", value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }

    /**
     * @return words from a name of a metric: threadCpuPerRecord becomes "thread CPU per record".
     */
    static String words(final String name)
    {
        return name.replaceAll("Us$", "").replaceAll("([a-z0-9])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT)
            .replaceAll("\\bcpu", "CPU")
            .replaceAll("^gc\\b", "GC").replaceAll("^jvm\\b", "JVM").replaceAll("^os\\b", "OS")
            .replaceAll("\\bp999\\b", "p99.9").replaceAll("\\bp9999\\b", "p99.99");
    }

    /**
     * @return how a unit is printed: rows say us.
     */
    static String unit(final String unit)
    {
        return unit.equals("us") ? "µs" : unit;
    }

    static String head(final String... cells)
    {
        return "<tr><th>" + String.join("</th><th>", cells) + "</th></tr>\n";
    }
}
