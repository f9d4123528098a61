// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class SummaryTest
{
    @Test
    void shouldTakeTheMiddleOfAnOddNumberOfRuns()
    {
        assertEquals(new Summary(3, 1, 9, 5), Summary.of(9, 1, 3, 2, 7));
    }

    @Test
    void shouldTakeTheMeanOfTheTwoInTheMiddleOfAnEvenNumberOfRuns()
    {
        assertEquals(new Summary(2.5, 1, 9, 4), Summary.of(9, 1, 3, 2));
    }

    @Test
    void shouldLeaveTheValuesInTheirOrder()
    {
        final double[] values = {3, 1, 2};

        Summary.of(values);

        assertArrayEquals(new double[]{3, 1, 2}, values);
    }

    @Test
    void shouldNotSummariseNothing()
    {
        assertThrows(IllegalArgumentException.class, Summary::of);
    }

    @Test
    void shouldDivideWhatWasMeasuredInTheSameRound()
    {
        final double[] ours = {10, 90, 30};
        final double[] theirs = {20, 100, 40};

        // The ratio of the medians would be 0.75, and so is the median of the ratios, but not the spread.
        assertEquals(new Summary(0.75, 0.5, 0.9, 3), Summary.ofRatios(ours, theirs));
    }

    @Test
    void shouldNotDivideUnpairedRuns()
    {
        assertThrows(IllegalArgumentException.class, () -> Summary.ofRatios(new double[]{1, 2}, new double[]{1}));
    }
}
