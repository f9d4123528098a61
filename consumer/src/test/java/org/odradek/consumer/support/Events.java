// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.StopReason;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Records the events that a listener is notified of.
 */
public final class Events implements ConsumerListener
{
    private final List<String> lines = new ArrayList<>();

    public List<String> of(final String kind)
    {
        return lines.stream().filter((line) -> line.startsWith(kind)).collect(Collectors.toList());
    }

    @Override
    public void onConnectionLost(final int nodeId, final String address, final String reason)
    {
        lines.add("lost " + nodeId + ": " + reason);
    }

    @Override
    public void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
        lines.add("grown from " + fromLength + " to " + toLength);
    }

    @Override
    public void onFetchConnections(final int nodeId, final int fromCount, final int toCount, final String reason)
    {
        lines.add("connections from " + fromCount + " to " + toCount + ": " + reason);
    }

    @Override
    public void onPartitionAdded(final int partition)
    {
        lines.add("added " + partition);
    }

    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        lines.add("stopped " + partition + " at " + nextOffset + " for " + reason + " error " + errorCode);
    }
}
