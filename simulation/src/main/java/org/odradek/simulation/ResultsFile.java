// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * The file docs/results/simulation.md, or simulation-publish.md for a publisher: the pieces of the long run of one
 * commit, and their totals. A piece of another commit begins the file again.
 */
final class ResultsFile
{
    private static final String PIECES = "| seeds | load | simulated hours | effective faults | records | " +
        "records/s | simulated s per s and core | median s to catch up |";
    private static final String KINDS = "| fault | took effect |";
    private static final double HOURS_PER_YEAR = 8_766;

    private final Path home;
    private final LoadProfile load;
    private final Path file;
    private final List<String[]> pieces = new ArrayList<>();
    private final TreeMap<String, Long> kinds = new TreeMap<>();

    ResultsFile(final Path home, final LoadProfile load)
    {
        this.home = home;
        this.load = load;
        file = home.resolve("docs/results").resolve(
            load == LoadProfile.PUBLISH ? "simulation-publish.md" : "simulation.md");
    }

    void add(final Totals totals) throws IOException
    {
        final String title = "# Long simulation at commit " + commit();
        final List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        if (!lines.isEmpty() && lines.get(0).equals(title))
        {
            read(lines);
        }
        pieces.add(new String[]{
            totals.seeds(), load.name().toLowerCase(Locale.ROOT), format("%.1f", totals.hours()),
            format("%d", totals.effects()), format("%d", totals.records()), format("%.1f", totals.recordsPerSecond()),
            format("%.0f", totals.speed()), format("%.3f", totals.medianSettledSeconds())});
        for (final FaultKind kind : FaultKind.values())
        {
            kinds.merge(kind.name(), totals.effects(kind), Long::sum);
        }
        Files.createDirectories(file.getParent());
        Files.writeString(file, title + "\n\n" + text());
    }

    /** Reads the rows of both tables: those of the first have more cells. */
    private void read(final List<String> lines)
    {
        final int pieceCells = PIECES.split("\\|").length;
        for (final String line : lines)
        {
            final String[] cells = line.split("\\s*\\|\\s*");
            final boolean isRow = line.startsWith("| ") && !line.equals(PIECES) && !line.equals(KINDS);
            if (isRow && cells.length == pieceCells)
            {
                pieces.add(List.of(cells).subList(1, cells.length).toArray(String[]::new));
            }
            else if (isRow)
            {
                kinds.put(cells[1], Long.parseLong(cells[2]));
            }
        }
    }

    private String text()
    {
        double hours = 0;
        long faults = 0;
        long records = 0;
        final StringBuilder rows = new StringBuilder();
        for (final String[] piece : pieces)
        {
            hours += Double.parseDouble(piece[2]);
            faults += Long.parseLong(piece[3]);
            records += Long.parseLong(piece[4]);
            rows.append("| ").append(String.join(" | ", piece)).append(" |\n");
        }
        final StringBuilder text = new StringBuilder();
        text.append(format("All oracles were on, and every piece was clean: %s, " +
            "%d effective faults, %d records.\n\n", time(hours), faults, records));
        text.append(PIECES).append("\n|---|---|---|---|---|---|---|---|\n").append(rows);
        text.append('\n').append(KINDS).append("\n|---|---|\n");
        kinds.forEach((kind, count) -> text.append("| ").append(kind).append(" | ").append(count).append(" |\n"));
        return text.toString();
    }

    private static String time(final double hours)
    {
        return hours < HOURS_PER_YEAR / 10 ?
            format("%.1f simulated hours", hours) : format("%.2f simulated years", hours / HOURS_PER_YEAR);
    }

    private static String format(final String pattern, final Object... values)
    {
        return String.format(Locale.ROOT, pattern, values);
    }

    private String commit() throws IOException
    {
        final Process git = new ProcessBuilder("git", "rev-parse", "--short=10", "HEAD")
            .directory(home.toFile()).start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    }
}
