// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The figures of one run and where they came from.
 *
 * @param environment as {@link Environment} describes it.
 * @param rows        one for each case, client and metric.
 * @param notRun      who could not take part, and why.
 * @param attachments files that lie beside the JSON.
 */
public record Report(
    Map<String, Object> environment, List<Row> rows, List<NotRun> notRun, List<Attachment> attachments)
{
    /**
     * Everyone took part, and there is nothing beside.
     */
    public Report(final Map<String, Object> environment, final List<Row> rows)
    {
        this(environment, rows, List.of(), List.of());
    }

    public void writeTo(final Path file) throws IOException
    {
        final ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        final ObjectNode json = mapper.createObjectNode();
        json.set("environment", mapper.valueToTree(environment));
        final ArrayNode array = json.putArray("rows");
        for (final Row row : rows)
        {
            array.add(row.toJson());
        }
        final ArrayNode left = json.putArray("notRun");
        for (final NotRun next : notRun)
        {
            left.add(next.toJson());
        }
        final ArrayNode files = json.putArray("attachments");
        for (final Attachment attachment : attachments)
        {
            files.add(attachment.toJson());
        }
        Files.writeString(file, mapper.writeValueAsString(json) + "\n");
    }
}
