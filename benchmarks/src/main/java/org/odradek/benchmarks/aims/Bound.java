// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

/**
 * Where a figure should lie.
 *
 * @param side  of the value.
 * @param value of the bound.
 * @param text  as people write it: ≤ 1/7.
 */
record Bound(Side side, double value, String text)
{
    /** On which side of the value it should lie. */
    enum Side
    {
        AT_LEAST, AT_MOST, BELOW
    }

    static Bound atLeast(final double value, final String text)
    {
        return new Bound(Side.AT_LEAST, value, "≥ " + text);
    }

    static Bound atMost(final double value, final String text)
    {
        return new Bound(Side.AT_MOST, value, "≤ " + text);
    }

    static Bound below(final double value, final String text)
    {
        return new Bound(Side.BELOW, value, "< " + text);
    }

    static Bound nothing()
    {
        return new Bound(Side.AT_MOST, 0, "0");
    }

    boolean isMetBy(final double figure)
    {
        return switch (side)
        {
            case AT_LEAST -> figure >= value;
            case AT_MOST -> figure <= value;
            case BELOW -> figure < value;
        };
    }

    /**
     * @return the one of the two that is further from being met.
     */
    double worse(final double one, final double other)
    {
        return side == Side.AT_LEAST ? Math.min(one, other) : Math.max(one, other);
    }

    /**
     * @return the one of the two that a rival is better with.
     */
    double betterForRival(final double one, final double other)
    {
        return side == Side.AT_LEAST ? Math.max(one, other) : Math.min(one, other);
    }

    /**
     * @return by what factor the figure misses the bound, below 1 if it is met; infinite where the bound is zero.
     */
    double missedBy(final double figure)
    {
        return side == Side.AT_LEAST ? value / figure : figure / value;
    }
}
