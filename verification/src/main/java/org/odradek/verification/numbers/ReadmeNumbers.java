// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The figures of a page, between {@code <!-- numbers:NAME -->} and {@code <!-- /numbers -->}, or a whole drawing. They
 * are written from {@code docs/results/NAME.json}, the result of the measuring command, and never by hand.
 */
public final class ReadmeNumbers
{
    private static final Pattern BEGIN = Pattern.compile("<!-- numbers:([a-z0-9-]+) -->\n");
    private static final String END = "<!-- /numbers -->";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Path home;
    private final String page;
    private final Path readme;

    /**
     * @param home the folder of README.md and docs/results.
     */
    public ReadmeNumbers(final Path home)
    {
        this(home, "README.md");
    }

    /**
     * @param home the folder of docs/results.
     * @param page that holds the figures, relative to the home.
     */
    public ReadmeNumbers(final Path home, final String page)
    {
        this.home = home;
        this.page = page;
        this.readme = home.resolve(page);
    }

    /**
     * @return the page, relative to the home.
     */
    public String page()
    {
        return page;
    }

    /**
     * @param name of a result.
     * @return the file of its committed JSON.
     */
    public Path resultFile(final String name)
    {
        return home.resolve("docs").resolve("results").resolve(name + ".json");
    }

    /**
     * @return whether the page shows the committed results.
     * @throws IOException if one of them cannot be read.
     */
    public boolean isUpToDate() throws IOException
    {
        return Files.exists(readme) && Files.readString(readme).equals(rewritten());
    }

    /**
     * Writes the committed results between the page's markers.
     *
     * @throws IOException if a result cannot be read or the page not written.
     */
    public void write() throws IOException
    {
        Files.writeString(readme, rewritten());
    }

    private String rewritten() throws IOException
    {
        if (!page.endsWith(LineChart.SUFFIX))
        {
            return rewritten(Files.readString(readme));
        }
        final String scenario = readme.getFileName().toString().replace(LineChart.SUFFIX, "");
        return scenario.equals(ChainNumbers.SCENARIO) ? ChainNumbers.svg(result(scenario)) :
            LineChart.svg(scenario, result(scenario));
    }

    private String rewritten(final String text) throws IOException
    {
        final StringBuilder out = new StringBuilder();
        final Matcher begin = BEGIN.matcher(text);
        int copied = 0;
        while (begin.find(copied))
        {
            final int end = text.indexOf(END, begin.end());
            final int next = text.indexOf("<!-- numbers:", begin.end());
            if (end < 0 || next >= 0 && next < end)
            {
                throw new IllegalStateException(
                    page + " has no " + END + " after <!-- numbers:" + begin.group(1) + " -->: add it.");
            }
            out.append(text, copied, begin.end()).append(section(begin.group(1)));
            copied = end;
        }
        if (copied == 0)
        {
            throw new IllegalStateException(
                page + " has no <!-- numbers:NAME --> marker, so no figures can be written to it.");
        }
        return out.append(text, copied, text.length()).toString();
    }

    private String section(final String name) throws IOException
    {
        switch (name)
        {
            case "summary":
                return summary();
            case "chains":
                return ChainNumbers.markdown(result(ChainNumbers.SCENARIO));
            case "jmh":
                return ResultTables.jmh(result(name));
            case "aims":
                return ResultTables.aims(result(name));
            default:
                if (!ScenarioNumbers.isKnown(name))
                {
                    throw new IllegalStateException(page + " wants the numbers of " + name +
                        ", which no command measures: known are summary, chains, jmh, aims and scenarios.");
                }
                return ScenarioNumbers.markdown(name, result(name));
        }
    }

    private String summary() throws IOException
    {
        final Map<String, JsonNode> results = new HashMap<>();
        for (final String scenario : Summary.scenarios())
        {
            results.put(scenario, result(scenario));
        }
        return Summary.markdown(results);
    }

    private JsonNode result(final String name) throws IOException
    {
        final Path file = resultFile(name);
        if (!Files.exists(file))
        {
            throw new IllegalStateException(page + " wants the numbers of " + name + ", but docs/results/" + name +
                ".json does not exist: measure them with --record.");
        }
        return MAPPER.readTree(file.toFile());
    }
}
