// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.agrona.ErrorHandler;
import org.agrona.LangUtil;
import org.odradek.consumer.handler.AuthenticationException;
import org.odradek.consumer.handler.ClientException;
import org.odradek.consumer.handler.ClientListener;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.StallPhase;
import org.odradek.protocol.PrintableText;

/**
 * Calls the user's listener and error handler, and protects the consumer from what they throw, because an event may
 * occur in the middle of any work. An exception of the listener is reported to the error handler; an exception of the
 * error handler, and an Error of either, is kept until the poll has done its work, and thrown then. So the state of the
 * consumer stays consistent, and the next poll continues.
 */
public final class SafeCallbacks implements ErrorHandler
{
    private final ConsumerListener listener;
    private final ErrorHandler errorHandler;
    private Throwable pending;
    private AuthenticationException lastRefusal;

    /**
     * @param connections  receives the events of connections.
     * @param listener     receives the other ones; {@link ConsumerListener#NONE} for a client that is no consumer.
     * @param errorHandler receives errors.
     * @param counters     to which errors of the listeners are added.
     */
    public SafeCallbacks(
        final ClientListener connections,
        final ConsumerListener listener,
        final ErrorHandler errorHandler,
        final CounterWriter counters)
    {
        this.listener = new SafeListener(connections, listener, this, counters);
        this.errorHandler = errorHandler;
    }

    /** Passes each event to the user's listener, and never throws anything. */
    public ConsumerListener listener()
    {
        return listener;
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
     * Returns the last refusal of the consumer's credentials that was reported, or null.
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

    private void keep(final Throwable thrown)
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

    /**
     * @param connections receives the events of connections.
     * @param listener    receives the other ones.
     */
    private record SafeListener(
        ClientListener connections, ConsumerListener listener, ErrorHandler errorHandler, CounterWriter counters)
        implements ConsumerListener
    {
        private void report(final String event, final Runnable call)
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

        /** A broker may have chosen the words. */
        private static String text(final String words)
        {
            return PrintableText.of(words, PrintableText.MAX_SENTENCE_LENGTH);
        }

        private void onFailed(final String event, final Throwable ex)
        {
            counters.add(ConsumerCounters.LISTENER_ERRORS, 1);
            errorHandler.onError(ex instanceof Error ? ex : new ClientException(
                "The listener threw an exception in " + event + "; the event counts as delivered.", ex));
        }

        @Override
        public void onConnectionLost(final int nodeId, final String address, final String reason)
        {
            report("onConnectionLost", () -> connections.onConnectionLost(nodeId, text(address), text(reason)));
        }

        @Override
        public void onConnectionRestored(final int nodeId, final String address)
        {
            report("onConnectionRestored", () -> connections.onConnectionRestored(nodeId, text(address)));
        }

        @Override
        public void onAuthenticationFailed(
            final int nodeId, final String address, final String mechanism, final String reason)
        {
            report("onAuthenticationFailed",
                () -> connections.onAuthenticationFailed(nodeId, text(address), text(mechanism), text(reason)));
        }

        @Override
        public void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
        {
            report("onBufferGrown", () -> connections.onBufferGrown(nodeId, fromLength, toLength));
        }

        @Override
        public void onCaptureFull(final String file, final long frames, final long bytes)
        {
            report("onCaptureFull", () -> listener.onCaptureFull(file, frames, bytes));
        }

        @Override
        public void onStall(final String topic, final String clientId, final StallPhase phase, final long stalledNs)
        {
            // A machine that stands still for a moment must not be a reason to allocate.
            try
            {
                listener.onStall(topic, clientId, phase, stalledNs);
            }
            catch (final Throwable ex)
            {
                onFailed("onStall", ex);
            }
        }

        @Override
        public void onFetchConnections(
            final int nodeId, final int fromCount, final int toCount, final String reason)
        {
            report("onFetchConnections",
                () -> listener.onFetchConnections(nodeId, fromCount, toCount, text(reason)));
        }

        @Override
        public void onThrottled(final int nodeId, final int throttleTimeMs)
        {
            // A consumer at its quota has this event with every response, so it must not allocate.
            try
            {
                connections.onThrottled(nodeId, throttleTimeMs);
            }
            catch (final Throwable ex)
            {
                onFailed("onThrottled", ex);
            }
        }

        @Override
        public void onCertificatesNotReloaded(final String reason)
        {
            report("onCertificatesNotReloaded", () -> connections.onCertificatesNotReloaded(text(reason)));
        }

        @Override
        public void onTokenNotRenewed(final String reason)
        {
            report("onTokenNotRenewed", () -> connections.onTokenNotRenewed(text(reason)));
        }

        @Override
        public void onTlsFallback(final String reason)
        {
            report("onTlsFallback", () -> connections.onTlsFallback(text(reason)));
        }

        @Override
        public void onRebootstrap(final String reason)
        {
            report("onRebootstrap", () -> connections.onRebootstrap(text(reason)));
        }

        @Override
        public void onPartitionAdded(final int partition)
        {
            report("onPartitionAdded", () -> listener.onPartitionAdded(partition));
        }

        @Override
        public void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
        {
            report("onLeaderChanged", () -> listener.onLeaderChanged(partition, leaderId, leaderEpoch));
        }

        @Override
        public void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
        {
            report("onGap", () -> listener.onGap(partition, fromOffset, toOffset, reason));
        }

        @Override
        public void onReset(final int partition, final long fromOffset, final long toOffset)
        {
            report("onReset", () -> listener.onReset(partition, fromOffset, toOffset));
        }

        @Override
        public void onTruncation(
            final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
        {
            report("onTruncation", () -> listener.onTruncation(partition, nextOffset, divergentOffset, leaderEpoch));
        }

        @Override
        public void onCaughtUp(final int partition, final long nextOffset)
        {
            // Every seek ends in this event, so it must not allocate, as a lambda would.
            try
            {
                listener.onCaughtUp(partition, nextOffset);
            }
            catch (final Throwable ex)
            {
                onFailed("onCaughtUp", ex);
            }
        }

        @Override
        public void onPartitionStopped(final int partition, final long nextOffset, final short errorCode)
        {
            report("onPartitionStopped", () -> listener.onPartitionStopped(partition, nextOffset, errorCode));
        }

        @Override
        public void onPartitionAssigned(final int partition, final long nextOffset)
        {
            report("onPartitionAssigned", () -> listener.onPartitionAssigned(partition, nextOffset));
        }

        @Override
        public void onPartitionRevoked(final int partition, final long committedOffset)
        {
            report("onPartitionRevoked", () -> listener.onPartitionRevoked(partition, committedOffset));
        }

        @Override
        public void onPartitionLost(final int partition, final long nextOffset)
        {
            report("onPartitionLost", () -> listener.onPartitionLost(partition, nextOffset));
        }

        @Override
        public void onAcknowledgementRefused(
            final int partition, final long acknowledgedOffset, final long nextOffset)
        {
            report("onAcknowledgementRefused",
                () -> listener.onAcknowledgementRefused(partition, acknowledgedOffset, nextOffset));
        }

        @Override
        public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
        {
            report("onGroupState", () -> listener.onGroupState(state, memberEpoch, text(reason)));
        }

        @Override
        public void onGroupProtocol(final String groupId, final GroupProtocol protocol, final String reason)
        {
            report("onGroupProtocol", () -> listener.onGroupProtocol(groupId, protocol, text(reason)));
        }

        @Override
        public void onClassicGroupConverted(
            final String groupId, final String protocolType, final String groupState, final int memberCount)
        {
            report("onClassicGroupConverted", () ->
                listener.onClassicGroupConverted(groupId, text(protocolType), text(groupState), memberCount));
        }

        @Override
        public void onDeliveryFenced(final long unconfirmedNs)
        {
            report("onDeliveryFenced", () -> listener.onDeliveryFenced(unconfirmedNs));
        }

        @Override
        public void onDeliveryUnfenced(final long fencedNs)
        {
            report("onDeliveryUnfenced", () -> listener.onDeliveryUnfenced(fencedNs));
        }
    }
}
