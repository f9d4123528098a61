// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.agrona.DirectBuffer;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.Arrays;

/**
 * Holds the known brokers and their addresses, sorted by the ids of the brokers. A hash table is not used, because a
 * broker could choose ids that collide in it.
 */
public final class Brokers
{
    final BrokerAddress[] bootstrap;
    private final ClientEnvironment environment;
    private int count;
    private boolean hasAnswered;
    private long answeredNs;
    private int timesForgotten;
    private long forgottenNs;
    private int[] nodeIds = new int[8];
    private int[] nextNodeIds = new int[8];
    private BrokerAddress[] addresses = new BrokerAddress[8];
    private BrokerAddress[] nextAddresses = new BrokerAddress[8];

    public Brokers(final BrokerAddress[] bootstrap, final ClientEnvironment environment)
    {
        this.bootstrap = bootstrap;
        this.environment = environment;
    }

    /**
     * Replaces all brokers by those of a response, which the caller has checked. If several brokers have the same id,
     * the first one is used.
     *
     * @return true if a broker is new or has another address than before.
     */
    boolean update(final MetadataResponseFlyweight metadata)
    {
        int nextCount = 0;
        boolean isChanged = false;
        ensureCapacity(metadata.brokerCount());
        metadata.resetBrokers();
        while (metadata.nextBroker())
        {
            final int nodeId = metadata.nodeId();
            final int index = indexOf(nodeId, nextNodeIds, nextCount);
            if (index < 0)
            {
                final BrokerAddress known = address(nodeId);
                final BrokerAddress address = address(nodeId, metadata.buffer(), metadata.hostIndex(),
                    metadata.hostLength(), metadata.port());
                isChanged |= address != known;
                insert(~index, nodeId, address, nextNodeIds, nextAddresses, nextCount++);
            }
        }
        final int[] unusedIds = nodeIds;
        final BrokerAddress[] unusedAddresses = addresses;
        nodeIds = nextNodeIds;
        addresses = nextAddresses;
        count = nextCount;
        nextNodeIds = unusedIds;
        nextAddresses = unusedAddresses;
        assert isConsistent();
        return isChanged;
    }

    /**
     * Returns the known address of the broker if host and port are the same, else that of a bootstrap server or a new
     * one.
     */
    public BrokerAddress address(
        final int nodeId, final DirectBuffer buffer, final int hostIndex, final int hostLength, final int port)
    {
        final BrokerAddress known = address(nodeId);
        final boolean isSame = known != null && known.port() == port && known.isHost(buffer, hostIndex, hostLength);
        return isSame ? known : newAddress(buffer.getStringWithoutLengthUtf8(hostIndex, hostLength), port);
    }

    private BrokerAddress newAddress(final String host, final int port)
    {
        for (final BrokerAddress server : bootstrap)
        {
            if (server.isAt(host, port))
            {
                return server;
            }
        }
        return new BrokerAddress(host, port, false, environment.settings().nameResolver, environment.clock(),
            environment.counters());
    }

    /**
     * Sets the address of one broker, which a Fetch or Produce response contained (KIP-951), until the next metadata
     * response. The address of a new broker is ignored if there are as many brokers as a response may contain.
     *
     * @return true if the broker is new or had another address.
     */
    public boolean put(final int nodeId, final String host, final int port)
    {
        final int index = indexOf(nodeId, nodeIds, count);
        final boolean isChanged = index < 0 ? count < WireLimits.MAX_BROKERS : !addresses[index].isAt(host, port);
        if (isChanged && index >= 0)
        {
            addresses[index] = newAddress(host, port);
        }
        else if (isChanged)
        {
            ensureCapacity(count + 1);
            insert(~index, nodeId, newAddress(host, port), nodeIds, addresses, count++);
        }
        assert isConsistent();
        return isChanged;
    }

    private static void insert(
        final int index,
        final int nodeId,
        final BrokerAddress address,
        final int[] nodeIds,
        final BrokerAddress[] addresses,
        final int count)
    {
        System.arraycopy(nodeIds, index, nodeIds, index + 1, count - index);
        System.arraycopy(addresses, index, addresses, index + 1, count - index);
        nodeIds[index] = nodeId;
        addresses[index] = address;
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

    void onAnswer()
    {
        hasAnswered = true;
        answeredNs = environment.clock().pollingNs();
    }

    boolean isUnanswered(final long sinceNs)
    {
        return !hasAnswered || sinceNs - answeredNs > 0;
    }

    /** Returns true if there was no rebootstrap after this time. */
    boolean mayBeForgotten(final long sinceNs)
    {
        return timesForgotten == 0 || sinceNs - forgottenNs >= 0;
    }

    public int timesForgotten()
    {
        return timesForgotten;
    }

    void forget()
    {
        timesForgotten++;
        forgottenNs = environment.clock().nowNs();
        count = 0;
        Arrays.fill(addresses, null);
        Arrays.fill(nextAddresses, null);
        assert isConsistent();
    }

    private static int indexOf(final int nodeId, final int[] nodeIds, final int count)
    {
        // Responses contain the brokers in the order of their ids, so most of them come after the last one.
        return count == 0 || nodeIds[count - 1] < nodeId ? ~count : Arrays.binarySearch(nodeIds, 0, count, nodeId);
    }

    /** Returns the address of a broker, or null if the broker is unknown. */
    public BrokerAddress address(final int nodeId)
    {
        final int index = indexOf(nodeId, nodeIds, count);
        return index < 0 ? null : addresses[index];
    }

    /**
     * Returns true if a connection to an address may lead to a broker with a recent failure. The address of a bootstrap
     * server may lead to any broker, unless a broker was reached at the same IP address.
     */
    public boolean isFailing(final BrokerAddress address)
    {
        final int known = indexOf(address);
        boolean isFailing = known < 0 ? address.isFailing() : address.isFailing(addresses[known]);
        for (int i = 0; i < count && known < 0; i++)
        {
            isFailing |= addresses[i].isFailing();
        }
        return isFailing;
    }

    /**
     * Returns the index of the broker that has an address or was reached at the same IP address and port, or -1 if
     * there is none.
     */
    int indexOf(final BrokerAddress address)
    {
        for (int i = 0; i < count; i++)
        {
            if (addresses[i] == address || addresses[i].isSameServer(address))
            {
                return i;
            }
        }
        return -1;
    }

    public int count()
    {
        return count;
    }

    public int nodeId(final int index)
    {
        return nodeIds[index];
    }

    public BrokerAddress addressAt(final int index)
    {
        return addresses[index];
    }

    private boolean isConsistent()
    {
        // All arrays have the same length.
        boolean isConsistent = count <= nodeIds.length && nodeIds.length == nextNodeIds.length &&
            addresses.length == nodeIds.length && nextAddresses.length == nodeIds.length;
        for (int i = 0; i < count && isConsistent; i++)
        {
            // The binary search needs ascending ids, and each known broker has an address.
            isConsistent = addresses[i] != null && (i == 0 || nodeIds[i - 1] < nodeIds[i]);
        }
        return isConsistent;
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
