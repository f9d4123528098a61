// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.matrix;

import java.util.ArrayList;
import java.util.List;

/**
 * What came of all readings of one version.
 */
final class SmokeTally
{
    private final List<String> problems = new ArrayList<>();
    private int readings;
    private long records;
    private long lost;
    private long repeated;
    private long wrong;

    void add(final long newRecords, final long newLost, final long newRepeated, final long newWrong)
    {
        readings++;
        records += newRecords;
        lost += newLost;
        repeated += newRepeated;
        wrong += newWrong;
    }

    void problem(final String sentence)
    {
        problems.add(sentence);
    }

    int readings()
    {
        return readings;
    }

    long records()
    {
        return records;
    }

    long lost()
    {
        return lost;
    }

    long repeated()
    {
        return repeated;
    }

    long wrong()
    {
        return wrong;
    }

    List<String> problems()
    {
        return problems;
    }
}
