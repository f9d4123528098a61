// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.ErrorHandler;
import org.odradek.consumer.handler.ConsumerException;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.status.ConsumerCounters;

/**
 * Stands between the consumer and what the user gave to be told, because an event may be raised in the middle of
 * anything. What a listener throws is an error like any other; what an error handler throws is kept until the poll has
 * done its work, and thrown then. So the consumer's state is true whatever they throw, and the next poll goes on.
 */
final class SafeCallbacks implements ConsumerListener, ErrorHandler, FetchFrameHandler
{
    private final ConsumerListener listener;
    private final ErrorHandler errorHandler;
    private final FetchFrameHandler frameHandler;
    private final CounterWriter counters;
    private RuntimeException pending;

    /**
     * @param frameHandler or null; then its methods are not called.
     */
    SafeCallbacks(
        final ConsumerListener listener,
        final ErrorHandler errorHandler,
        final FetchFrameHandler frameHandler,
        final CounterWriter counters)
    {
        this.listener = listener;
        this.errorHandler = errorHandler;
        this.frameHandler = frameHandler;
        this.counters = counters;
    }

    /**
     * Whether the error handler has thrown: the poll is to end soon.
     */
    boolean hasThrown()
    {
        return pending != null;
    }

    /**
     * Throw what the error handler has thrown, the first if there were several, once.
     */
    void rethrow()
    {
        if (pending != null)
        {
            final RuntimeException thrown = pending;
            pending = null;
            throw thrown;
        }
    }

    @Override
    public void onError(final Throwable error)
    {
        try
        {
            errorHandler.onError(error);
        }
        catch (final RuntimeException ex)
        {
            keep(ex);
        }
    }

    private void keep(final RuntimeException ex)
    {
        if (pending == null)
        {
            pending = ex;
        }
        else if (pending != ex)
        {
            pending.addSuppressed(ex);
        }
    }

    @Override
    public void onConnect(final String topic, final ConsumerListener safeListener)
    {
        frameHandler.onConnect(topic, safeListener);
    }

    @Override
    public boolean onFrame(final Frame frame)
    {
        try
        {
            return frameHandler.onFrame(frame);
        }
        catch (final RuntimeException ex)
        {
            counters.add(ConsumerCounters.ERRORS, 1);
            onError(new ConsumerException("The fetch frame handler " + frameHandler +
                " threw on a response of broker " + frame.nodeId() + "; the frame counts as not captured.", ex));
            return false;
        }
    }

    @Override
    public void close()
    {
        frameHandler.close();
    }

    private void onListenerFailed(final String event, final RuntimeException cause)
    {
        counters.add(ConsumerCounters.LISTENER_ERRORS, 1);
        onError(new ConsumerException("The listener failed in " + event + "; the event counts as told.", cause));
    }

    @Override
    public void onConnectionLost(final int nodeId, final String address, final String reason)
    {
        try
        {
            listener.onConnectionLost(nodeId, address, reason);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onConnectionLost", ex);
        }
    }

    @Override
    public void onConnectionRestored(final int nodeId, final String address)
    {
        try
        {
            listener.onConnectionRestored(nodeId, address);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onConnectionRestored", ex);
        }
    }

    @Override
    public void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
        try
        {
            listener.onBufferGrown(nodeId, fromLength, toLength);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onBufferGrown", ex);
        }
    }

    @Override
    public void onCaptureFull(final String file, final long frames, final long bytes)
    {
        try
        {
            listener.onCaptureFull(file, frames, bytes);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onCaptureFull", ex);
        }
    }

    @Override
    public void onThrottled(final int nodeId, final int throttleTimeMs)
    {
        try
        {
            listener.onThrottled(nodeId, throttleTimeMs);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onThrottled", ex);
        }
    }

    @Override
    public void onRebootstrap(final String reason)
    {
        try
        {
            listener.onRebootstrap(reason);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onRebootstrap", ex);
        }
    }

    @Override
    public void onPartitionAdded(final int partition)
    {
        try
        {
            listener.onPartitionAdded(partition);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onPartitionAdded", ex);
        }
    }

    @Override
    public void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
    {
        try
        {
            listener.onLeaderChanged(partition, leaderId, leaderEpoch);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onLeaderChanged", ex);
        }
    }

    @Override
    public void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
        try
        {
            listener.onGap(partition, fromOffset, toOffset, reason);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onGap", ex);
        }
    }

    @Override
    public void onReset(final int partition, final long fromOffset, final long toOffset)
    {
        try
        {
            listener.onReset(partition, fromOffset, toOffset);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onReset", ex);
        }
    }

    @Override
    public void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
        try
        {
            listener.onTruncation(partition, nextOffset, divergentOffset, leaderEpoch);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onTruncation", ex);
        }
    }

    @Override
    public void onCaughtUp(final int partition, final long nextOffset)
    {
        try
        {
            listener.onCaughtUp(partition, nextOffset);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onCaughtUp", ex);
        }
    }

    @Override
    public void onPartitionStopped(final int partition, final long nextOffset, final short errorCode)
    {
        try
        {
            listener.onPartitionStopped(partition, nextOffset, errorCode);
        }
        catch (final RuntimeException ex)
        {
            onListenerFailed("onPartitionStopped", ex);
        }
    }
}
