// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;

/**
 * How fast a member works in one round: what its handler takes for a batch, from nothing to six heartbeat intervals,
 * spread over its records or all at once; what it takes to load the state of a partition that it is assigned, up to
 * three intervals; and how long its polls wait.
 */
final class Pace
{
    /** Of the heartbeat interval. */
    static final int MAX_INTERVALS = 6;
    private static final int MAX_LOADING_INTERVALS = 3;
    private static final long MIN_TIMEOUT_NS = 1_000;
    private static final long MAX_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final Draw draw;
    private final Draw loadingDraw;
    private final int intervalMs;
    private final int cycles;
    private long batchNs;
    private long loadingNs;
    private boolean isSpread;
    private boolean isWaiting;

    Pace(final GroupWorld world, final int member)
    {
        draw = new Draw(world.scenario.seed, "pace of member " + member);
        loadingDraw = new Draw(world.scenario.seed, "loading of member " + member);
        intervalMs = world.intervalMs;
        cycles = world.cycles;
    }

    /** Draws the pace of a round. */
    void draw(final boolean isSlow)
    {
        final long maxNs = TimeUnit.MILLISECONDS.toNanos((long)MAX_INTERVALS * intervalMs);
        final long drawnNs = draw.between(0, maxNs);
        batchNs = draw.oneIn(3) || !isSlow ? 0 : drawnNs;
        final long mostNs = TimeUnit.MILLISECONDS.toNanos((long)MAX_LOADING_INTERVALS * intervalMs);
        final long drawnLoadingNs = loadingDraw.between(0, mostNs);
        loadingNs = loadingDraw.oneIn(2) && isSlow ? drawnLoadingNs : 0;
        isSpread = draw.oneIn(2);
        isWaiting = draw.oneIn(2);
    }

    /** What the slowest callback takes: the handler for a whole batch, or the listener for a partition. */
    long slowestNs()
    {
        return Math.max(batchNs, loadingNs);
    }

    /** What the listener takes to load the state of a partition. */
    long loadingNs()
    {
        return loadingNs;
    }

    /** What the handler takes for a record. */
    long recordNs(final long offset)
    {
        return isSpread ? batchNs / GroupLoad.BATCH_LENGTH : offset % GroupLoad.BATCH_LENGTH == 0 ? batchNs : 0;
    }

    /** What a reconnect to the coordinator may take in addition, because its cycles are between callbacks. */
    long reconnectNs()
    {
        return cycles * slowestNs();
    }

    /** Draws the timeout of a poll. */
    long timeoutNs()
    {
        return isWaiting && draw.oneIn(2) ? draw.logBetween(MIN_TIMEOUT_NS, MAX_TIMEOUT_NS) : 0;
    }
}
