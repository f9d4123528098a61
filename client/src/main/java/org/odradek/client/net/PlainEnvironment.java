// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.ErrorHandler;
import org.odradek.client.ClientListener;
import org.odradek.client.Poller;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.SecuritySettings;

/**
 * The environment of a client that adds no settings or events to those of every client.
 *
 * @param settings     of the connections.
 * @param security     of the connections.
 * @param poller       that opens all sockets.
 * @param clock        of the duty cycle.
 * @param budget       of direct memory.
 * @param counters     to write.
 * @param listener     of events.
 * @param errorHandler of errors.
 * @param identity     of the cluster.
 */
public record PlainEnvironment(
    ClientSettings settings,
    SecuritySettings security,
    Poller poller,
    DutyClock clock,
    MemoryBudget budget,
    CounterWriter counters,
    ClientListener listener,
    ErrorHandler errorHandler,
    ClusterIdentity identity)
    implements ClientEnvironment
{
    /** Creates an environment without authentication whose cluster id is not known yet. */
    public PlainEnvironment(
        final ClientSettings settings,
        final Poller poller,
        final DutyClock clock,
        final MemoryBudget budget,
        final CounterWriter counters,
        final ClientListener listener,
        final ErrorHandler errorHandler)
    {
        this(settings, SecuritySettings.plaintext(), poller, clock, budget, counters, listener, errorHandler,
            new ClusterIdentity());
    }
}
