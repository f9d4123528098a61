// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

/**
 * Checks that the consumer waits for a response for as long as enough of its bytes arrive, and not longer than the
 * request timeout, whatever time its thread spends elsewhere.
 */
final class TimeoutOracle
{
    private static final String TIMEOUT = "timeout";
    private static final String REASON = "no response within ";

    private final World world;
    private Link closed;

    TimeoutOracle(final World world)
    {
        this.world = world;
    }

    /** A call of the consumer has ended. */
    void onStep()
    {
        final long callNs = world.user.callNs();
        for (final Link link : world.network.links())
        {
            if (!link.isOfNeighbour && link.isAwaitedInVain())
            {
                if (link.progress.isMissed(callNs))
                {
                    throw world.oracles.failure(TIMEOUT, link + " to be closed, over which nothing arrives within " +
                        world.scenario.requestTimeoutMs + " ms, but it is still open");
                }
                link.progress.onCall(world.scenario.requestTimeoutMs, callNs, world.clock.nowNs());
            }
        }
    }

    void onClose(final Link link)
    {
        closed = link;
    }

    /** A connection that was established was lost; it was closed just before. */
    void onLost(final String reason)
    {
        final long nowNs = world.clock.nowNs();
        if (reason.startsWith(REASON) && closed.progress.isWithin(world.scenario.requestTimeoutMs, nowNs))
        {
            throw world.oracles.failure(TIMEOUT, "a response of which bytes go on arriving to be waited for, but " +
                closed + " was closed with '" + reason + "'");
        }
    }
}
