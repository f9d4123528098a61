// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireBytes;

/**
 * The id of the cluster to which the client is connected. A version probe to a broker with a known node id carries the
 * cluster's id (KIP-1242), so that a broker of another cluster can reject the connection. This object keeps the reason
 * of such a rejection for the metadata refresh, which then starts again from the bootstrap servers.
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
     * @param buffer buffer that contains the id.
     * @param index  index of the first byte of the id.
     * @param length length of the id in bytes; negative if the cluster has no id.
     * @return the previous id as text if this one is different; null if it is the same, is the first id, or is missing
     *         in the response.
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
     * Requests that the client starts again from the bootstrap servers.
     *
     * @param reason the reason as the end of a sentence.
     */
    public void requestRebootstrap(final String reason)
    {
        rebootstrapReason = reason;
    }

    /** Returns why the client must start again from the bootstrap servers, or null if nothing has requested it. */
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
