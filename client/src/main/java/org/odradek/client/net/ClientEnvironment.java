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
 * The objects that all parts of one client share. A client with its own settings or events has its own implementation.
 */
public interface ClientEnvironment
{
    /** Returns the settings, which do not change. */
    ClientSettings settings();

    /** Returns the settings of authentication and of the allowed hosts. */
    SecuritySettings security();

    /** Returns the poller that opens all sockets. */
    Poller poller();

    /** Returns the clock of the duty cycle. */
    DutyClock clock();

    /** Returns the budget of direct memory. */
    MemoryBudget budget();

    CounterWriter counters();

    /** Returns the listener of events, which never throws an exception. */
    ClientListener listener();

    /** Returns the error handler, which never throws an exception. */
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
     * @param error error whose message is one sentence.
     */
    default void error(final ClientException error)
    {
        counters().add(ClientCounters.ERRORS, 1);
        errorHandler().onError(error);
    }
}
