// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Checks how many bytes fetches ask for: in all no more than the memory for the fetches of a leader holds, few at the
 * end of the logs, and not ever more where more bytes bring nothing. Brokers are asked to hold a fetch for no longer
 * than the latency budget, or one for the least number of bytes for no longer than the settings say.
 */
final class FetchSizeOracle
{
    private static final String MEMORY = "memory";
    private static final String SIZE = "fetch size";
    private static final int FIRST_FETCH = 1 << 20;
    private static final int FIRST_WITHOUT_REPLICA = 15;
    /** Of a maximum that has doubled twice, although the first time brought nothing. */
    private static final int GROWN_TWICE = 4;

    private final World world;
    private final Map<Link, Exchange> exchanges;
    private final long fetchMemory;
    private final int fetchMinBytes;
    private Phase measured;

    /**
     * @param exchanges of the connections that are open.
     */
    FetchSizeOracle(final World world, final Map<Link, Exchange> exchanges)
    {
        this.world = world;
        this.exchanges = exchanges;
        fetchMemory = world.scenario.fetchMemory();
        fetchMinBytes = world.scenario.context().fetchMinBytes();
    }

    /** A phase is measured in which nothing fails, or no longer if it is null. */
    void measure(final Phase phase)
    {
        measured = phase;
        exchanges.values().forEach((exchange) -> exchange.leastFetch = 0);
    }

    void onFetch(final Link link, final Exchange exchange, final ByteBuffer frame)
    {
        final ByteBuffer body = RetryOracle.bodyOf(exchange, frame);
        final int index = body.position() + (exchange.version < FIRST_WITHOUT_REPLICA ? 3 : 2) * Integer.BYTES;
        final int maxBytes = body.getInt(index);
        final int minBytes = body.getInt(index - Integer.BYTES);
        final int waitMs = body.getInt(index - 2 * Integer.BYTES);
        final int mostMs = minBytes > fetchMinBytes ? world.scenario.latencyBudgetMs : world.scenario.fetchMaxWaitMs;
        check(waitMs <= mostMs, "wait", "a fetch for " + minBytes + " bytes to be held for " + mostMs +
            " ms at most, but " + link + " asks for " + waitMs);
        exchange.lastFetch = maxBytes;
        exchange.leastFetch = exchange.leastFetch == 0 ? maxBytes : Math.min(exchange.leastFetch, maxBytes);
        long length = 0;
        for (final Exchange other : exchanges.values())
        {
            length += other.isFetching && other.brokerId == exchange.brokerId ?
                Math.max(FIRST_FETCH, other.lastFetch) : 0;
        }
        check(length <= fetchMemory, MEMORY, "no more than fetchMemory, " + fetchMemory + " bytes, for the fetches " +
            "of " + link.host.name + ", but they ask for " + length);
        check(measured != Phase.IDLE || maxBytes <= FIRST_FETCH, SIZE, "no more than " + FIRST_FETCH +
            " bytes to be asked for while nothing arrives, but " + link + " asks for " + maxBytes);
        check(measured != Phase.FLOWING || !world.scenario.distance.isWindowTheLimit() ||
            maxBytes < GROWN_TWICE * exchange.leastFetch, SIZE, "a maximum that does not grow where the window is " +
            "the limit, but " + link + " asked for " + exchange.leastFetch + " bytes and now asks for " + maxBytes);
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(oracle, message);
        }
    }
}
