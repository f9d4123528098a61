// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireBytes;

/**
 * The id of the cluster that the consumer is connected to. Each version probe carries it (KIP-1242), so that a broker
 * of another cluster can reject the connection. The reason of such a rejection is kept here for the metadata refresh,
 * which then starts again from the bootstrap servers.
 */
public final class ClusterIdentity
{
    private byte[] clusterId;
    private String rebootstrapReason;

    /** Returns the id, or null while it is unknown. */
    public byte[] clusterId()
    {
        return clusterId;
    }

    /**
     * Stores the id of a metadata response.
     *
     * @param buffer that holds the id.
     * @param index  of its first byte.
     * @param length in bytes; negative if the cluster has none.
     * @return the previous id as text if this is a different one; null if it is the same or the first.
     */
    public String update(final DirectBuffer buffer, final int index, final int length)
    {
        if (length < 0 || clusterId != null && WireBytes.areEqual(buffer, index, length, clusterId))
        {
            return null;
        }
        final String before = clusterId == null ? null : toString();
        clusterId = new byte[length];
        buffer.getBytes(index, clusterId);
        return before;
    }

    /** Forgets the id and the reason to rebootstrap. */
    public void forget()
    {
        clusterId = null;
        rebootstrapReason = null;
    }

    /**
     * Requests to start again from the bootstrap servers.
     *
     * @param reason as the end of a sentence.
     */
    public void requestRebootstrap(final String reason)
    {
        rebootstrapReason = reason;
    }

    /** Returns why to start again from the bootstrap servers, or null if nothing requested it. */
    public String rebootstrapReason()
    {
        return rebootstrapReason;
    }

    @Override
    public String toString()
    {
        return clusterId == null ? "unknown" : PrintableText.of(new UnsafeBuffer(clusterId), 0, clusterId.length);
    }
}
