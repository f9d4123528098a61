// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.List;
import java.util.Map;

/**
 * The result of a chaos run of a group or of a pipeline.
 *
 * @param verdict  null if the run ended early.
 * @param faults   how often each kind has struck.
 * @param problems sentences that say why the run ended early.
 * @param <R>      the rules of the verdict.
 */
record RunResult<R extends Enum<R>>(Verdict<R> verdict, Map<?, Integer> faults, List<String> problems)
{
    boolean isClean()
    {
        return problems.isEmpty() && verdict.isClean();
    }

    /** Whether a rule is violated, as the one must be that should find a defect. */
    boolean isFound(final R rule)
    {
        return verdict != null && !verdict.findings(rule).isEmpty();
    }

    /**
     * The head of a table of defects.
     *
     * @param struck what has them.
     */
    static String defectHead(final String struck)
    {
        return "\n| defect of " + struck + " | struck with | breaks the rule | found as |\n|---|---|---|---|\n";
    }

    /**
     * A row of a table of defects, for the defect of this run.
     *
     * @param fault that shows it.
     * @param rule  that should find it.
     */
    String defectRow(final Object defect, final Object fault, final R rule)
    {
        return "| " + defect + " | " + fault + " | " + rule + " | " +
            (isFound(rule) ? verdict.findings(rule).get(0) : "**not found**") + " |";
    }

    String toText()
    {
        final StringBuilder text = new StringBuilder("faults: ").append(faults).append("\n\n");
        problems.forEach((problem) -> text.append("problem: ").append(problem).append('\n'));
        return text.append(verdict == null ? "NOT CLEAN" : verdict.toText()).toString();
    }
}
