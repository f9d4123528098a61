// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireBytes;

/** Stores the id of the cluster, and the reason for a rebootstrap if a broker has requested one. */
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
     * @param length length of the id in bytes; negative if the response contains no id.
     * @return the previous id as text if the id has changed; null if it is the same, is the first id, or is missing in
     *         the response.
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

    public void forget()
    {
        clusterId = null;
        rebootstrapReason = null;
    }

    public void requestRebootstrap(final String reason)
    {
        rebootstrapReason = reason;
    }

    /** Returns why a broker requires a return to the bootstrap servers, or null if no broker has required it. */
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
