// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

import java.util.Locale;

/**
 * How an aim stands in one case.
 *
 * @param aim      that was judged.
 * @param caseName in which; what the aim's pattern means where no case was run.
 * @param state    met or not.
 * @param figure   the quotient, or the figure of an absolute aim; NaN where there is none.
 * @param note     what a reader should know, may be empty.
 */
public record Verdict(Aim aim, String caseName, State state, double figure, String note)
{
    /** How an aim can stand. One that was not run is not met either. */
    public enum State
    {
        /** The figure is there, and so is everyone it is to be compared with. */
        MET,
        /** The figure misses the bound, or a rival could not run. */
        NOT_MET,
        /** Ours was not measured. */
        NOT_RUN
    }

    /**
     * @return how it stands, in words.
     */
    public String stateInWords()
    {
        return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    public boolean hasFigure()
    {
        return !Double.isNaN(figure);
    }

    /**
     * @return by what factor the bound is missed, below 1 where there is room to spare; NaN where a factor says
     *     nothing, because there is no figure or the bound is 0.
     */
    public double missedBy()
    {
        return hasFigure() && aim.bound().value() != 0 ? aim.bound().missedBy(figure) : Double.NaN;
    }

    /**
     * @return what is wanted, in words.
     */
    public String wanted()
    {
        return aim.bound().text();
    }
}
