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

/**
 * The figures of one run of a scenario and where they came from; written as JSON and read again.
 *
 * @param environment as {@link Environment} describes it.
 * @param rows        one for each case, client and metric.
 * @param attachments files in the folder of the JSON.
 */
public record Report(
    Map<String, Object> environment, List<Row> rows, List<NotRun> notRun, List<Attachment> attachments)
{
    private static final ObjectMapper JSON = new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT).disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    /** One figure of one client in one case of a scenario; a metric has its name in rows, {@link Metric#key()}. */
    public record Row(String scenario, @JsonProperty("case") String caseName, String client, String metric, String unit,
        @JsonUnwrapped Summary summary)
    {
    }

    /** A client that could not take part in a case, and why in words; case and client may be {@link #EVERY}. */
    public record NotRun(String scenario, @JsonProperty("case") String caseName, String client, String reason)
    {
        /** Stands for every case, or every client. */
        public static final String EVERY = "*";
    }

    /** A file, by its bare name in the JSON and its path after {@link Report#read}; the title is "CASE, CLIENT". */
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

    /** Reads a file that a scenario wrote with {@code --json}. Attachments that are not beside it are left out. */
    public static Report read(final Path file) throws IOException
    {
        final Report report = JSON.readValue(file.toFile(), Report.class);
        if (report.rows.isEmpty() && report.notRun.isEmpty())
        {
            throw new IOException(file + " is no result of a scenario: it has neither rows nor notRun.");
        }
        return new Report(report.environment, report.rows, report.notRun, report.attachments.stream()
            .map((next) -> new Attachment(next.title, next.kind, file.resolveSibling(next.file).toString()))
            .filter((next) -> Files.exists(Path.of(next.file))).toList());
    }

    static void write(final Path file, final Object result) throws IOException
    {
        Files.writeString(file, JSON.writeValueAsString(result) + "\n");
    }

    public void writeTo(final Path file) throws IOException
    {
        write(file, this);
    }

    public String scenario()
    {
        return rows.isEmpty() ? notRun.get(0).scenario : rows.get(0).scenario;
    }
}
