// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.consumer.status.ConsumerHistograms;

/**
 * Where a consumer notes what it does: its counters, its histograms, and, if there is one, its counters file.
 */
final class ConsumerStatus
{
    private final String topic;
    private final String clientId;
    private final CountersFile file;
    private final CounterWriter counters;
    private final ConsumerHistograms histograms;
    private final ErrorHandler errorHandler;

    ConsumerStatus(final ConsumerContext context, final long nowNs)
    {
        topic = context.topic;
        clientId = context.clientId;
        histograms = context.status.histograms;
        if (context.status.countersFile == null)
        {
            file = null;
            counters = new CounterWriter();
            errorHandler = context.errorHandler;
        }
        else
        {
            file = CountersFile.create(context.status.countersFile, context.topic, nowNs);
            counters = file.counters();
            errorHandler = (error) -> onError(context.errorHandler, error);
        }
    }

    /**
     * Noted first, so that it is there whatever the user's handler does.
     */
    private void onError(final ErrorHandler next, final Throwable error)
    {
        if (!file.errorLog().record(error))
        {
            counters.add(ConsumerCounters.ERRORS_NOT_LOGGED, 1);
        }
        next.onError(error);
    }

    /**
     * The consumer is there, as a whole.
     */
    void begin()
    {
        if (file != null)
        {
            file.begin();
        }
    }

    String topic()
    {
        return topic;
    }

    String clientId()
    {
        return clientId;
    }

    /**
     * The counters file, or null if there is none.
     */
    CountersFile file()
    {
        return file;
    }

    CounterWriter counters()
    {
        return counters;
    }

    ConsumerHistograms histograms()
    {
        return histograms;
    }

    /**
     * The user's, behind the error log if there is one.
     */
    ErrorHandler errorHandler()
    {
        return errorHandler;
    }
}
