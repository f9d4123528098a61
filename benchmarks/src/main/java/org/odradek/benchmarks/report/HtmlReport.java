// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.samskivert.mustache.Mustache;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.NotRun;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * One page of HTML from the results of a run: aims, charts, flame graphs and all figures. The page needs no network.
 * Its form is {@code report.mustache}; this class gives it the values.
 */
public final class HtmlReport
{
    private static final String LIBRARY_PROPERTIES = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    private static final String LIBRARY = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";
    private static final String SETTINGS = "settings";
    private static final String DATE = "date";
    private static final double SMALLEST_WITH_THOUSANDS = 1_000;
    private static final MathContext THREE_DIGITS = new MathContext(3);

    private HtmlReport()
    {
    }

    /**
     * Writes the page.
     *
     * @param files results of scenarios, in the order in which they are shown; at least one.
     * @param aims  the verdicts on the aims to write as JSON, or null.
     */
    public static void write(final List<Path> files, final Path html, final Path aims) throws IOException
    {
        final List<Report> results = new ArrayList<>();
        final Charts charts = new Charts();
        final List<Map<String, Object>> sections = new ArrayList<>();
        for (final Path file : files)
        {
            results.add(Report.read(file));
            sections.add(section(results.get(results.size() - 1), charts));
        }
        final List<Verdict> verdicts = Verdict.judge(results, Aim.ALL);
        final Map<Verdict.State, Long> counts =
            verdicts.stream().collect(Collectors.groupingBy(Verdict::state, Collectors.counting()));
        write(html, "report.mustache", charts, Environment.ordered(
            "met", counts.getOrDefault(Verdict.State.MET, 0L),
            "notMet", counts.getOrDefault(Verdict.State.NOT_MET, 0L),
            "notRun", counts.getOrDefault(Verdict.State.NOT_RUN, 0L),
            "page", (Mustache.Lambda)(file, out) -> out.write(
                Files.readString(Path.of(file.execute())).replace("&", "&amp;").replace("\"", "&quot;")),
            "machine", machine(results).entrySet(),
            "verdicts", verdicts,
            "sections", sections));
        if (aims != null)
        {
            Verdict.write(verdicts, aims);
        }
    }

    /** Writes a page of this template with these values, and what its charts need. */
    static void write(final Path html, final String template, final Charts charts, final Map<String, Object> values)
        throws IOException
    {
        final Properties library = new Properties();
        library.load(new StringReader(resource(LIBRARY_PROPERTIES)));
        values.putAll(Environment.ordered(
            "style", resource("report.css"),
            "script", resource("report.js"),
            // A browser with its tools open would look for the map.
            "library", resource(String.format(LIBRARY, library.getProperty("version")))
                .replaceAll("//# sourceMappingURL=\\S+", ""),
            "words", (Mustache.Lambda)(name, out) -> out.write(Metric.words(name.execute())),
            "data", charts.json()));
        Files.writeString(html, Mustache.compiler().withFormatter(HtmlReport::text)
            .compile(resource(template)).execute(values));
    }

    /** What all scenarios share; a value that differs between scenarios is there more than once. */
    static Map<String, Set<String>> machine(final List<Report> results)
    {
        final Map<String, Set<String>> values = new LinkedHashMap<>();
        final TreeSet<String> dates = new TreeSet<>(results.stream().map(HtmlReport::time).toList());
        values.put(DATE, Set.of(dates.size() == 1 ? dates.first() : dates.first() + " to " + dates.last()));
        results.forEach((result) -> result.environment().forEach((name, value) ->
        {
            if (!name.equals(SETTINGS) && !name.equals(DATE))
            {
                values.computeIfAbsent(name, (key) -> new LinkedHashSet<>()).add(text(value));
            }
        }));
        return values;
    }

    private static Map<String, Object> section(final Report result, final Charts charts) throws IOException
    {
        return Environment.ordered(
            "scenario", result.scenario(),
            "command", result.environment().getOrDefault("command", false),
            DATE, time(result),
            SETTINGS, ((Map<?, ?>)result.environment().getOrDefault(SETTINGS, Map.of())).entrySet(),
            "notRun", result.notRun().stream().map((left) -> Map.of(
                "client", left.client().equals(NotRun.EVERY) ? "everyone" : left.client(),
                "case", left.caseName().equals(NotRun.EVERY) ? "every case" : left.caseName(),
                "reason", left.reason())).toList(),
            "charts", charts.of(result),
            "flameGraphs", result.attachments().stream()
                .filter((next) -> next.kind().equals(Attachment.FLAME_GRAPH)).toList(),
            "rowCount", result.rows().size(),
            "rows", result.rows());
    }

    /** Returns the date of the result as 2026-11-21 06:00:15 UTC, instead of 2026-11-21T06:00:15Z. */
    static String time(final Report result)
    {
        return result.environment().getOrDefault(DATE, "").toString().replace('T', ' ').replace("Z", " UTC");
    }

    /** The text of a value in a result. */
    private static String text(final Object value)
    {
        return value instanceof Double number ? figure(number) :
            value instanceof List<?> list ? list.stream().map(HtmlReport::text).collect(Collectors.joining(" · ")) :
            value instanceof Map<?, ?> map ? map.entrySet().stream()
                .map((entry) -> entry.getKey() + " " + text(entry.getValue())).collect(Collectors.joining(" · ")) :
            String.valueOf(value);
    }

    /** Three digits that count, or all before the point if there are more; a dash for none. */
    public static String figure(final double value)
    {
        return !Double.isFinite(value) ? "–" :
            Math.abs(value) >= SMALLEST_WITH_THOUSANDS ? String.format(Locale.ROOT, "%,.0f", value) :
            BigDecimal.valueOf(value).round(THREE_DIGITS).stripTrailingZeros().toPlainString();
    }

    static String resource(final String name)
    {
        try (InputStream stream = HtmlReport.class.getResourceAsStream(name))
        {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(name, ex);
        }
    }
}
