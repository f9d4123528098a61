// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;

/**
 * Calls the user's listener and error handler, and protects the client from what they throw, because an event may
 * occur in the middle of any work. An exception of the listener is reported to the error handler; an exception of the
 * error handler, and an Error of either, is kept until the poll has done its work, and thrown then. So the state of the
 * client stays consistent, and the next poll continues.
 */
public final class SafeCallbacks implements ErrorHandler
{
    private final ErrorHandler errorHandler;
    private final CounterWriter counters;
    private Throwable pending;
    private AuthenticationException lastRefusal;

    /**
     * @param errorHandler receives errors.
     * @param counters     to which errors of the listener are added.
     */
    public SafeCallbacks(final ErrorHandler errorHandler, final CounterWriter counters)
    {
        this.errorHandler = errorHandler;
        this.counters = counters;
    }

    /** Returns whether something is kept that a callback has thrown, so that the poll should end soon. */
    public boolean hasThrown()
    {
        return pending != null;
    }

    /**
     * Throw once what callbacks have thrown: what was kept first, with the later ones as suppressed exceptions.
     */
    public void rethrow()
    {
        if (pending != null)
        {
            final Throwable thrown = pending;
            pending = null;
            LangUtil.rethrowUnchecked(thrown);
        }
    }

    /**
     * Returns the last refusal of the client's credentials that was reported, or null.
     */
    public AuthenticationException lastRefusal()
    {
        return lastRefusal;
    }

    /** @param error to pass to the user's error handler, or an Error of a callback, which is kept. */
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

    /** Counts and reports what the listener has thrown. */
    void onListenerFailed(final String event, final Throwable ex)
    {
        counters.add(ClientCounters.LISTENER_ERRORS, 1);
        onError(ex instanceof Error ? ex : new ClientException(
            "The listener threw an exception in " + event + "; the event counts as delivered.", ex));
    }

    /** @param thrown by the user's code, for {@link #rethrow()}. */
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
