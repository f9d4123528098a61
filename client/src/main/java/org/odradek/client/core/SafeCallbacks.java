// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;

/**
 * Calls the user's error handler, and protects the client from exceptions of the user's listener and error handler. An
 * exception of the error handler, and an Error of either, is kept until {@link #rethrow()} at the end of the current
 * call, such as a poll.
 */
public final class SafeCallbacks implements ErrorHandler
{
    private final ErrorHandler errorHandler;
    private final CounterWriter counters;
    private Throwable pending;
    private AuthenticationException lastRefusal;

    public SafeCallbacks(final ErrorHandler errorHandler, final CounterWriter counters)
    {
        this.errorHandler = errorHandler;
        this.counters = counters;
    }

    public boolean hasThrown()
    {
        return pending != null;
    }

    /** Throws the first exception that was kept, if any, with the later ones as suppressed exceptions. */
    public void rethrow()
    {
        if (pending != null)
        {
            final Throwable thrown = pending;
            pending = null;
            LangUtil.rethrowUnchecked(thrown);
        }
    }

    /** Returns the last AuthenticationException that was reported, or null if there was none. */
    public AuthenticationException lastRefusal()
    {
        return lastRefusal;
    }

    @Override
    public void onError(final Throwable error)
    {
        if (error instanceof Error)
        {
            keep(error);
            return;
        }
        if (error instanceof AuthenticationException refusal)
        {
            lastRefusal = refusal;
        }
        try
        {
            errorHandler.onError(error);
        }
        catch (final Throwable ex)
        {
            keep(ex);
        }
    }

    void onListenerFailed(final String event, final Throwable ex)
    {
        counters.add(ClientCounters.LISTENER_ERRORS, 1);
        onError(ex instanceof Error ? ex : new ClientException(
            "The listener threw an exception in " + event + "; the event counts as delivered.", ex));
    }

    public void keep(final Throwable thrown)
    {
        if (pending == null)
        {
            pending = thrown;
        }
        else if (pending != thrown)
        {
            pending.addSuppressed(thrown);
        }
    }
}
