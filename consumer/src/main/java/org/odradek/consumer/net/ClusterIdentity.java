// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.DirectBuffer;
import org.odradek.protocol.WireBytes;

import java.nio.charset.StandardCharsets;

/**
 * Which cluster the consumer believes to be connected to: told to each broker when versions are agreed on (KIP-1242),
 * so that one of another cluster, or another node, can say so. Also the mark that a broker did say so; whoever keeps
 * up with the cluster looks for it and begins again from the bootstrap servers.
 */
public final class ClusterIdentity
{
    private byte[] clusterId;
    private String rebootstrapReason;

    /**
     * The id of the cluster, or null while it is not known.
     */
    byte[] clusterId()
    {
        return clusterId;
    }

    /**
     * Take what metadata says.
     *
     * @param buffer that holds the id.
     * @param index  of its first byte.
     * @param length in bytes; negative where the cluster has none.
     * @return the id known before as text if this is another; null if it is the same, or the first.
     */
    public String update(final DirectBuffer buffer, final int index, final int length)
    {
        if (length < 0 || clusterId != null && WireBytes.areEqual(buffer, index, length, clusterId))
        {
            return null;
        }
        final String before = toString();
        final boolean isFirst = clusterId == null;
        clusterId = new byte[length];
        buffer.getBytes(index, clusterId);
        return isFirst ? null : before;
    }

    /**
     * Know of no cluster, and of no wish to begin again.
     */
    public void forget()
    {
        clusterId = null;
        rebootstrapReason = null;
    }

    /**
     * Leave the mark.
     *
     * @param reason in words.
     */
    public void wantRebootstrap(final String reason)
    {
        rebootstrapReason = reason;
    }

    /**
     * Why to begin again from the bootstrap servers; null where nobody asked for it.
     */
    public String rebootstrapReason()
    {
        return rebootstrapReason;
    }

    @Override
    public String toString()
    {
        return clusterId == null ? "unknown" : new String(clusterId, StandardCharsets.UTF_8);
    }
}
