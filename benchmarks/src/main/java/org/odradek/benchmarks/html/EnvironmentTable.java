// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import com.fasterxml.jackson.databind.JsonNode;
import org.odradek.benchmarks.report.ResultFile;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where figures came from: what all scenarios of a run share, and what is one scenario's own.
 */
final class EnvironmentTable
{
    private static final String SETTINGS = "settings";
    private static final String DATE = "date";
    private static final String COMMAND = "command";

    private EnvironmentTable()
    {
    }

    /**
     * @return rows of a table; a value that differs between scenarios is there more than once.
     */
    static String machine(final List<ResultFile> results)
    {
        final Map<String, Set<String>> values = new LinkedHashMap<>();
        for (final ResultFile result : results)
        {
            result.environment().properties().forEach(field ->
            {
                if (!field.getKey().equals(SETTINGS) && !field.getKey().equals(DATE))
                {
                    values.computeIfAbsent(field.getKey(), key -> new LinkedHashSet<>()).add(text(field.getValue()));
                }
            });
        }
        final StringBuilder html = new StringBuilder();
        final List<String> dates = results.stream().map(result -> result.environment().path(DATE).asText())
            .filter(date -> !date.isEmpty()).sorted().toList();
        if (!dates.isEmpty())
        {
            final String first = dates.get(0);
            final String last = dates.get(dates.size() - 1);
            html.append(row(DATE, first.equals(last) ? time(first) : time(first) + " to " + time(last)));
        }
        values.forEach((name, texts) -> html.append(row(name, String.join("\n", texts))));
        return html.toString();
    }

    /**
     * @return when it ran, and its settings, to be unfolded.
     */
    static String scenario(final ResultFile result)
    {
        final JsonNode environment = result.environment();
        final StringBuilder html = new StringBuilder("<p class=\"when\">");
        if (environment.has(COMMAND))
        {
            html.append("<code>").append(Html.escape(environment.path(COMMAND).asText())).append("</code> ");
        }
        html.append(Html.escape(time(environment.path(DATE).asText()))).append("</p>\n");
        if (environment.path(SETTINGS).size() > 0)
        {
            html.append("<details><summary>settings</summary><table class=\"left\">");
            environment.path(SETTINGS).properties().forEach(field ->
                html.append(row(field.getKey(), text(field.getValue()))));
            html.append("</table></details>\n");
        }
        return html.toString();
    }

    /** From 2026-11-21T06:00:15Z to how people write it. */
    private static String time(final String instant)
    {
        return instant.replace('T', ' ').replace("Z", " UTC");
    }

    private static String row(final String name, final String value)
    {
        return "<tr><th>" + Html.escape(Html.words(name)) + "</th><td>" +
            Html.escape(value).replace("\n", "<br>") + "</td></tr>\n";
    }

    private static String text(final JsonNode value)
    {
        if (value.isArray())
        {
            final StringBuilder text = new StringBuilder();
            value.forEach(next -> text.append(text.length() == 0 ? "" : " · ").append(text(next)));
            return text.toString();
        }
        if (value.isObject())
        {
            return value.properties().stream().map(field -> field.getKey() + " " + text(field.getValue()))
                .collect(Collectors.joining(" · "));
        }
        return value.asText();
    }
}
