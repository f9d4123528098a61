// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.engine.CountersFile;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;

import java.nio.file.Path;

/**
 * Holds what a consumer measures about itself: its counters, its histograms and, if there is one, its counters file.
 */
final class ConsumerStatus
{
    private final String topic;
    private final String clientId;
    private final Path path;
    private final CountersFile file;
    private final CounterWriter counters;
    private final ConsumerHistograms histograms;
    private final ErrorHandler errorHandler;

    ConsumerStatus(
        final Settings settings, final StatusSettings status, final ErrorHandler userHandler, final DutyClock clock)
    {
        topic = settings.topic;
        clientId = settings.clientId;
        histograms = status.histograms;
        path = status.countersFile;
        if (path == null)
        {
            file = null;
            counters = new CounterWriter();
            errorHandler = userHandler;
        }
        else
        {
            file = CountersFile.create(path, status.countersFilePermissions, settings.topic, clock);
            counters = file.counters();
            errorHandler = (error) -> onError(userHandler, error);
        }
    }

    /** The error is logged first, so that it is in the file whatever the user's handler does. */
    private void onError(final ErrorHandler next, final Throwable error)
    {
        if (!file.errorLog().record(error))
        {
            counters.add(ConsumerCounters.ERRORS_NOT_LOGGED, 1);
        }
        next.onError(error);
    }

    /** Record that the consumer has been created completely. */
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

    /** The counters file, or null if there is none. */
    CountersFile file()
    {
        return file;
    }

    CounterWriter counters()
    {
        return counters;
    }

    Path countersFile()
    {
        return path;
    }

    ConsumerHistograms histograms()
    {
        return histograms;
    }

    /** Logs errors to the counters file, if there is one, and calls the user's handler. */
    ErrorHandler errorHandler()
    {
        return errorHandler;
    }
}
