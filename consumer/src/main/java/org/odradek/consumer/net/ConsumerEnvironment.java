// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.ErrorHandler;
import org.odradek.consumer.handler.ConsumerException;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.consumer.status.ConsumerHistograms;

/**
 * What every part of one consumer shares: one wait, one time, one budget, and the places to report to.
 *
 * @param poller       that all sockets belong to.
 * @param clock        of the duty cycle.
 * @param budget       of direct memory.
 * @param counters     to raise.
 * @param listener     of events.
 * @param errorHandler of errors.
 * @param identity     of the cluster.
 * @param histograms   to record in.
 * @param frameHandler that receives fetch responses, or null.
 */
public record ConsumerEnvironment(
    Poller poller,
    DutyClock clock,
    MemoryBudget budget,
    CounterWriter counters,
    ConsumerListener listener,
    ErrorHandler errorHandler,
    ClusterIdentity identity,
    ConsumerHistograms histograms,
    FetchFrameHandler frameHandler)
{
    /**
     * Of a cluster that is not known yet, without histograms and frame handler.
     *
     * @param poller       that all sockets belong to.
     * @param clock        of the duty cycle.
     * @param budget       of direct memory.
     * @param counters     to raise.
     * @param listener     of events.
     * @param errorHandler of errors.
     */
    public ConsumerEnvironment(
        final Poller poller,
        final DutyClock clock,
        final MemoryBudget budget,
        final CounterWriter counters,
        final ConsumerListener listener,
        final ErrorHandler errorHandler)
    {
        this(poller, clock, budget, counters, listener, errorHandler, new ClusterIdentity(), ConsumerHistograms.OFF,
            null);
    }

    /**
     * Count an error and tell the error handler.
     *
     * @param message one sentence.
     */
    public void error(final String message)
    {
        counters.add(ConsumerCounters.ERRORS, 1);
        errorHandler.onError(new ConsumerException(message));
    }
}
