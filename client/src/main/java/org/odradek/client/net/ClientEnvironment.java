// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.ErrorHandler;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;
import org.odradek.client.ClientListener;
import org.odradek.client.Poller;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.SecuritySettings;

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
