/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
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
 */
public record Report(Map<String, Object> environment, List<Row> rows)
{
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
        Files.writeString(file, mapper.writeValueAsString(json) + "\n");
    }
}
