// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.ClientCounters;
import org.odradek.client.NameResolver;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.ConnectionRole;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.WireBytes;
import org.odradek.protocol.WireFormatException;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Holds host and port of a broker, and the IP addresses of the host, which connection attempts use in turn. After each
 * of them was tried, the next attempt looks up the host again. A further connection to the broker uses the IP address
 * of the last ready connection.
 */
public final class BrokerAddress
{
    private static final int MAX_PORT = 65_535;
    private static final Pattern IP_V4 =
        Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");
    private static final int MAX_HOST_LENGTH = 255;
    /** The ApiVersions version that replaces a higher one after a failed probe; brokers since Kafka 2.4 support it. */
    private static final int REDUCED_PROBE_VERSION = 3;

    private static final byte DELETE = 0x7F;

    /** The backoff after the first refusal; with a jitter of 20 percent it is at least one second. */
    private static final long REFUSAL_BACKOFF_NS = 1_250_000_000L;
    private static final long REFUSAL_BACKOFF_MAX_NS = 20_000_000_000L;
    private static final long ATTEMPT_NS = 5_000_000_000L;
    private static final long FAILING_NS = 45_000_000_000L;

    private final String host;
    private final int port;
    private final byte[] hostBytes;
    private final boolean isNamedByUser;
    private int next;
    private int untried;
    int probeVersion = ApiKey.API_VERSIONS.maxVersion();
    private boolean isFailureReported;
    /** True if the broker has completed an authentication, or answered a request on a ready connection. */
    boolean hasAnswered;
    private boolean isFailed;
    private long learnedNs;
    private Backoff refusals;
    private final Set<String> refusedMechanisms = new HashSet<>();
    private long attemptEndNs;
    private InetAddress last;
    /** The IP address and port of the last ready connection, or null if there was none. */
    private InetSocketAddress reached;
    private InetAddress[] addresses = {};
    private final NameResolver resolver;
    private final DutyClock clock;
    private final CounterWriter counters;

    /**
     * @param host          a name or a literal address, IPv6 without brackets.
     * @param isNamedByUser true if host and port are from the user's settings, false if a broker has named them.
     * @throws WireFormatException if {@link #isPossible} is false.
     */
    public BrokerAddress(
        final String host,
        final int port,
        final boolean isNamedByUser,
        final NameResolver resolver,
        final DutyClock clock,
        final CounterWriter counters)
    {
        hostBytes = host.getBytes(StandardCharsets.UTF_8);
        if (!isPossible(new UnsafeBuffer(hostBytes), 0, hostBytes.length, port))
        {
            throw new WireFormatException(
                "'" + PrintableText.of(host) + "' with port " + port + " cannot be the address of a broker");
        }
        this.host = host;
        this.port = port;
        this.isNamedByUser = isNamedByUser;
        this.resolver = resolver;
        this.clock = clock;
        this.counters = counters;
        learnedNs = clock.nowNs();
    }

    /**
     * Returns true if a broker can have this host and port: a host of 1 to 255 printable ASCII characters without
     * spaces, and a port from 1 to 65,535.
     */
    public static boolean isPossible(final DirectBuffer buffer, final int index, final int length, final int port)
    {
        if (port < 1 || port > MAX_PORT || length < 1 || length > MAX_HOST_LENGTH)
        {
            return false;
        }
        boolean isZone = false;
        for (int i = index; i < index + length; i++)
        {
            // Bytes of characters outside of ASCII are negative. Old JDKs ignore some zones of IPv6 addresses, and what
            // follows a bracket, and a pattern of allowed hosts would match that text.
            final byte letter = buffer.getByte(i);
            if (letter <= ' ' || letter == DELETE || letter == '[' || letter == ']' || isZone && !isOfZone(letter))
            {
                return false;
            }
            isZone |= letter == '%';
        }
        return true;
    }

    private static boolean isOfZone(final byte letter)
    {
        return letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z' || letter >= '0' && letter <= '9' ||
            letter == '_' || letter == '-';
    }

    /** @throws WireFormatException if the id is negative or {@link #isPossible} is false. */
    public static void check(
        final int nodeId, final DirectBuffer buffer, final int index, final int length, final int port)
    {
        if (nodeId < 0)
        {
            throw new WireFormatException("broker id " + nodeId + " where 0 or more was expected");
        }
        if (!isPossible(buffer, index, length, port))
        {
            throw new WireFormatException((port < 1 || port > MAX_PORT ? "port " + port :
                "host name of " + length + " bytes") + " of broker " + nodeId + " where a port from 1 to " + MAX_PORT +
                " and a host name of 1 to " + MAX_HOST_LENGTH + " printable ASCII letters were expected");
        }
    }

    InetSocketAddress next(final ConnectionRole role) throws UnknownHostException
    {
        return role == ConnectionRole.FURTHER && reached != null ? reached : next();
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
        assert isConsistent();
        return new InetSocketAddress(named(last), port);
    }

    /** Returns the address with the host as its name, so that TLS checks this name and no reverse lookup is made. */
    private InetAddress named(final InetAddress address) throws UnknownHostException
    {
        return address instanceof Inet6Address ipv6 && ipv6.getScopeId() != 0 ?
            Inet6Address.getByAddress(host, ipv6.getAddress(), ipv6.getScopeId()) :
            InetAddress.getByAddress(host, address.getAddress());
    }

    /**
     * After the lookup, the address that was tried last is the last in the order.
     *
     * @throws UnknownHostException if the lookup fails; the known addresses are kept.
     */
    public void lookUp() throws UnknownHostException
    {
        // This is set before anything can fail: after a failure the next attempts use the known addresses.
        untried = addresses.length;
        // In brackets, the JDK refuses text that is not an address, and never looks it up as a name.
        addresses = !isLiteral(host) ? resolve() :
            InetAddress.getAllByName(host.indexOf(':') < 0 ? host : "[" + host + "]");
        untried = addresses.length;
        next = (Arrays.asList(addresses).lastIndexOf(last) + 1) % addresses.length;
        assert isConsistent();
    }

    private InetAddress[] resolve() throws UnknownHostException
    {
        final long startNs = clock.readNs();
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
            counters.add(ClientCounters.NAME_LOOKUPS, 1);
            counters.add(ClientCounters.NAME_LOOKUP_NS, clock.readNs() - startNs);
        }
    }

    private static boolean isLiteral(final String host)
    {
        return host.indexOf(':') >= 0 || IP_V4.matcher(host).matches();
    }

    public void forget()
    {
        untried = 0;
    }

    /**
     * @param sent ApiVersions version of the probe that had no response.
     * @return false if there is no lower version; the next probe then has the highest version again.
     */
    boolean lowerProbeVersion(final int sent)
    {
        if (sent == 0)
        {
            resetProbeVersion();
            return false;
        }
        // Several connections may have sent the same version before the first of them was closed.
        probeVersion = Math.min(probeVersion, sent > REDUCED_PROBE_VERSION ? REDUCED_PROBE_VERSION : 0);
        assert isConsistent();
        return true;
    }

    void resetProbeVersion()
    {
        probeVersion = ApiKey.API_VERSIONS.maxVersion();
    }

    /**
     * Returns true for the first call since the last {@link #onAnswered()} or, if the broker {@link #hasAnswered}, the
     * last {@link #onReady}.
     */
    boolean takeFirstFailure()
    {
        final boolean isFirst = !isFailureReported;
        isFailureReported = true;
        return isFirst;
    }

    void onReady(final InetSocketAddress connected)
    {
        reached = connected;
        isFailureReported &= !hasAnswered;
        refusals = null;
        refusedMechanisms.clear();
        assert isConsistent();
    }

    /**
     * After a refusal, no connection to this address begins for a second or more; refusals during this time do not
     * extend it.
     *
     * @param mechanism SASL mechanism that was refused, or "TLS".
     * @return true for the first refusal of the mechanism since the last {@link #onReady}.
     */
    boolean onRefused(final long nowNs, final RandomGenerator random, final String mechanism)
    {
        final boolean isFirst = refusedMechanisms.add(mechanism);
        if (refusals == null)
        {
            refusals = new Backoff(REFUSAL_BACKOFF_NS, REFUSAL_BACKOFF_MAX_NS, random);
        }
        if (refusals.hasExpired(nowNs))
        {
            refusals.failed(nowNs);
        }
        attemptEndNs = nowNs;
        assert isConsistent();
        return isFirst;
    }

    /**
     * After a refusal, no other connection attempt begins until the attempt that begins now has ended or has taken 5
     * seconds.
     */
    void onConnecting(final long nowNs)
    {
        attemptEndNs = nowNs + ATTEMPT_NS;
    }

    /** The attempt was neither refused nor did it lead to a connection that is ready. */
    void onNotConnected(final long nowNs)
    {
        attemptEndNs = nowNs;
    }

    long refusedUntilNs(final long otherwiseNs)
    {
        if (refusals == null)
        {
            return otherwiseNs;
        }
        final long untilNs = attemptEndNs - refusals.deadlineNs() > 0 ? attemptEndNs : refusals.deadlineNs();
        return untilNs - otherwiseNs > 0 ? untilNs : otherwiseNs;
    }

    void onAnswered()
    {
        hasAnswered = true;
        isFailureReported = false;
    }

    void onFailed()
    {
        isFailed = true;
        learnedNs = clock.nowNs();
    }

    void onSuccess()
    {
        isFailed = false;
        learnedNs = clock.nowNs();
    }

    /**
     * Returns true if a connection to the broker failed in the last 45 seconds, and no response without an error has
     * arrived since.
     */
    public boolean isFailing()
    {
        return isFailed && clock.nowNs() - learnedNs < FAILING_NS;
    }

    /**
     * Returns {@link #isFailing()} of this or another address of the same server, whichever had the later connection
     * failure or success.
     */
    public boolean isFailing(final BrokerAddress other)
    {
        return (learnedNs - other.learnedNs > 0 ? this : other).isFailing();
    }

    public boolean isSameServer(final BrokerAddress other)
    {
        return reached != null && reached.equals(other.reached);
    }

    public boolean isAt(final String otherHost, final int otherPort)
    {
        return port == otherPort && host.equals(otherHost);
    }

    public boolean isSame(final BrokerAddress other)
    {
        return isAt(other.host, other.port);
    }

    public boolean isHost(final DirectBuffer buffer, final int index, final int length)
    {
        return WireBytes.areEqual(buffer, index, length, hostBytes);
    }

    public boolean isNamedByUser()
    {
        return isNamedByUser;
    }

    public String host()
    {
        return host;
    }

    public int port()
    {
        return port;
    }

    private boolean isConsistent()
    {
        // The next address is one of the known addresses.
        return next >= 0 && (next < addresses.length || next == 0) &&
            // No address is tried twice before the next lookup.
            untried >= 0 && untried <= addresses.length &&
            // There is a backoff exactly if a mechanism was refused.
            refusedMechanisms.isEmpty() == (refusals == null) &&
            // The version probe never has a version that this client does not support.
            probeVersion >= 0 && probeVersion <= ApiKey.API_VERSIONS.maxVersion();
    }

    @Override
    public String toString()
    {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
