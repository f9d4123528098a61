// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.aims;

import java.util.List;

/**
 * What a figure of ours should come to.
 *
 * @param scenario    the name of the command.
 * @param cases       a pattern of the names of its cases; each that matches is judged by itself.
 * @param casesTitle  what the pattern means, for where no case matches.
 * @param metric      that is judged.
 * @param client      of ours.
 * @param rivals      whose figure it is divided by, the best of them; none where the figure itself is bounded.
 * @param bound       of the quotient, or of the figure.
 */
public record Aim(
    String scenario, String cases, String casesTitle, String metric, String client, List<Rival> rivals, Bound bound)
{
    boolean isAbsolute()
    {
        return rivals.isEmpty();
    }

    /**
     * @return whom ours is compared with, in words.
     */
    public String against()
    {
        return isAbsolute() ? "absolute" :
            rivals.equals(Aims.BEST_RIVAL) ? "best rival" : rivals.get(0).title();
    }
}
