// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * A file beside the JSON that belongs to its figures.
 *
 * @param title what it shows: the case and the client, with a comma between them.
 * @param kind  {@link #HLOG} or {@link #FLAME_GRAPH}.
 * @param file  its bare name, in the folder of the JSON.
 */
public record Attachment(String title, String kind, String file)
{
    /** An interval log of HdrHistogram, in nanoseconds. */
    public static final String HLOG = "hlog";

    /** A page written by async-profiler. */
    public static final String FLAME_GRAPH = "flamegraph";

    /**
     * @return a name for a file of one client in one case, of letters, digits and dashes.
     */
    public static String fileName(
        final String scenario, final String caseName, final String client, final String ending)
    {
        return (scenario + "-" + caseName + "-" + client).replaceAll("[^A-Za-z0-9]+", "-") + "." + ending;
    }

    JsonNode toJson()
    {
        return JsonNodeFactory.instance.objectNode().put("title", title).put("kind", kind).put("file", file);
    }
}
