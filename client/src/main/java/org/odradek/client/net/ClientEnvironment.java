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

/** Holds the objects that all parts of one client share. */
public interface ClientEnvironment
{
    ClientSettings settings();

    SecuritySettings security();

    Poller poller();

    DutyClock clock();

    MemoryBudget budget();

    CounterWriter counters();

    ClientListener listener();

    ErrorHandler errorHandler();

    ClusterIdentity identity();

    default void error(final String message)
    {
        error(new ClientException(message));
    }

    default void error(final ClientException error)
    {
        counters().add(ClientCounters.ERRORS, 1);
        errorHandler().onError(error);
    }
}
