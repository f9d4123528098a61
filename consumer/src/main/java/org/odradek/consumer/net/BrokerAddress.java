/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.net;

import org.agrona.DirectBuffer;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.WireBytes;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;

/**
 * Where a broker is: host and port, and the addresses the host has. Each try takes the next address; when all have been
 * tried, the name is looked up anew, so that a broker that moved is found. A literal address is never looked up.
 */
public final class BrokerAddress
{
    private final String host;
    private final int port;
    private final byte[] hostBytes;
    private int next;
    private InetAddress[] addresses = {};
    private final NameResolver resolver;
    private final ConsumerCounters counters;

    /**
     * @param host     a name or a literal address, IPv6 without brackets.
     * @param port     1 to 65,535.
     * @param resolver for names.
     * @param counters of look-ups and of the time they took.
     */
    public BrokerAddress(
        final String host, final int port, final NameResolver resolver, final ConsumerCounters counters)
    {
        this.host = host;
        hostBytes = host.getBytes(StandardCharsets.UTF_8);
        this.port = port;
        this.resolver = resolver;
        this.counters = counters;
    }

    InetSocketAddress next() throws UnknownHostException
    {
        if (next == addresses.length)
        {
            lookUp();
        }
        return new InetSocketAddress(addresses[next++], port);
    }

    /**
     * Find the addresses now rather than at the first try.
     *
     * @throws UnknownHostException if there are none.
     */
    public void lookUp() throws UnknownHostException
    {
        addresses = isLiteral() ? InetAddress.getAllByName(host) : ask();
        next = 0;
    }

    private InetAddress[] ask() throws UnknownHostException
    {
        final long startNs = System.nanoTime();
        try
        {
            final InetAddress[] found = resolver.resolve(host);
            if (found == null || found.length == 0)
            {
                throw new UnknownHostException(host);
            }
            return found;
        }
        finally
        {
            counters.add(ConsumerCounters.NAME_LOOKUPS, 1);
            counters.add(ConsumerCounters.NAME_LOOKUP_NS, System.nanoTime() - startNs);
        }
    }

    private boolean isLiteral()
    {
        return host.indexOf(':') >= 0 || host.chars().allMatch((c) -> c == '.' || (c >= '0' && c <= '9'));
    }

    /**
     * Whether another is the same place.
     *
     * @param other address.
     * @return true if host and port are equal.
     */
    public boolean isSame(final BrokerAddress other)
    {
        return port == other.port && host.equals(other.host);
    }

    /**
     * Whether bytes are the host.
     *
     * @param buffer that holds them.
     * @param index  of the first.
     * @param length in bytes.
     * @return true if they are.
     */
    public boolean isHost(final DirectBuffer buffer, final int index, final int length)
    {
        return WireBytes.areEqual(buffer, index, length, hostBytes);
    }

    public String host()
    {
        return host;
    }

    public int port()
    {
        return port;
    }

    @Override
    public String toString()
    {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
