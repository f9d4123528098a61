// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.Arrays;

/**
 * The brokers that metadata has named, and where they are. Reading metadata that says what is known already makes
 * nothing.
 */
final class ClusterView
{
    private final NameResolver resolver;
    private final CounterWriter counters;
    private int count;
    private int[] nodeIds = new int[8];
    private BrokerAddress[] addresses = new BrokerAddress[8];

    ClusterView(final NameResolver resolver, final CounterWriter counters)
    {
        this.resolver = resolver;
        this.counters = counters;
    }

    /**
     * Take the brokers of a response; others are forgotten.
     *
     * @return true if one is new or at another place than before.
     * @throws WireFormatException if a port cannot be one.
     */
    boolean update(final MetadataResponseFlyweight metadata)
    {
        int kept = 0;
        boolean isChanged = false;
        metadata.resetBrokers();
        while (metadata.nextBroker())
        {
            BrokerAddress.check(metadata.nodeId(), metadata.buffer(), metadata.hostIndex(), metadata.hostLength(),
                metadata.port());
        }
        metadata.resetBrokers();
        while (metadata.nextBroker())
        {
            final BrokerAddress known = address(metadata.nodeId());
            final boolean isSame = known != null && known.port() == metadata.port() &&
                known.isHost(metadata.buffer(), metadata.hostIndex(), metadata.hostLength());
            final BrokerAddress address = isSame ? known : new BrokerAddress(
                metadata.buffer().getStringWithoutLengthUtf8(metadata.hostIndex(), metadata.hostLength()),
                metadata.port(), resolver, counters);
            keep(kept++, metadata.nodeId(), address);
            isChanged |= !isSame;
        }
        count = kept;
        return isChanged;
    }

    /**
     * Take the place of one broker as another has told it (KIP-951); the next metadata may know better.
     */
    void learn(final int nodeId, final String host, final int port)
    {
        final BrokerAddress address = new BrokerAddress(host, port, resolver, counters);
        final int index = indexOf(nodeId);
        if (index < 0)
        {
            keep(count, nodeId, address);
        }
        else if (!addresses[index].isSame(address))
        {
            addresses[index] = address;
        }
    }

    /**
     * Put a broker at a place, and what stood there behind, where it may still be found.
     */
    private void keep(final int at, final int nodeId, final BrokerAddress address)
    {
        int from = indexOf(nodeId);
        if (from < 0 || from < at)
        {
            from = count++;
            if (count > nodeIds.length)
            {
                nodeIds = Arrays.copyOf(nodeIds, 2 * count);
                addresses = Arrays.copyOf(addresses, 2 * count);
            }
        }
        nodeIds[from] = nodeIds[at];
        addresses[from] = addresses[at];
        nodeIds[at] = nodeId;
        addresses[at] = address;
    }

    /**
     * Know of no broker.
     */
    void forget()
    {
        count = 0;
        Arrays.fill(addresses, null);
    }

    private int indexOf(final int nodeId)
    {
        for (int i = 0; i < count; i++)
        {
            if (nodeIds[i] == nodeId)
            {
                return i;
            }
        }
        return -1;
    }

    /**
     * Where a broker is, or null if it is not known.
     */
    BrokerAddress address(final int nodeId)
    {
        final int index = indexOf(nodeId);
        return index < 0 ? null : addresses[index];
    }

    int count()
    {
        return count;
    }

    int nodeId(final int index)
    {
        return nodeIds[index];
    }

    BrokerAddress addressAt(final int index)
    {
        return addresses[index];
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder("brokers");
        for (int i = 0; i < count; i++)
        {
            text.append(' ').append(nodeIds[i]).append('@').append(addresses[i]);
        }
        return text.toString();
    }
}
