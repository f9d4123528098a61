// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.odradek.client.core.Backoff;
import org.odradek.client.core.ClientSettings;
import org.odradek.protocol.WireLimits;

import java.util.HashMap;
import java.util.Map;

/**
 * The backoffs of the connections to each broker, which outlive them. A partition may move to a broker that is down
 * again and again, as when its leader names a replica that cannot be reached, and each time the connection is new.
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
     * Returns the backoff of one connection. Ids that brokers make up are forgotten.
     *
     * @param nodeId of the broker.
     * @param number of the connection to it, from 0.
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
