// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.odradek.client.core.Backoff;
import org.odradek.client.core.ClientSettings;
import org.odradek.protocol.WireLimits;

import java.util.HashMap;
import java.util.Map;

/**
 * The backoffs of the connections to each broker. A backoff is kept when its connection is removed, because a partition
 * may move repeatedly to a broker that is down. For example, a leader may prefer a replica that cannot be reached. Each
 * move creates a new connection, which must continue the backoff.
 */
public final class ReconnectBackoffs
{
    private final ClientSettings settings;
    private final Map<Long, Backoff> backoffs = new HashMap<>();

    public ReconnectBackoffs(final ClientSettings settings)
    {
        this.settings = settings;
    }

    /**
     * Returns the backoff of one connection. If there are as many backoffs as brokers that a response may contain, all
     * of them are dropped first, so that ids that a broker invents take only limited memory.
     *
     * @param nodeId id of the broker.
     * @param number number of the connection to the broker, from 0.
     */
    public Backoff of(final int nodeId, final int number)
    {
        if (backoffs.size() >= WireLimits.MAX_BROKERS)
        {
            backoffs.clear();
        }
        return backoffs.computeIfAbsent(
            (long)nodeId << Integer.SIZE | number, (key) -> settings.reconnectBackoff());
    }
}
