// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.tools.numbers.Environment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the demo found.
 *
 * @param plan  of the run.
 * @param ours  our consumer.
 * @param stock the stock consumer.
 */
record DemoResult(DemoPlan plan, ClientResult ours, ClientResult stock)
{
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    ObjectNode toJson()
    {
        final ObjectNode json = MAPPER.createObjectNode();
        json.set("ours", MAPPER.valueToTree(ours));
        json.set("stock", MAPPER.valueToTree(stock));
        final ObjectNode ratios = json.putObject("ratios");
        ratio(ratios, "allocatedBytes", ours.allocatedBytes(), stock.allocatedBytes());
        ratio(ratios, "cpuPercentProcess", ours.cpuPercentProcess(), stock.cpuPercentProcess());
        ratio(ratios, "cpuPercentThread", ours.cpuPercentThread(), stock.cpuPercentThread());
        json.set("environment", Environment.here().set("settings", plan.toJson()));
        return json;
    }

    void writeTo(final Path file) throws IOException
    {
        if (file.toAbsolutePath().getParent() != null)
        {
            Files.createDirectories(file.toAbsolutePath().getParent());
        }
        Files.writeString(file, MAPPER.writeValueAsString(toJson()) + "\n");
    }

    private static void ratio(final ObjectNode ratios, final String name, final double ours, final double stock)
    {
        if (stock == 0)
        {
            ratios.putNull(name);
        }
        else
        {
            ratios.put(name, ours / stock);
        }
    }
}
