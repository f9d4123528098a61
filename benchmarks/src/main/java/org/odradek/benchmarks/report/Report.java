// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The figures of one run of a scenario and where they came from; written as JSON and read again.
 *
 * @param environment as {@link Environment} describes it.
 * @param rows        one for each case, client and metric.
 * @param notRun      the clients that could not take part, and why.
 * @param attachments files in the folder of the JSON.
 */
public record Report(
    Map<String, Object> environment, List<Row> rows, List<NotRun> notRun, List<Attachment> attachments)
{
    private static final ObjectMapper JSON = new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT).disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    public Report
    {
        environment = Objects.requireNonNullElse(environment, Map.of());
        rows = Objects.requireNonNullElse(rows, List.of());
        notRun = Objects.requireNonNullElse(notRun, List.of());
        attachments = Objects.requireNonNullElse(attachments, List.of());
    }

    /**
     * One figure of one client in one case of a scenario.
     *
     * @param scenario the name of the command.
     * @param caseName what was read, for example the size of a value.
     * @param client   who read it.
     * @param metric   what was measured, a name of {@link Metric}.
     * @param unit     of the figure.
     * @param summary  median and spread.
     */
    public record Row(String scenario, @JsonProperty("case") String caseName, String client, String metric, String unit,
        @JsonUnwrapped Summary summary)
    {
    }

    /**
     * A client that could not take part in a case.
     *
     * @param scenario the name of the command.
     * @param caseName of the case, {@link #EVERY} if it took part in none.
     * @param client   who, {@link #EVERY} if nobody ran.
     * @param reason   in words.
     */
    public record NotRun(String scenario, @JsonProperty("case") String caseName, String client, String reason)
    {
        /** Stands for every case, or every client. */
        public static final String EVERY = "*";
    }

    /**
     * A file that belongs to the figures.
     *
     * @param title what it shows: the case and the client, with a comma between them.
     * @param kind  {@link #HLOG} or {@link #FLAME_GRAPH}.
     * @param file  its bare name in the JSON, a path after {@link Report#read}.
     */
    public record Attachment(String title, String kind, String file)
    {
        /** An interval log of HdrHistogram, in nanoseconds. */
        public static final String HLOG = "hlog";
        /** A page written by async-profiler. */
        public static final String FLAME_GRAPH = "flamegraph";

        /** For one client in one case, of letters, digits and dashes. */
        public static String fileName(
            final String scenario, final String caseName, final String client, final String ending)
        {
            return (scenario + "-" + caseName + "-" + client).replaceAll("[^A-Za-z0-9]+", "-") + "." + ending;
        }
    }

    /**
     * @param file that a scenario wrote with {@code --json}. Attachments that are not beside it are left out.
     * @throws IOException if it cannot be read.
     */
    public static Report read(final Path file) throws IOException
    {
        final Report report = JSON.readValue(file.toFile(), Report.class);
        if (report.rows.isEmpty() && report.notRun.isEmpty())
        {
            throw new IOException(file + " is no result of a scenario: it has neither rows nor notRun.");
        }
        return new Report(report.environment, report.rows, report.notRun, report.attachments.stream()
            .map(next -> new Attachment(next.title, next.kind, file.resolveSibling(next.file).toString()))
            .filter(next -> Files.exists(Path.of(next.file))).toList());
    }

    static void write(final Path file, final Object result) throws IOException
    {
        Files.writeString(file, JSON.writeValueAsString(result) + "\n");
    }

    public void writeTo(final Path file) throws IOException
    {
        write(file, this);
    }

    /** The name of the scenario that wrote it. */
    public String scenario()
    {
        return rows.isEmpty() ? notRun.get(0).scenario : rows.get(0).scenario;
    }
}
