// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.odradek.benchmarks.report.ResultFile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The verdicts on all aims as JSON, from which a page can be written: {@code {"verdicts": [{scenario, case, client,
 * metric, against, wanted, figure, state, note}]}}, the figure null where there is none.
 */
public final class AimsFile
{
    private AimsFile()
    {
    }

    /**
     * @param results of the scenarios.
     * @param file    to write.
     * @throws IOException if it cannot be written.
     */
    public static void write(final List<ResultFile> results, final Path file) throws IOException
    {
        final ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        final ObjectNode json = mapper.createObjectNode();
        final ArrayNode array = json.putArray("verdicts");
        for (final Verdict verdict : new AimCheck(results).judge(Aims.all()))
        {
            final ObjectNode node = array.addObject();
            node.put("scenario", verdict.aim().scenario());
            node.put("case", verdict.caseName());
            node.put("client", verdict.aim().client());
            node.put("metric", verdict.aim().metric());
            node.put("against", verdict.aim().against());
            node.put("wanted", verdict.wanted());
            node.put("figure", verdict.hasFigure() ? verdict.figure() : null);
            node.put("state", verdict.stateInWords());
            node.put("note", verdict.note());
        }
        Files.writeString(file, mapper.writeValueAsString(json) + "\n");
    }
}
