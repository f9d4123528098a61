// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import org.odradek.benchmarks.aims.AimCheck;
import org.odradek.benchmarks.aims.Aims;
import org.odradek.benchmarks.aims.Verdict;
import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.ResultFile;
import org.odradek.benchmarks.report.Row;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Properties;

/**
 * The whole page, from the results of a run.
 */
public final class HtmlReport
{
    private static final String LIBRARY_PROPERTIES = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    private static final String LIBRARY = "/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.min.js";

    private final Charts charts = new Charts();
    private final List<ResultFile> results;
    private final List<Verdict> verdicts;

    /**
     * @param results of one run, in the order in which they are shown; at least one.
     */
    public HtmlReport(final List<ResultFile> results)
    {
        this.results = results;
        verdicts = new AimCheck(results).judge(Aims.all());
    }

    /**
     * @return the page.
     * @throws IOException if an attachment cannot be read.
     */
    public String page() throws IOException
    {
        final StringBuilder sections = new StringBuilder();
        final StringBuilder links = new StringBuilder();
        for (final ResultFile result : results)
        {
            final String name = Html.escape(result.scenario());
            links.append("<a href=\"#").append(name).append("\">").append(name).append("</a>\n");
            sections.append(section(result));
        }
        // What comes from files is put in last, so that nothing in it is taken for a placeholder.
        return resource("report.html")
            .replace("{{style}}", resource("report.css"))
            .replace("{{library}}", library())
            .replace("{{script}}", resource("report.js"))
            .replace("{{summary}}", summary())
            .replace("{{machine}}", EnvironmentTable.machine(results))
            .replace("{{aims}}", AimTable.rows(verdicts))
            .replace("{{links}}", links)
            .replace("{{data}}", charts.json())
            .replace("{{sections}}", sections);
    }

    private static String library() throws IOException
    {
        final Properties properties = new Properties();
        properties.load(new StringReader(resource(LIBRARY_PROPERTIES)));
        // A browser with its tools open would look for the map.
        return resource(String.format(LIBRARY, properties.getProperty("version")))
            .replaceAll("//# sourceMappingURL=\\S+", "");
    }

    private String summary()
    {
        final long met = count(Verdict.State.MET);
        final long notMet = count(Verdict.State.NOT_MET);
        final long notRun = count(Verdict.State.NOT_RUN);
        return "<span class=\"met\">" + met + " met</span> <span class=\"not-met\">" + notMet + " not met</span> " +
            "<span class=\"not-run\">" + notRun + " not run</span>";
    }

    private long count(final Verdict.State state)
    {
        return verdicts.stream().filter(verdict -> verdict.state() == state).count();
    }

    private String section(final ResultFile result) throws IOException
    {
        final StringBuilder html = new StringBuilder("<section id=\"" + Html.escape(result.scenario()) +
            "\">\n<h2>" + Html.escape(result.scenario()) + "</h2>\n");
        html.append(EnvironmentTable.scenario(result));
        if (!result.notRun().isEmpty())
        {
            html.append("<table class=\"left\">").append(Html.head("not run", "case", "reason"));
            for (final NotRun left : result.notRun())
            {
                html.append("<tr class=\"not-run\"><td>").append(everyOr(left.client(), "everyone"))
                    .append("</td><td>").append(everyOr(left.caseName(), "every case"))
                    .append("</td><td>").append(Html.escape(left.reason())).append("</td></tr>\n");
            }
            html.append("</table>\n");
        }
        html.append("<div class=\"charts\">\n").append(charts.of(result)).append("</div>\n");
        html.append(flameGraphs(result)).append(rawRows(result));
        return html.append("</section>\n").toString();
    }

    private static String everyOr(final String name, final String every)
    {
        return name.equals(NotRun.EVERY) ? every : Html.escape(name);
    }

    private static String flameGraphs(final ResultFile result) throws IOException
    {
        final StringBuilder html = new StringBuilder();
        for (final Attachment next : result.attachments())
        {
            if (next.kind().equals(Attachment.FLAME_GRAPH))
            {
                final String graph = Files.readString(result.folder().resolve(next.file()));
                html.append("<details><summary>flame graph: ").append(Html.escape(next.title()))
                    .append("</summary><iframe sandbox=\"allow-scripts\" loading=\"lazy\" title=\"")
                    .append(Html.escape(next.title())).append("\" srcdoc=\"")
                    .append(graph.replace("&", "&amp;").replace("\"", "&quot;")).append("\"></iframe></details>\n");
            }
        }
        return html.toString();
    }

    private static String rawRows(final ResultFile result)
    {
        final StringBuilder html = new StringBuilder("<details><summary>all " + result.rows().size() +
            " figures</summary>\n<table>" +
            Html.head("case", "client", "metric", "unit", "median", "least", "most", "runs"));
        for (final Row row : result.rows())
        {
            html.append("<tr><td>").append(Html.escape(row.caseName()))
                .append("</td><td>").append(Html.escape(row.client()))
                .append("</td><td>").append(Html.escape(row.metric()))
                .append("</td><td>").append(Html.escape(row.unit()))
                .append("</td><td class=\"n\">").append(Html.figure(row.summary().median()))
                .append("</td><td class=\"n\">").append(Html.figure(row.summary().min()))
                .append("</td><td class=\"n\">").append(Html.figure(row.summary().max()))
                .append("</td><td class=\"n\">").append(row.summary().runs()).append("</td></tr>\n");
        }
        return html.append("</table></details>\n").toString();
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
