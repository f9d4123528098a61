// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.odradek.client.ClientListener;
import org.odradek.protocol.PrintableText;

/** Passes each event to the user's listener, and exceptions of the listener to {@link SafeCallbacks}. */
public class SafeListener implements ClientListener
{
    private final ClientListener listener;
    private final SafeCallbacks callbacks;

    public SafeListener(final ClientListener listener, final SafeCallbacks callbacks)
    {
        this.listener = listener;
        this.callbacks = callbacks;
    }

    protected final void report(final String event, final Runnable call)
    {
        try
        {
            call.run();
        }
        catch (final Throwable ex)
        {
            onFailed(event, ex);
        }
    }

    protected final void onFailed(final String event, final Throwable ex)
    {
        callbacks.onListenerFailed(event, ex);
    }

    /** Returns a text in printable characters and of limited length, because a broker may have chosen the text. */
    protected static String text(final String words)
    {
        return PrintableText.of(words, PrintableText.MAX_SENTENCE_LENGTH);
    }

    @Override
    public void onConnectionLost(final int nodeId, final String address, final String reason)
    {
        report("onConnectionLost", () -> listener.onConnectionLost(nodeId, text(address), text(reason)));
    }

    @Override
    public void onConnectionRestored(final int nodeId, final String address)
    {
        report("onConnectionRestored", () -> listener.onConnectionRestored(nodeId, text(address)));
    }

    @Override
    public void onAuthenticationFailed(
        final int nodeId, final String address, final String mechanism, final String reason)
    {
        report("onAuthenticationFailed",
            () -> listener.onAuthenticationFailed(nodeId, text(address), text(mechanism), text(reason)));
    }

    @Override
    public void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
        report("onBufferGrown", () -> listener.onBufferGrown(nodeId, fromLength, toLength));
    }

    @Override
    public void onThrottled(final int nodeId, final int throttleTimeMs)
    {
        // A client at its quota has this event with every response, so this method must not allocate.
        try
        {
            listener.onThrottled(nodeId, throttleTimeMs);
        }
        catch (final Throwable ex)
        {
            onFailed("onThrottled", ex);
        }
    }

    @Override
    public void onCertificatesNotReloaded(final String reason)
    {
        report("onCertificatesNotReloaded", () -> listener.onCertificatesNotReloaded(text(reason)));
    }

    @Override
    public void onTokenNotRenewed(final String reason)
    {
        report("onTokenNotRenewed", () -> listener.onTokenNotRenewed(text(reason)));
    }

    @Override
    public void onTlsFallback(final String reason)
    {
        report("onTlsFallback", () -> listener.onTlsFallback(text(reason)));
    }

    @Override
    public void onRebootstrap(final String reason)
    {
        report("onRebootstrap", () -> listener.onRebootstrap(text(reason)));
    }
}
