// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.samskivert.mustache.Mustache;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
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
import java.util.stream.Collectors;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.NotRun;

/**
 * One page of HTML from the results of a run: aims, charts, flame graphs and all figures. The page needs no network.
 * Its form is {@code report.mustache}; this class gives it the values.
 */
public final class HtmlReport
{
    private static final String LIBRARY_PROPERTIES = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    private static final String LIBRARY = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";
    private static final String NO_FIGURE = "–";
    private static final double SMALLEST_WITH_THOUSANDS = 1_000;

    private final Charts charts = new Charts();
    private final List<Report> results;
    private final List<Verdict> verdicts;

    private HtmlReport(final List<Report> results)
    {
        this.results = results;
        verdicts = Verdict.judge(results, Aims.ALL);
    }

    /**
     * @param files results of scenarios, in the order in which they are shown; at least one.
     * @param html  the page to write.
     * @param aims  the verdicts on the aims to write as JSON, or null.
     * @throws IOException if a result cannot be read or a file not be written.
     */
    public static void write(final List<Path> files, final Path html, final Path aims) throws IOException
    {
        final List<Report> results = new ArrayList<>();
        for (final Path file : files)
        {
            results.add(Report.read(file));
        }
        Files.writeString(html, new HtmlReport(results).page());
        if (aims != null)
        {
            Verdict.write(results, aims);
        }
    }

    private String page() throws IOException
    {
        final List<Map<String, Object>> sections = new ArrayList<>();
        for (final Report result : results)
        {
            sections.add(section(result));
        }
        final Map<String, Object> page = new LinkedHashMap<>();
        page.put("style", resource("report.css"));
        page.put("script", resource("report.js"));
        page.put("library", library());
        page.put("met", count(Verdict.State.MET));
        page.put("notMet", count(Verdict.State.NOT_MET));
        page.put("notRun", count(Verdict.State.NOT_RUN));
        page.put("machine", machine());
        page.put("aims", verdicts.stream().map(HtmlReport::aim).toList());
        page.put("sections", sections);
        page.put("data", charts.json());
        return Mustache.compiler().withEscaper(HtmlReport::escape)
            .withFormatter(value -> value instanceof Double number ? figure(number) : value.toString())
            .compile(resource("report.mustache")).execute(page);
    }

    private static String library() throws IOException
    {
        final Properties properties = new Properties();
        properties.load(new StringReader(resource(LIBRARY_PROPERTIES)));
        // A browser with its tools open would look for the map.
        return resource(String.format(LIBRARY, properties.getProperty("version")))
            .replaceAll("//# sourceMappingURL=\\S+", "");
    }

    private long count(final Verdict.State state)
    {
        return verdicts.stream().filter(verdict -> verdict.state() == state).count();
    }

    private static Map<String, Object> aim(final Verdict verdict)
    {
        final String client = verdict.aim().client();
        return Map.of(
            "cssClass", verdict.stateInWords().replace(' ', '-'),
            "scenario", verdict.aim().scenario(),
            "case", verdict.caseName(),
            "metric", Metric.words(verdict.aim().metric().key()),
            "client", client.equals("odradek") ? false : client,
            "against", verdict.aim().against(),
            "wanted", verdict.aim().wanted(),
            "figure", verdict.hasFigure() ? verdict.figure() : NO_FIGURE,
            "state", verdict.stateInWords(),
            "distance", distance(verdict));
    }

    private static String distance(final Verdict verdict)
    {
        final String note = verdict.note() +
            (verdict.hasFigure() && !verdict.note().isEmpty() ? "; against the others " : "");
        final double missedBy = verdict.missedBy();
        if (!Double.isNaN(missedBy))
        {
            return note + (missedBy > 1 ? "missed by a factor of " + figure(missedBy) :
                "a factor of " + figure(1 / missedBy) + " to spare");
        }
        return note + (verdict.hasFigure() && verdict.figure() > 0 ? figure(verdict.figure()) + " too many" : "");
    }

    /** What all scenarios share; a value that differs between scenarios is there more than once. */
    private List<Map<String, Object>> machine()
    {
        final Map<String, Set<String>> values = new LinkedHashMap<>();
        final List<String> dates = results.stream().map(result -> result.environment().path("date").asText())
            .filter(date -> !date.isEmpty()).sorted().map(HtmlReport::time).toList();
        if (!dates.isEmpty())
        {
            final String first = dates.get(0);
            final String last = dates.get(dates.size() - 1);
            values.put("date", Set.of(first.equals(last) ? first : first + " to " + last));
        }
        for (final Report result : results)
        {
            result.environment().properties().forEach(field ->
            {
                if (!field.getKey().equals("settings") && !field.getKey().equals("date"))
                {
                    values.computeIfAbsent(field.getKey(), key -> new LinkedHashSet<>()).add(text(field.getValue()));
                }
            });
        }
        return values.entrySet().stream().map(entry -> Map.<String, Object>of(
            "name", Metric.words(entry.getKey()), "values", List.copyOf(entry.getValue()))).toList();
    }

    private Map<String, Object> section(final Report result) throws IOException
    {
        final JsonNode environment = result.environment();
        final JsonNode settings = environment.path("settings");
        final Map<String, Object> section = new LinkedHashMap<>();
        section.put("scenario", result.scenario());
        section.put("command", environment.has("command") ? environment.path("command").asText() : false);
        section.put("date", time(environment.path("date").asText()));
        section.put("hasSettings", settings.size() > 0);
        section.put("settings", settings.properties().stream().map(field -> Map.of(
            "name", Metric.words(field.getKey()), "value", text(field.getValue()))).toList());
        section.put("hasNotRun", !result.notRun().isEmpty());
        section.put("notRun", result.notRun().stream().map(left -> Map.of(
            "client", left.client().equals(NotRun.EVERY) ? "everyone" : left.client(),
            "case", left.caseName().equals(NotRun.EVERY) ? "every case" : left.caseName(),
            "reason", left.reason())).toList());
        section.put("charts", charts.of(result));
        final List<Map<String, String>> flameGraphs = new ArrayList<>();
        for (final Attachment next : result.attachments())
        {
            if (next.kind().equals(Attachment.FLAME_GRAPH))
            {
                final String graph = Files.readString(Path.of(next.file()));
                flameGraphs.add(Map.of("title", next.title(),
                    "page", graph.replace("&", "&amp;").replace("\"", "&quot;")));
            }
        }
        section.put("flameGraphs", flameGraphs);
        section.put("rowCount", result.rows().size());
        section.put("rows", result.rows());
        return section;
    }

    /** From 2026-11-21T06:00:15Z to how people write it. */
    private static String time(final String instant)
    {
        return instant.replace('T', ' ').replace("Z", " UTC");
    }

    private static String text(final JsonNode value)
    {
        if (value.isArray())
        {
            return value.valueStream().map(HtmlReport::text).collect(Collectors.joining(" · "));
        }
        if (value.isObject())
        {
            return value.properties().stream().map(field -> field.getKey() + " " + text(field.getValue()))
                .collect(Collectors.joining(" · "));
        }
        return value.asText();
    }

    private static String escape(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    /**
     * @return three digits that count, or all before the point if there are more.
     */
    static String figure(final double value)
    {
        final double size = Math.abs(value);
        if (size == 0 || Double.isNaN(value) || Double.isInfinite(value))
        {
            return size == 0 ? "0" : NO_FIGURE;
        }
        if (size >= SMALLEST_WITH_THOUSANDS)
        {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        final int digits = Math.max(0, 2 - (int)Math.floor(Math.log10(size)));
        final String text = String.format(Locale.ROOT, "%." + digits + "f", value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }

    private static String resource(final String name) throws IOException
    {
        try (InputStream stream = HtmlReport.class.getResourceAsStream(name))
        {
            if (stream == null)
            {
                throw new IOException("not on the class path: " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
