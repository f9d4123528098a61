// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table of text cells for a terminal or Markdown, with the first column aligned left and the others right. It also
 * formats all figures, so that the terminal and README never round differently.
 */
public final class Table
{
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;

    private final String[] header;
    private final List<String[]> rows = new ArrayList<>();

    /**
     * @param header names of the columns.
     */
    public Table(final String... header)
    {
        this.header = header;
    }

    /**
     * @param cells one per column.
     * @return this.
     */
    public Table row(final String... cells)
    {
        if (cells.length != header.length)
        {
            throw new IllegalArgumentException(
                "A row of " + cells.length + " cells does not fit a table of " + header.length + " columns.");
        }
        rows.add(cells);
        return this;
    }

    /**
     * Formats with at least three significant digits, separated thousands, and no needless digits after the point.
     *
     * @param figure to format.
     * @return its text.
     */
    public static String figure(final double figure)
    {
        final double magnitude = Math.abs(figure);
        final String text;
        if (figure == 0)
        {
            text = "0";
        }
        else if (figure == Math.rint(figure) || magnitude >= 100)
        {
            text = String.format(Locale.ROOT, "%,.0f", figure);
        }
        else if (magnitude >= 10)
        {
            text = String.format(Locale.ROOT, "%.1f", figure);
        }
        else if (magnitude >= 0.1)
        {
            text = String.format(Locale.ROOT, "%.2f", figure);
        }
        else
        {
            text = String.format(Locale.ROOT, "%.2g", figure);
        }
        return text;
    }

    /** A number and its noun, such as {@code 1 frame} or {@code 2 frames}. */
    public static String counted(final long count, final String noun)
    {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** A time of many nanoseconds in a larger unit, such as {@code 55.2 ms}. */
    public static String time(final double ns)
    {
        return ns < NS_PER_US ? String.format(Locale.ROOT, "%.1f ns", ns) :
            ns < NS_PER_MS ? String.format(Locale.ROOT, "%.1f us", ns / NS_PER_US) :
            String.format(Locale.ROOT, "%.1f ms", ns / NS_PER_MS);
    }

    /**
     * @return the table aligned with spaces, with a rule under the header; each line ends with a line feed.
     */
    public String toText()
    {
        final int[] widths = widths();
        final StringBuilder out = new StringBuilder();
        appendText(out, header, widths);
        for (final int width : widths)
        {
            out.append("-".repeat(width)).append("  ");
        }
        trimAndEnd(out);
        for (final String[] row : rows)
        {
            appendText(out, row, widths);
        }
        return out.toString();
    }

    /**
     * @return the table as Markdown; each line ends with a line feed.
     */
    public String toMarkdown()
    {
        final StringBuilder out = new StringBuilder();
        appendMarkdown(out, header);
        out.append("|---").append("|--:".repeat(header.length - 1)).append("|\n");
        for (final String[] row : rows)
        {
            appendMarkdown(out, row);
        }
        return out.toString();
    }

    private int[] widths()
    {
        final int[] widths = new int[header.length];
        final List<String[]> all = new ArrayList<>(rows);
        all.add(header);
        for (final String[] row : all)
        {
            for (int i = 0; i < widths.length; i++)
            {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        return widths;
    }

    private static void appendText(final StringBuilder out, final String[] row, final int[] widths)
    {
        for (int i = 0; i < row.length; i++)
        {
            final String padding = " ".repeat(widths[i] - row[i].length());
            out.append(i == 0 ? row[i] + padding : padding + row[i]).append("  ");
        }
        trimAndEnd(out);
    }

    private static void trimAndEnd(final StringBuilder out)
    {
        while (out.length() > 0 && out.charAt(out.length() - 1) == ' ')
        {
            out.setLength(out.length() - 1);
        }
        out.append('\n');
    }

    private static void appendMarkdown(final StringBuilder out, final String[] row)
    {
        for (final String cell : row)
        {
            out.append("| ").append(cell).append(cell.isEmpty() ? "" : " ");
        }
        out.append("|\n");
    }
}
