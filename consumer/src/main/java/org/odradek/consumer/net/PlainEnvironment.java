// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.ErrorHandler;
import org.odradek.consumer.core.ClientSettings;
import org.odradek.consumer.core.ClusterIdentity;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.handler.ClientListener;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.security.SecuritySettings;

/**
 * The environment of a client whose connections have no settings or events of its own.
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
    /** Creates one with an unknown cluster, and without authentication. */
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
