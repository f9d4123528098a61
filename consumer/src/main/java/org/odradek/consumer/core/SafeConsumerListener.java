// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.odradek.client.core.SafeCallbacks;
import org.odradek.client.core.SafeListener;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.StallPhase;
import org.odradek.consumer.handler.StopReason;

import java.nio.file.Path;

/** Passes each event of a consumer to the user's listener, and never throws. */
public final class SafeConsumerListener extends SafeListener implements ConsumerListener
{
    private final ConsumerListener listener;

    public SafeConsumerListener(final ConsumerListener listener, final SafeCallbacks callbacks)
    {
        super(listener, callbacks);
        this.listener = listener;
    }

    @Override
    public void onCaptureFull(final Path file, final long frames, final long bytes)
    {
        report("onCaptureFull", () -> listener.onCaptureFull(file, frames, bytes));
    }

    @Override
    public void onStall(final StallPhase phase, final long stalledNs)
    {
        // A stall of the machine must not cause an allocation.
        try
        {
            listener.onStall(phase, stalledNs);
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
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        report("onPartitionStopped", () -> listener.onPartitionStopped(partition, nextOffset, reason, errorCode));
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        report("onPartitionAssigned", () -> listener.onPartitionAssigned(partition, nextOffset));
    }

    @Override
    public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
    {
        report("onPartitionRevoked", () -> listener.onPartitionRevoked(partition, nextOffset, committedOffset));
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
    {
        report("onPartitionLost", () -> listener.onPartitionLost(partition, nextOffset, committedOffset));
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
    public void onGroupProtocol(final GroupProtocol protocol, final String reason)
    {
        report("onGroupProtocol", () -> listener.onGroupProtocol(protocol, text(reason)));
    }

    @Override
    public void onClassicGroupConverted(final String protocolType, final String groupState, final int memberCount)
    {
        report("onClassicGroupConverted",
            () -> listener.onClassicGroupConverted(text(protocolType), text(groupState), memberCount));
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
