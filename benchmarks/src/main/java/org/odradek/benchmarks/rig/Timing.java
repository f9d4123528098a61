// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

/**
 * How long clients are run.
 *
 * @param rounds             turns of each client in each case.
 * @param seconds            measured in each turn.
 * @param firstWarmUpSeconds before a client's first turn.
 * @param warmUpSeconds      before each later one: the JVM stays, the client in it is made anew.
 */
public record Timing(int rounds, int seconds, int firstWarmUpSeconds, int warmUpSeconds)
{
    /** A client is made and closed in each turn. */
    private static final double SECONDS_AROUND_TURN = 0.5;

    /**
     * @return about how long all turns take.
     */
    public int totalSeconds(final int clients, final int cases)
    {
        return clients * (firstWarmUpSeconds - warmUpSeconds) + laterSeconds(clients, cases);
    }

    /**
     * @return about how long all turns take where every client has had one before.
     */
    public int laterSeconds(final int clients, final int cases)
    {
        return (int) Math.ceil(clients * (double) cases * rounds * (seconds + warmUpSeconds + SECONDS_AROUND_TURN));
    }
}
