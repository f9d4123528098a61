// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.numbers;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.OptionalDouble;

/** The rows of a scenario's result. */
final class ResultRows
{
    private ResultRows()
    {
    }

    /** Returns the median of a metric; nothing if the client has none in this case. */
    static OptionalDouble median(
        final JsonNode result, final String caseName, final String client, final String metric)
    {
        for (final JsonNode row : result.path("rows"))
        {
            if (row.path("metric").asText().equals(metric) && row.path("client").asText().equals(client) &&
                row.path("case").asText().equals(caseName))
            {
                return OptionalDouble.of(row.path("median").asDouble());
            }
        }
        return OptionalDouble.empty();
    }
}
