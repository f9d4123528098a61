// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.agrona.DirectBuffer;
import org.odradek.consumer.handler.NameResolver;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.WireBytes;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;

/**
 * Where a broker is: host and port, and the addresses the host has. Each try takes the next address; when all have been
 * tried, or the connection to one has broken, the name is looked up anew, so that a broker that moved is found. A
 * literal address is never looked up. All connections to the broker share it, and with it what has been learnt there.
 */
public final class BrokerAddress
{
    /**
     * The largest number that a port can have.
     */
    public static final int MAX_PORT = 65_535;

    /**
     * Of ApiVersions, spoken by brokers since 2.4 and by services that end the connection at a higher one.
     */
    private static final int LOWERED_QUESTION_VERSION = 3;

    private final String host;
    private final int port;
    private final byte[] hostBytes;
    private int next;
    private int untried;
    private int questionVersion = ApiKey.API_VERSIONS.maxVersion();
    private boolean isReported;
    private InetAddress last;
    private InetAddress[] addresses = {};
    private final NameResolver resolver;
    private final CounterWriter counters;

    /**
     * @param host     a name or a literal address, IPv6 without brackets.
     * @param port     1 to 65,535.
     * @param resolver for names.
     * @param counters of look-ups and of the time they took.
     */
    public BrokerAddress(
        final String host, final int port, final NameResolver resolver, final CounterWriter counters)
    {
        this.host = host;
        hostBytes = host.getBytes(StandardCharsets.UTF_8);
        this.port = port;
        this.resolver = resolver;
        this.counters = counters;
    }

    InetSocketAddress next() throws UnknownHostException
    {
        if (untried == 0)
        {
            lookUp();
        }
        untried--;
        last = addresses[next];
        next = next + 1 < addresses.length ? next + 1 : 0;
        return new InetSocketAddress(last, port);
    }

    /**
     * Find the addresses now rather than at the first try. The one that was tried last comes last.
     *
     * @throws UnknownHostException if there are none.
     */
    public void lookUp() throws UnknownHostException
    {
        untried = 0;
        addresses = isLiteral() ? InetAddress.getAllByName(host) : ask();
        untried = addresses.length;
        next = 0;
        for (int i = 0; i < addresses.length; i++)
        {
            if (addresses[i].equals(last))
            {
                next = i + 1 < addresses.length ? i + 1 : 0;
            }
        }
    }

    /**
     * The name is to be looked up before the next try: what it stood for has not held.
     */
    public void forget()
    {
        untried = 0;
    }

    /**
     * In which version to ask here for versions.
     */
    int questionVersion()
    {
        return questionVersion;
    }

    /**
     * A question was not answered: the next one, from whichever connection, is asked in a lower version. Some servers
     * end the connection at a version of ApiVersions that they do not know, where Kafka answers.
     *
     * @param asked the version that was not answered.
     * @return false if there is none lower; the next is asked in the highest again.
     */
    boolean lowerQuestion(final int asked)
    {
        if (asked == 0)
        {
            raiseQuestion();
            return false;
        }
        // Several connections may have asked in the same version, before any knew.
        questionVersion = Math.min(questionVersion, asked > LOWERED_QUESTION_VERSION ? LOWERED_QUESTION_VERSION : 0);
        return true;
    }

    /**
     * The question can be asked in the highest version after all: whoever did not answer was not put off by that.
     */
    void raiseQuestion()
    {
        questionVersion = ApiKey.API_VERSIONS.maxVersion();
    }

    /**
     * Whether nobody has been told yet that it cannot be reached; from now on somebody has.
     */
    boolean takeUnreported()
    {
        final boolean isFirst = !isReported;
        isReported = true;
        return isFirst;
    }

    void reached()
    {
        isReported = false;
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
        catch (final RuntimeException ex)
        {
            throw new UnknownHostException(host + ", because the name resolver failed with " + ex);
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
