// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.cluster;

/**
 * A broker and its address in metadata.
 */
public final class BrokerEndPoint extends Broker
{
    /**
     * @param id   the node id.
     * @param host name or address.
     * @param port the TCP port.
     */
    public BrokerEndPoint(final int id, final String host, final int port)
    {
        super(id, host, port);
    }
}
