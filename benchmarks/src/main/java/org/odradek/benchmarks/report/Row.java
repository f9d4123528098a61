// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * One figure of one client in one case of a scenario.
 *
 * @param scenario what is done, the name of the command.
 * @param caseName with what, for example the size of a value.
 * @param client   who did it.
 * @param metric   what was measured.
 * @param unit     in what.
 * @param summary  median and spread.
 */
public record Row(String scenario, String caseName, String client, String metric, String unit, Summary summary)
{
    JsonNode toJson()
    {
        return JsonNodeFactory.instance.objectNode()
            .put("scenario", scenario)
            .put("case", caseName)
            .put("client", client)
            .put("metric", metric)
            .put("unit", unit)
            .put("median", summary.median())
            .put("min", summary.min())
            .put("max", summary.max())
            .put("runs", summary.runs());
    }
}
