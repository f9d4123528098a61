// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HtmlReportTest
{
    private static final String CASE = "1,000/s <spin> & \"pinned\"";
    private static final Pattern DATA =
        Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

    @TempDir
    private Path folder;
    private Path latency;
    private Path failed;

    @BeforeEach
    void writeResults() throws IOException
    {
        writeLog("ours.hlog", 1_000);
        writeLog("bare.hlog", 500);
        Files.writeString(folder.resolve("flame.html"), "<script>draw(\"on & on\")</script>");
        latency = folder.resolve("latency.json");
        new Report(
            Environment.describe(Map.of("rates", List.of(1_000, 5_000))),
            List.of(
                new Row("latency", CASE, "odradek-spin", "latencyP50Us", "us", new Summary(55, 50, 70, 3)),
                new Row("latency", CASE, "bare-loop", "latencyP50Us", "us", new Summary(50, 45, 60, 3))),
            List.of(new NotRun("latency", CASE, "stock", "it <fell> over")),
            List.of(
                new Attachment(CASE + ", odradek-spin", Attachment.HLOG, "ours.hlog"),
                new Attachment(CASE + ", bare-loop", Attachment.HLOG, "bare.hlog"),
                new Attachment("CPU of ours", Attachment.FLAME_GRAPH, "flame.html"))).writeTo(latency);
        failed = folder.resolve("chain.json");
        new Report(Environment.describe(Map.of()), List.of(),
            List.of(new NotRun("chain", NotRun.EVERY, NotRun.EVERY, "no broker")), List.of()).writeTo(failed);
    }

    @Test
    void shouldHoldAllItNeeds() throws IOException
    {
        final String page = page();

        assertTrue(page.contains("Chart.js v"), "the library is inside");
        assertTrue(page.contains("default-src 'none'"));
        assertFalse(Pattern.compile("(src|href)=\"(?!#|data:)").matcher(page).find(), "nothing is loaded");
        assertFalse(page.contains("sourceMappingURL"));
        assertFalse(page.contains("{{"), "no placeholder is left");
        assertTrue(page.contains(
            "srcdoc=\"<script>draw(&quot;on &amp; on&quot;)</script>\""), "the flame graph is inside");
    }

    @Test
    void shouldShowAimsThatAreMetNotMetAndNotRun() throws IOException
    {
        final String page = page();

        // 55 by 50 is within 1.2; stock did not run, and neither did the whole scenario chain.
        assertTrue(page.contains("<td class=\"n\">≤ 1.2</td><td class=\"n\">1.1</td><td class=\"state\">met</td>"));
        assertTrue(page.contains("<td class=\"n\">&lt; 1</td><td class=\"n\">–</td><td class=\"state\">not met</td>" +
            "<td>not run: stock classic (it &lt;fell&gt; over)</td>"));
        assertTrue(page.contains("<td class=\"n\">≥ 25</td><td class=\"n\">–</td><td class=\"state\">not run</td>" +
            "<td>no broker</td>"));
        assertTrue(page.contains("<span class=\"met\">1 met</span>"));
    }

    @Test
    void shouldShowEveryRowEscapedAndWhoCouldNotRun() throws IOException
    {
        final String page = page();

        assertTrue(page.contains("<td>1,000/s &lt;spin&gt; &amp; &quot;pinned&quot;</td><td>odradek-spin</td>" +
            "<td>latencyP50Us</td><td>us</td><td class=\"n\">55</td><td class=\"n\">50</td><td class=\"n\">70</td>"));
        assertTrue(page.contains("<td>everyone</td><td>every case</td><td>no broker</td>"));
        assertTrue(page.contains("1000 · 5000"), "settings are there");
        assertFalse(page.contains("<spin>"));
    }

    @Test
    void shouldGiveTheScriptBarsAndCurves() throws IOException
    {
        final JsonNode data = data();

        assertEquals(2, data.size());
        final JsonNode bars = data.get(0);
        assertEquals("chart-1", bars.get("id").asText());
        assertEquals(CASE, bars.get("cases").get(0).asText());
        assertRow(bars.get("rows").get(0), CASE, "odradek-spin", 55, 50, 70);
        final JsonNode points = data.get(1).get("curves").get("odradek-spin");
        assertEquals(1, points.get(0).get(0).asDouble());
        final JsonNode last = points.get(points.size() - 1);
        assertEquals(1_000, last.get(0).asDouble(), "one of a thousand is the largest");
        assertEquals(1_000, last.get(1).asDouble(), 1, "a millisecond in microseconds");
    }

    @Test
    void shouldHaveCasesInTheSameOrderInEachChart() throws IOException
    {
        new Report(Environment.describe(Map.of()), List.of(
            new Row("latency", "first", "ours", "held", "", Summary.of(1)),
            new Row("latency", "second", "ours", "latencyP50Us", "us", Summary.of(2)),
            new Row("latency", "first", "theirs", "latencyP50Us", "us", Summary.of(3))),
            List.of(), List.of()).writeTo(latency);

        final JsonNode latencies = data().get(1);
        assertEquals("[\"first\",\"second\"]", latencies.get("cases").toString());
        assertRow(latencies.get("rows").get(0), "second", "ours", 2, 2, 2);
        assertRow(latencies.get("rows").get(1), "first", "theirs", 3, 3, 3);
    }

    @Test
    void shouldDrawCpuAgainstLatencyForEachBudget() throws IOException
    {
        final List<Row> rows = new ArrayList<>();
        for (final String metric : List.of("latencyP50Us", "processCpuPercent"))
        {
            rows.add(new Row("budget", "0 ms", "odradek", metric, "", Summary.of(metric.length())));
            rows.add(new Row("budget", "2 ms", "odradek", metric, "", Summary.of(1)));
            rows.add(new Row("budget", "2 ms", "stock-tuned", metric, "", Summary.of(3)));
        }
        new Report(Environment.describe(Map.of()), rows, List.of(), List.of()).writeTo(latency);

        final JsonNode chart = data().get(0);
        assertEquals("lines", chart.get("kind").asText());
        assertEquals("latency p50, µs", chart.get("across").asText());
        assertRow(chart.get("acrossRows").get(0), "0 ms", "odradek", 12, 12, 12);
        assertRow(chart.get("acrossRows").get(2), "2 ms", "stock-tuned", 3, 3, 3);
        assertRow(chart.get("rows").get(0), "0 ms", "odradek", 17, 17, 17);
    }

    @Test
    void shouldKeepTheTagsOfALogApart() throws IOException
    {
        final HistogramLogWriter writer = new HistogramLogWriter(folder.resolve("tagged.hlog").toFile());
        for (final String tag : List.of("5-chains", "6-chains", "5-chains"))
        {
            final Histogram histogram = new Histogram(3);
            histogram.setTag(tag);
            histogram.recordValue(1_000);
            writer.outputIntervalHistogram(histogram);
        }
        writer.close();

        final Map<String, List<double[]>> points = Charts.percentiles(folder.resolve("tagged.hlog"));

        assertEquals(List.of("5-chains", "6-chains"), List.copyOf(points.keySet()));
        final List<double[]> five = points.get("5-chains");
        assertEquals(2, five.get(five.size() - 1)[0], "one of two values");
    }

    @Test
    void shouldNotTakeAnythingForAResult() throws IOException
    {
        final Path file = Files.writeString(folder.resolve("other.json"), "{\"rows\": []}");

        assertThrows(IOException.class, () -> HtmlReport.write(List.of(file), folder.resolve("other.html"), null));
    }

    @Test
    void shouldWriteFiguresForReaders()
    {
        assertEquals("41,355,957", HtmlReport.figure(41_355_956.8));
        assertEquals("123", HtmlReport.figure(123.4));
        assertEquals("12.3", HtmlReport.figure(12.34));
        assertEquals("0.857", HtmlReport.figure(0.857085));
        assertEquals("0.00012", HtmlReport.figure(0.00012));
        assertEquals("0", HtmlReport.figure(0));
        assertEquals("-1,234", HtmlReport.figure(-1_234));
        assertEquals("10", HtmlReport.figure(9.996));
        assertEquals("–", HtmlReport.figure(Double.NaN));
        assertEquals("thread CPU per record", Metric.words("threadCpuPerRecord"));
        assertEquals("latency p99.99", Metric.words("latencyP9999Us"));
    }

    private JsonNode data() throws IOException
    {
        final Matcher matcher = DATA.matcher(page());
        assertTrue(matcher.find());
        return new ObjectMapper().readTree(matcher.group(1));
    }

    private static void assertRow(final JsonNode row, final String caseName, final String client,
        final double median, final double min, final double max)
    {
        assertEquals(caseName, row.get("case").asText());
        assertEquals(client, row.get("client").asText());
        assertEquals(median, row.get("median").asDouble());
        assertEquals(min, row.get("min").asDouble());
        assertEquals(max, row.get("max").asDouble());
    }

    private String page() throws IOException
    {
        final Path html = folder.resolve("report.html");
        HtmlReport.write(List.of(latency, failed), html, null);
        return Files.readString(html);
    }

    /** A thousand values in two intervals, the largest a thousand times the unit. */
    private void writeLog(final String name, final long unitNs) throws IOException
    {
        final HistogramLogWriter writer = new HistogramLogWriter(folder.resolve(name).toFile());
        for (int interval = 0; interval < 2; interval++)
        {
            final Histogram histogram = new Histogram(3);
            for (int i = 1; i <= 500; i++)
            {
                histogram.recordValue((interval * 500L + i) * unitNs);
            }
            histogram.setStartTimeStamp(interval * 1_000L);
            histogram.setEndTimeStamp((interval + 1) * 1_000L);
            writer.outputIntervalHistogram(histogram);
        }
        writer.close();
    }
}
