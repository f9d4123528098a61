// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.agrona.ErrorHandler;
import org.odradek.consumer.handler.ClientException;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.Poller;

/**
 * Everything that all parts of one client share.
 *
 * @param settings     of this client, which do not change.
 * @param poller       that opens all sockets.
 * @param clock        of the duty cycle.
 * @param budget       of direct memory.
 * @param counters     to write.
 * @param listener     of events; it ignores those that this kind of client does not have.
 * @param errorHandler of errors.
 * @param identity     of the cluster.
 * @param histograms   to record in.
 */
public record Environment(
    Settings settings,
    Poller poller,
    DutyClock clock,
    MemoryBudget budget,
    CounterWriter counters,
    ConsumerListener listener,
    ErrorHandler errorHandler,
    ClusterIdentity identity,
    ConsumerHistograms histograms)
{
    /** Creates one with an unknown cluster, and without histograms. */
    public Environment(
        final Settings settings,
        final Poller poller,
        final DutyClock clock,
        final MemoryBudget budget,
        final CounterWriter counters,
        final ConsumerListener listener,
        final ErrorHandler errorHandler)
    {
        this(settings, poller, clock, budget, counters, listener, errorHandler, new ClusterIdentity(),
            ConsumerHistograms.OFF);
    }

    /**
     * Counts an error and passes it to the error handler.
     *
     * @param message one sentence.
     */
    public void error(final String message)
    {
        error(new ClientException(message));
    }

    /**
     * Counts an error and passes it to the error handler.
     *
     * @param error with a message of one sentence.
     */
    public void error(final ClientException error)
    {
        counters.add(ConsumerCounters.ERRORS, 1);
        errorHandler.onError(error);
    }
}
