// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.Set;
import java.util.TreeSet;

/**
 * What determines a run.
 *
 * @param seed    from which everything else is drawn.
 * @param minutes simulated, at least; the last round is finished.
 * @param load    of the producers.
 * @param without names of faults and features that are off, whatever the seed says.
 */
record RunSettings(long seed, int minutes, LoadProfile load, Set<String> without)
{
    /** The load of the producers. */
    enum LoadProfile
    {
        /** Drawn from the seed: from none to bursts of thousands of records per second. */
        DRAWN,
        /** At most 100 records per second on average, for long runs. */
        LOW,
        /** 1,000 records per second in batches of 10, to measure the speed. */
        STEADY,
        /** 40 records per second on average, for the members of a group instead of one user: {@link GroupWorld}. */
        GROUPS,
        /** What a publisher sends, instead of producers, to a cluster without consumers: {@link PublishWorld}. */
        PUBLISH,
        /** Single records for a consumer with a latency budget in a healthy cluster: {@link TrickleWorld}. */
        TRICKLE
    }

    RunSettings
    {
        without = new TreeSet<>(without);
    }

    boolean isAllowed(final Enum<?> faultOrFeature)
    {
        return !without.contains(faultOrFeature.name());
    }

    /** Returns the options that repeat this run. */
    String toOptions()
    {
        return "--seed " + seed + " --minutes " + minutes + " --load " + load +
            (without.isEmpty() ? "" : " --without " + String.join(",", without));
    }

    /** Returns the code of these settings. */
    String toCode()
    {
        return "new RunSettings(" + seed + "L, " + minutes + ", LoadProfile." + load + ", Set.of(" +
            (without.isEmpty() ? "" : "\"" + String.join("\", \"", without) + "\"") + "))";
    }
}
