// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Sentences on what violates the rules of a verdict.
 *
 * @param <R> the rules.
 */
final class Findings<R extends Enum<R>>
{
    private static final int MAX_SENTENCES = 5;

    private final Map<R, List<String>> sentences = new LinkedHashMap<>();
    private final Function<R, String> text;

    /** @param text of a rule. */
    Findings(final R[] rules, final Function<R, String> text)
    {
        this.text = text;
        for (final R rule : rules)
        {
            sentences.put(rule, new ArrayList<>());
        }
    }

    List<String> of(final R rule)
    {
        return sentences.get(rule);
    }

    boolean isEmpty()
    {
        return sentences.values().stream().allMatch(List::isEmpty);
    }

    /** A table of the rules, and the first findings of each. */
    StringBuilder toText()
    {
        final StringBuilder table = new StringBuilder("| rule | verdict |\n|---|---|\n");
        sentences.forEach((rule, found) -> table.append("| ").append(text.apply(rule)).append(" | ")
            .append(found.isEmpty() ? "holds" : "**violated** " + found.size() + " times").append(" |\n"));
        sentences.forEach((rule, found) -> found.stream().limit(MAX_SENTENCES).forEach((sentence) ->
            table.append("\n").append(rule.ordinal() + 1).append(": ").append(sentence).append('.')));
        return table.append('\n');
    }
}
