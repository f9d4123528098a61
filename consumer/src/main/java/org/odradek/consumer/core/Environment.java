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

/**
 * The objects that all parts of one consumer share.
 *
 * @param settings     the settings of this consumer, which do not change.
 * @param security     the security settings of its connections.
 * @param poller       the poller that opens all sockets.
 * @param clock        the clock of the duty cycle.
 * @param budget       the budget of direct memory.
 * @param counters     the counters to write.
 * @param listener     the listener, which receives events.
 * @param errorHandler the error handler, which does not throw.
 * @param identity     the identity of the cluster.
 * @param histograms   the histograms to write.
 */
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
    /** Creates an environment with an unknown cluster, and without authentication and histograms. */
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
