// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a scenario wrote: a {@link Report} read again.
 *
 * @param scenario    that wrote it.
 * @param folder      in which the attachments lie.
 * @param environment machine, versions, command, settings.
 * @param rows        its figures.
 * @param notRun      who could not take part.
 * @param attachments files in the folder.
 */
public record ResultFile(
    String scenario,
    Path folder,
    JsonNode environment,
    List<Row> rows,
    List<NotRun> notRun,
    List<Attachment> attachments)
{
    /**
     * @param file that a scenario wrote with {@code --json}.
     * @throws IOException if it cannot be read.
     */
    public static ResultFile read(final Path file) throws IOException
    {
        final JsonNode json = new ObjectMapper().readTree(file.toFile());
        final List<Row> rows = new ArrayList<>();
        for (final JsonNode row : json.path("rows"))
        {
            rows.add(new Row(text(row, "scenario"), text(row, "case"), text(row, "client"), text(row, "metric"),
                text(row, "unit"), new Summary(row.path("median").asDouble(), row.path("min").asDouble(),
                    row.path("max").asDouble(), row.path("runs").asInt())));
        }
        final List<NotRun> notRun = new ArrayList<>();
        for (final JsonNode left : json.path("notRun"))
        {
            notRun.add(new NotRun(
                text(left, "scenario"), text(left, "case"), text(left, "client"), text(left, "reason")));
        }
        final List<Attachment> attachments = new ArrayList<>();
        for (final JsonNode next : json.path("attachments"))
        {
            // Where only figures are kept, as in docs/results, these are not.
            if (Files.exists(file.resolveSibling(text(next, "file"))))
            {
                attachments.add(new Attachment(text(next, "title"), text(next, "kind"), text(next, "file")));
            }
        }
        if (rows.isEmpty() && notRun.isEmpty())
        {
            throw new IOException(file + " is no result of a scenario: it has neither rows nor notRun.");
        }
        return new ResultFile(rows.isEmpty() ? notRun.get(0).scenario() : rows.get(0).scenario(),
            file.toAbsolutePath().getParent(), json.path("environment"), rows, notRun, attachments);
    }

    private static String text(final JsonNode node, final String field)
    {
        return node.path(field).asText();
    }
}
