// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.ErrorHandler;
import org.odradek.consumer.core.ClientSettings;
import org.odradek.consumer.core.ClusterIdentity;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.handler.ClientCounters;
import org.odradek.consumer.handler.ClientException;
import org.odradek.consumer.handler.ClientListener;
import org.odradek.consumer.handler.Poller;
import org.odradek.consumer.security.SecuritySettings;

/**
 * Everything that all parts of one client share. A client with settings or events of its own has an implementation that
 * returns them.
 */
public interface ClientEnvironment
{
    /** The settings, which do not change. */
    ClientSettings settings();

    /** How connections are authenticated, and to which hosts they may be made. */
    SecuritySettings security();

    /** Opens all sockets. */
    Poller poller();

    /** The clock of the duty cycle. */
    DutyClock clock();

    /** The budget of direct memory. */
    MemoryBudget budget();

    CounterWriter counters();

    /** Receives events; it throws nothing. */
    ClientListener listener();

    /** Receives errors; it throws nothing. */
    ErrorHandler errorHandler();

    ClusterIdentity identity();

    /**
     * Counts an error and passes it to the error handler.
     *
     * @param message one sentence.
     */
    default void error(final String message)
    {
        error(new ClientException(message));
    }

    /**
     * Counts an error and passes it to the error handler.
     *
     * @param error with a message of one sentence.
     */
    default void error(final ClientException error)
    {
        counters().add(ClientCounters.ERRORS, 1);
        errorHandler().onError(error);
    }
}
