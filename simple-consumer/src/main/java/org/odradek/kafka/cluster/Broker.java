// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.cluster;

/** A broker and its address. The API returns {@link BrokerEndPoint} objects. */
public class Broker
{
    private final int id;
    private final String host;
    private final int port;

    /**
     * @param id   the node id.
     * @param host name or address.
     * @param port the TCP port.
     */
    public Broker(final int id, final String host, final int port)
    {
        this.id = id;
        this.host = host;
        this.port = port;
    }

    public final int id()
    {
        return id;
    }

    public final String host()
    {
        return host;
    }

    public final int port()
    {
        return port;
    }

    public final String connectionString()
    {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }

    @Override
    public final boolean equals(final Object other)
    {
        return other instanceof Broker && id == ((Broker)other).id && port == ((Broker)other).port &&
            host.equals(((Broker)other).host);
    }

    @Override
    public final int hashCode()
    {
        return 31 * (31 * id + host.hashCode()) + port;
    }

    @Override
    public final String toString()
    {
        return "id:" + id + ",host:" + host + ",port:" + port;
    }
}
