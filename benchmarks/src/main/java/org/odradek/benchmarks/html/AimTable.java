// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.html;

import org.odradek.benchmarks.aims.Verdict;

import java.util.List;

/**
 * The rows of the table of aims.
 */
final class AimTable
{
    private AimTable()
    {
    }

    static String rows(final List<Verdict> verdicts)
    {
        final StringBuilder html = new StringBuilder(Html.head(
            "scenario", "case", "figure of ours", "against", "aim", "measured", "", "distance"));
        for (final Verdict verdict : verdicts)
        {
            final String state = verdict.stateInWords();
            html.append("<tr class=\"").append(state.replace(' ', '-'))
                .append("\"><td><a href=\"#").append(verdict.aim().scenario())
                .append("\">").append(verdict.aim().scenario()).append("</a></td><td>")
                .append(Html.escape(verdict.caseName())).append("</td><td>")
                .append(Html.escape(Html.words(verdict.aim().metric())));
            if (!verdict.aim().client().equals("odradek"))
            {
                html.append(" <small>").append(Html.escape(verdict.aim().client())).append("</small>");
            }
            html.append("</td><td>").append(Html.escape(verdict.aim().against()))
                .append("</td><td class=\"n\">").append(Html.escape(verdict.wanted()))
                .append("</td><td class=\"n\">").append(verdict.hasFigure() ? Html.figure(verdict.figure()) : "–")
                .append("</td><td class=\"state\">").append(state)
                .append("</td><td>").append(distance(verdict)).append("</td></tr>\n");
        }
        return html.toString();
    }

    private static String distance(final Verdict verdict)
    {
        final StringBuilder html = new StringBuilder(Html.escape(verdict.note()));
        if (verdict.hasFigure() && !verdict.note().isEmpty())
        {
            html.append("; against the others ");
        }
        final double missedBy = verdict.missedBy();
        if (!Double.isNaN(missedBy))
        {
            html.append(missedBy > 1 ? "missed by a factor of " + Html.figure(missedBy) :
                "a factor of " + Html.figure(1 / missedBy) + " to spare");
        }
        else if (verdict.hasFigure() && verdict.figure() > 0)
        {
            html.append(Html.figure(verdict.figure())).append(" too many");
        }
        return html.toString();
    }
}
