// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.odradek.client.core.Backoff;
import org.odradek.client.core.ClientSettings;
import org.odradek.protocol.WireLimits;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the backoffs of connections after the connections are removed, because a new connection to the same broker must
 * continue the backoff.
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
     * Drops all backoffs first if there are as many as brokers that a response may contain, which limits the memory.
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
