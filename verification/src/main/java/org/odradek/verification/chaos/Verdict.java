// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The verdict of a judge: sentences on what violates its rules, and a line that sums up.
 *
 * @param <R> the rules; the text of each is its sentence.
 */
final class Verdict<R extends Enum<R>>
{
    private static final int MAX_SENTENCES = 5;

    private final Map<R, List<String>> findings = new LinkedHashMap<>();
    private boolean isSubstantial;
    private String summary;

    Verdict(final R[] rules)
    {
        for (final R rule : rules)
        {
            findings.put(rule, new ArrayList<>());
        }
    }

    void find(final R rule, final String sentence)
    {
        findings.get(rule).add(sentence);
    }

    List<String> findings(final R rule)
    {
        return findings.get(rule);
    }

    /**
     * Ends the judgement.
     *
     * @param hasSubstance false if there was nothing to judge.
     * @param text         what was judged, without the verdict.
     */
    void sumUp(final boolean hasSubstance, final String text)
    {
        isSubstantial = hasSubstance;
        summary = text;
    }

    boolean isClean()
    {
        return isSubstantial && findings.values().stream().allMatch(List::isEmpty);
    }

    /** A table of the rules, the first findings of each, and the line that sums up. */
    String toText()
    {
        final StringBuilder text = new StringBuilder("| rule | verdict |\n|---|---|\n");
        findings.forEach((rule, found) -> text.append("| ").append(rule).append(" | ")
            .append(found.isEmpty() ? "holds" : "**violated** " + found.size() + " times").append(" |\n"));
        findings.forEach((rule, found) -> found.stream().limit(MAX_SENTENCES).forEach((sentence) ->
            text.append("\n").append(rule.ordinal() + 1).append(": ").append(sentence).append('.')));
        return text.append(isClean() ? "\nCLEAN: " : "\nNOT CLEAN: ").append(summary).toString();
    }
}
