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

/** A {@link ClientEnvironment} that only stores the shared objects. */
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
    /** Creates an environment without TLS and authentication, whose cluster id is not known yet. */
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
