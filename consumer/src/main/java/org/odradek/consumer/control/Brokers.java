// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.agrona.DirectBuffer;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.Arrays;

/**
 * The brokers of the cluster and their addresses, as metadata names them. Metadata without a change allocates nothing.
 */
final class Brokers
{
    private final BrokerAddress[] bootstrap;
    private final NameResolver resolver;
    private final ConsumerEnvironment environment;
    private int count;
    private int[] nodeIds = new int[8];
    private int[] nextNodeIds = new int[8];
    private BrokerAddress[] addresses = new BrokerAddress[8];
    private BrokerAddress[] nextAddresses = new BrokerAddress[8];

    Brokers(final BrokerAddress[] bootstrap, final NameResolver resolver, final ConsumerEnvironment environment)
    {
        this.bootstrap = bootstrap;
        this.resolver = resolver;
        this.environment = environment;
    }

    /**
     * Replace all brokers by those of a response, which have been checked.
     *
     * @return true if one is new or has another address than before.
     */
    boolean update(final MetadataResponseFlyweight metadata)
    {
        int nextCount = 0;
        boolean isChanged = false;
        ensureCapacity(metadata.brokerCount());
        metadata.resetBrokers();
        while (metadata.nextBroker())
        {
            final BrokerAddress known = address(metadata.nodeId());
            final BrokerAddress address = address(metadata.nodeId(), metadata.buffer(), metadata.hostIndex(),
                metadata.hostLength(), metadata.port());
            isChanged |= address != known;
            nextNodeIds[nextCount] = metadata.nodeId();
            nextAddresses[nextCount++] = address;
        }
        final int[] unusedIds = nodeIds;
        final BrokerAddress[] unusedAddresses = addresses;
        nodeIds = nextNodeIds;
        addresses = nextAddresses;
        count = nextCount;
        nextNodeIds = unusedIds;
        nextAddresses = unusedAddresses;
        return isChanged;
    }

    /** The address of a broker that a response names: the known one if it is the same. */
    BrokerAddress address(
        final int nodeId, final DirectBuffer buffer, final int hostIndex, final int hostLength, final int port)
    {
        final BrokerAddress known = address(nodeId);
        final boolean isSame = known != null && known.port() == port && known.isHost(buffer, hostIndex, hostLength);
        return isSame ? known : newAddress(buffer.getStringWithoutLengthUtf8(hostIndex, hostLength), port);
    }

    /**
     * A bootstrap server that is also named as a broker keeps its object, and so what is known about it: also that the
     * user has named it.
     */
    private BrokerAddress newAddress(final String host, final int port)
    {
        final BrokerAddress address =
            new BrokerAddress(host, port, false, resolver, environment.clock(), environment.counters());
        for (final BrokerAddress server : bootstrap)
        {
            if (server.isSame(address))
            {
                return server;
            }
        }
        return address;
    }

    /** Set the address of one broker, which a fetch response has named (KIP-951), until the next metadata. */
    void put(final int nodeId, final String host, final int port)
    {
        final BrokerAddress address = newAddress(host, port);
        final int index = indexOf(nodeId);
        if (index < 0)
        {
            ensureCapacity(count + 1);
            nodeIds[count] = nodeId;
            addresses[count++] = address;
        }
        else if (!addresses[index].isSame(address))
        {
            addresses[index] = address;
        }
    }

    private void ensureCapacity(final int length)
    {
        if (length > nodeIds.length)
        {
            nodeIds = Arrays.copyOf(nodeIds, 2 * length);
            nextNodeIds = Arrays.copyOf(nextNodeIds, 2 * length);
            addresses = Arrays.copyOf(addresses, 2 * length);
            nextAddresses = Arrays.copyOf(nextAddresses, 2 * length);
        }
    }

    void forget()
    {
        count = 0;
        Arrays.fill(addresses, null);
        Arrays.fill(nextAddresses, null);
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

    /** The address of a broker, or null if it is unknown. */
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
        return Text.of(this);
    }

    /** Keeps the strings out of the class that every duty cycle uses. */
    private static final class Text
    {
        static String of(final Brokers brokers)
        {
            final StringBuilder text = new StringBuilder("brokers");
            for (int i = 0; i < brokers.count; i++)
            {
                text.append(' ').append(brokers.nodeIds[i]).append('@').append(brokers.addresses[i]);
            }
            return text.toString();
        }
    }
}
