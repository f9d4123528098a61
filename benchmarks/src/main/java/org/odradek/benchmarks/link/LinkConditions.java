// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.odradek.benchmarks.rig.Settings;

import java.util.concurrent.TimeUnit;

/**
 * How far and how good a link is.
 *
 * @param megabitsPerSecond in each direction, 0 for no limit.
 * @param lossPercent       of the packets, in each direction.
 * @param congestion        how the broker's kernel controls congestion; empty for the kernel's default.
 */
public record LinkConditions(int roundTripMs, int megabitsPerSecond, double lossPercent, String congestion)
{
    public static final LinkConditions NONE = new LinkConditions(0, 0, 0, "");
    private static final int PERCENT = 100;
    private static final int BITS = 8;

    long oneWayNs()
    {
        return TimeUnit.MILLISECONDS.toNanos(roundTripMs) / 2;
    }

    /** Returns how long a packet occupies the link. */
    long sendNs(final int length)
    {
        return megabitsPerSecond == 0 ? 0 : TimeUnit.MICROSECONDS.toNanos((long) length * BITS) / megabitsPerSecond;
    }

    boolean isLost(final double draw)
    {
        return draw * PERCENT < lossPercent;
    }

    /** As the arguments of a word. */
    String[] toArguments()
    {
        return Settings.of("roundTripMs", roundTripMs, "megabits", megabitsPerSecond, "loss", lossPercent,
            "congestion", congestion).toArguments();
    }

    static LinkConditions parse(final String... arguments)
    {
        final Settings settings = Settings.parse(arguments);
        return new LinkConditions(settings.number("roundTripMs"), settings.number("megabits"),
            Double.parseDouble(settings.text("loss")), settings.text("congestion"));
    }
}
