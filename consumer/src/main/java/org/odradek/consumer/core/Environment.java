// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.agrona.ErrorHandler;
import org.odradek.client.Poller;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;

/** The objects that all parts of one consumer share. The listener and the error handler do not throw. */
public record Environment(
    ConsumerSettings settings,
    SecuritySettings security,
    Poller poller,
    DutyClock clock,
    MemoryBudget budget,
    CounterWriter counters,
    ConsumerListener listener,
    ErrorHandler errorHandler,
    ClusterIdentity identity,
    ConsumerHistograms histograms)
    implements ClientEnvironment
{
    public Environment(
        final ConsumerSettings settings,
        final Poller poller,
        final DutyClock clock,
        final MemoryBudget budget,
        final CounterWriter counters,
        final ConsumerListener listener,
        final ErrorHandler errorHandler)
    {
        this(settings, SecuritySettings.plaintext(), poller, clock, budget, counters, listener, errorHandler,
            new ClusterIdentity(), ConsumerHistograms.OFF);
    }
}
