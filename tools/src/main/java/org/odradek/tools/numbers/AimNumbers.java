// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.numbers;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The verdicts {scenario, case, client, metric, against, wanted, figure, state, note} on all aims as one table, those
 * of one aim in the order in which its cases were measured.
 */
final class AimNumbers
{
    private static final String MET = "met";

    private AimNumbers()
    {
    }

    static String markdown(final JsonNode result)
    {
        final Table table = new Table("scenario, case", "client", "figure", "against", "aim", "measured", "");
        int count = 0;
        int met = 0;
        for (final JsonNode verdict : result.path("verdicts"))
        {
            final String state = verdict.path("state").asText();
            final String note = verdict.path("note").asText();
            table.row("`" + verdict.path("scenario").asText() + "`, " + verdict.path("case").asText(),
                verdict.path("client").asText(), verdict.path("metric").asText(), verdict.path("against").asText(),
                verdict.path("wanted").asText(),
                verdict.path("figure").isNumber() ? Table.figure(verdict.path("figure").asDouble()) : "–",
                state + (note.isEmpty() ? "" : ": " + note));
            count++;
            met += state.equals(MET) ? 1 : 0;
        }
        if (count == 0)
        {
            throw new IllegalStateException("docs/results/aims.json holds no verdicts: measure with --record again.");
        }
        return table.toMarkdown() + "\n" + met + " of " + count + " met, by the results in docs/results.\n";
    }
}
