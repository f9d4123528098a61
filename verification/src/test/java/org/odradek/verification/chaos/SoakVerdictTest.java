// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The samples of two hours, one a minute, with noise, and with a fault at each tenth of them.
 */
class SoakVerdictTest
{
    private static final int SAMPLES = 120;
    private static final double MINUTES_PER_HOUR = 60;
    private static final int FAULT_INTERVAL = 10;
    /** In the order of the quantities. */
    private static final double[] BASE = {10, 27, 40, 12, 25, 0.2};
    private static final double[] NOISE = {0.3, 0.5, 0.7, 0, 2, 0.1};
    private static final double[] IN_A_FAULT = {0.5, 1, -8, 0, 70, 6};

    @ParameterizedTest
    @EnumSource(SoakQuantity.class)
    void shouldFindNothingWithoutASlope(final SoakQuantity quantity)
    {
        final SoakVerdict verdict = new SoakVerdict(samples(quantity, 0));

        assertEquals(List.of(), verdict.failures(), verdict.toText());
    }

    /** The smallest growth that the reason of a bound names, or a quarter more than the bound. */
    @ParameterizedTest
    @CsvSource({"HEAP, 1.25", "DIRECT, 1.25", "DESCRIPTORS, 2.5", "THREADS, 1", "CPU, 7.5", "LAG, 2.5"})
    void shouldFindTheGrowthOfOneQuantity(final SoakQuantity quantity, final double perHour)
    {
        final SoakVerdict verdict = new SoakVerdict(samples(quantity, perHour));

        assertEquals(List.of(quantity), verdict.failures(), verdict.toText());
        assertTrue(verdict.toMarkdown().contains("**exceeded**"), verdict.toMarkdown());
    }

    @ParameterizedTest
    @CsvSource({"HEAP, 0.75", "DIRECT, 0.75", "DESCRIPTORS, 1.5", "THREADS, 0.3", "CPU, 3", "LAG, 1.5"})
    void shouldAllowLessThanTheBound(final SoakQuantity quantity, final double perHour)
    {
        final SoakVerdict verdict = new SoakVerdict(samples(quantity, perHour));

        assertEquals(List.of(), verdict.failures(), verdict.toText());
    }

    @ParameterizedTest
    @EnumSource(SoakQuantity.class)
    void shouldNotCountTheFirstTenth(final SoakQuantity quantity)
    {
        final List<SoakSample> samples = samples(quantity, 0);
        for (int i = 0; i < SAMPLES / 10; i++)
        {
            samples.get(i).figures()[quantity.ordinal()] = Double.NaN;
        }

        final SoakVerdict verdict = new SoakVerdict(samples);

        assertEquals(List.of(), verdict.failures(), verdict.toText());
    }

    /** A run of 20 minutes may grow by as much as one of two hours, and not by more. */
    @Test
    void shouldAllowTheGrowthOfTwoHoursInAShorterRun()
    {
        assertEquals(List.of(), new SoakVerdict(inTwentyMinutes(1.5)).failures());
        assertEquals(List.of(SoakQuantity.HEAP), new SoakVerdict(inTwentyMinutes(2.5)).failures());
    }

    private static List<SoakSample> inTwentyMinutes(final double growth)
    {
        return samples(SoakQuantity.HEAP, growth / 2).stream()
            .map((sample) -> new SoakSample(sample.hours() / 6, sample.figures())).toList();
    }

    @Test
    void shouldTakeTheMedianOfTheSlopesOfAllPairs()
    {
        assertEquals(2, SoakVerdict.slope(new double[]{1, 2, 4}, new double[]{5, 7, 11}));
        assertEquals(1, SoakVerdict.slope(new double[]{0, 1, 2, 3, 4}, new double[]{0, 1, 100, 3, 4}));
    }

    @Test
    void shouldDrawALineForEachQuantityButTheLag()
    {
        final String chart = new SoakVerdict(samples(SoakQuantity.HEAP, 2)).toSvg();

        for (final SoakQuantity quantity : SoakQuantity.values())
        {
            assertEquals(quantity != SoakQuantity.LAG, chart.contains(">" + quantity.text + "</text>"), chart);
        }
        assertTrue(chart.contains(">13 min</text>"), chart);
        assertTrue(chart.contains(">200</text>"), chart);
    }

    /** @param perHour the growth of the quantity. */
    private static List<SoakSample> samples(final SoakQuantity quantity, final double perHour)
    {
        final Random random = new Random(1);
        final List<SoakSample> samples = new ArrayList<>();
        for (int i = 1; i <= SAMPLES; i++)
        {
            final double[] figures = new double[BASE.length];
            for (int q = 0; q < figures.length; q++)
            {
                figures[q] = BASE[q] + NOISE[q] * random.nextGaussian() + (i % FAULT_INTERVAL == 0 ? IN_A_FAULT[q] : 0);
            }
            final double hours = i / MINUTES_PER_HOUR;
            figures[quantity.ordinal()] += perHour * hours;
            figures[SoakQuantity.DESCRIPTORS.ordinal()] = Math.floor(figures[SoakQuantity.DESCRIPTORS.ordinal()]);
            figures[SoakQuantity.THREADS.ordinal()] = Math.floor(figures[SoakQuantity.THREADS.ordinal()]);
            samples.add(new SoakSample(hours, figures));
        }
        return samples;
    }
}
