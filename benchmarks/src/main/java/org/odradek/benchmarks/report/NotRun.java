// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * A client that could not take part in a case.
 *
 * @param scenario the name of the command.
 * @param caseName of the case, {@link #EVERY} where it could take part in none.
 * @param client   who, {@link #EVERY} where nobody ran.
 * @param reason   in words.
 */
public record NotRun(String scenario, String caseName, String client, String reason)
{
    /** Stands for every case, or every client. */
    public static final String EVERY = "*";

    /**
     * @return who could not, and why.
     */
    public String sentence()
    {
        return "not run: " + client + ": " + reason;
    }

    JsonNode toJson()
    {
        return JsonNodeFactory.instance.objectNode()
            .put("scenario", scenario)
            .put("case", caseName)
            .put("client", client)
            .put("reason", reason);
    }
}
