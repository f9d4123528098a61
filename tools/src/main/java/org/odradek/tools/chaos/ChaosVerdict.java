// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.chaos;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a run has shown.
 *
 * @param tally        of all comparisons.
 * @param faults       how often each kind has happened.
 * @param stoppedCount partitions that stopped although nothing called for it.
 * @param problems     what kept the run from going on, in sentences.
 * @param sabotage     of the run itself.
 */
record ChaosVerdict(
    ChaosTally tally,
    Map<FaultKind, Integer> faults,
    int stoppedCount,
    List<String> problems,
    Sabotage sabotage)
{
    private static final int MOST_PROBLEMS = 20;

    ChaosVerdict
    {
        final Map<FaultKind, Integer> all = new EnumMap<>(FaultKind.class);
        for (final FaultKind kind : FaultKind.values())
        {
            all.put(kind, faults.getOrDefault(kind, 0));
        }
        faults = all;
        problems = List.copyOf(problems);
    }

    /** Nothing wrong, and every kind of fault has happened. */
    boolean isClean()
    {
        return tally.isClean() && tally.right > 0 && stoppedCount == 0 && problems.isEmpty() &&
            !faults.containsValue(0);
    }

    /** Lines for a human; the last one says all. */
    String toText()
    {
        final StringBuilder text = new StringBuilder("faults:");
        faults.forEach((kind, count) -> text.append("\n  ").append(kind).append(": ").append(count));
        text.append("\nrecords: ").append(tally);
        text.append("\npartitions stopped: ").append(stoppedCount);
        problems.stream().limit(MOST_PROBLEMS).forEach((problem) -> text.append("\nproblem: ").append(problem));
        return text.append('\n').append(lastLine()).toString();
    }

    private String lastLine()
    {
        final StringBuilder text = new StringBuilder(isClean() ? "CLEAN: " : "NOT CLEAN: ");
        text.append(tally.right).append(" records delivered, ").append(tally.lost).append(" lost, ")
            .append(tally.repeated).append(" repeated, ").append(tally.outOfOrder).append(" out of order, ")
            .append(tally.unaccounted).append(" offsets unaccounted for");
        final long missing = faults.values().stream().filter((count) -> count == 0).count();
        text.append(missing == 0 ? "" : ", " + missing + " of the kinds of fault missing");
        return text.append(sabotage == Sabotage.NONE ? "." : ", sabotaged (" + sabotage + ").").toString();
    }
}
