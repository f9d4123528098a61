// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.NameResolver;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.simulation.RunSettings.LoadProfile;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The hosts of the brokers, the connections to them, and the names of the hosts. */
final class SimulatedNetwork implements NameResolver
{
    /** A name with the addresses of all brokers. */
    static final String BOOTSTRAP_NAME = "bootstrap.sim";

    static final int PORT = 9_092;
    private static final int MAX_CONNECT_ATTEMPTS = 6;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MAX_LOOKUP_NS = 2_000_000;
    private static final int MAX_SMALL_BUFFER = 512;
    private static final int LARGE_BUFFER = 65_536;
    private static final int MAX_WINDOW = 4_194_304;
    /** Bytes for each second of the least latency. A buffer is emptied in about 18 of these, so it carries 1 KB/s. */
    private static final long MIN_SEND_RATE = 18_432;

    /** The least latencies that one window takes at most, in 24 pieces. */
    private static final long MAX_WINDOW_LATENCIES = 72;
    static final int LARGEST_BATCH = 65_536;

    final SimulatedClock clock;
    final Draw draw;
    final int windowLength;
    final int sendBufferLength;
    final Distance distance;
    private final SimulatedCluster world;
    private final long minLatencyNs;
    private final int pieceChance;
    /** Whether each message takes the least latency, and arrives in one piece. */
    private final boolean isSteady;
    private final List<Host> hosts = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    /** What the last lookup of each name has returned. */
    private final Map<String, List<InetAddress>> known = new HashMap<>();
    private int nextLinkId;
    private long activity;
    /**
     * Bytes that were sent before the end of an output, or before there was no room for more, and had not arrived when
     * the client closed the connection.
     */
    private long lostAtClose;
    private int nextAddress;

    SimulatedNetwork(final SimulatedCluster world)
    {
        this.world = world;
        clock = world.clock;
        distance = world.scenario.distance;
        isSteady = world.scenario.settings.load() == LoadProfile.TRICKLE;
        draw = new Draw(world.scenario.seed, "network");
        final long drawnNs = drawMinLatencyNs(draw);
        minLatencyNs = distance.isFar ? distance.latencyNs() : drawnNs;
        pieceChance = draw.oneIn(3) && !distance.isFar ? 2 : 50;
        final long leastWindow = isSteady ? MAX_WINDOW : distance.isFar ? 2L * distance.window : 0;
        windowLength = (int)Math.max(Math.max(draw.logBetween(2_048, MAX_WINDOW), minWindowLength()), leastWindow);
        sendBufferLength = draw.oneIn(4) && !distance.isFar && !isSteady ?
            (int)draw.logBetween(1 + minLatencyNs * MIN_SEND_RATE / NANOS_PER_SECOND, MAX_SMALL_BUFFER) : LARGE_BUFFER;
    }

    /** The first number that a generator of a network draws: the least latency of its connections. */
    static long drawMinLatencyNs(final Draw draw)
    {
        return draw.logBetween(20_000, 20_000_000);
    }

    /** A whole response must arrive before its request times out; otherwise no client would ever make progress. */
    private long minWindowLength()
    {
        final long windows = world.scenario.requestTimeoutMs * 1_000_000L / (2 * MAX_WINDOW_LATENCIES * minLatencyNs);
        return (world.scenario.context().fetchMaxBytes() + LARGEST_BATCH) / Math.max(1, windows);
    }

    /** Adds a broker on a host of its own. The ids count from 0, as the indexes of the hosts do. */
    void addHost(final int id, final BrokerRelease release)
    {
        final InetAddress address = newAddress();
        final String name = world.scenario.isOn(Feature.LITERAL_ADDRESSES) ?
            address.getHostAddress() : "broker-" + id + ".sim";
        hosts.add(new Host(name, PORT, address,
            world.cluster.addBroker(id, name, PORT, release).rack(Scenario.rack(id))));
    }

    String bootstrapServers()
    {
        return (world.scenario.isOn(Feature.LITERAL_ADDRESSES) ? hosts.get(0).name : BOOTSTRAP_NAME) + ":" + PORT;
    }

    InetAddress newAddress()
    {
        nextAddress++;
        return address("host", nextAddress);
    }

    private static InetAddress address(final String name, final int number)
    {
        try
        {
            return InetAddress.getByAddress(name, new byte[]{10, 0, (byte)(number >> 8), (byte)number});
        }
        catch (final UnknownHostException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Changes with each byte that the consumer sends or receives, and each change of a connection. */
    long activity()
    {
        return activity;
    }

    void onActivity()
    {
        activity++;
    }

    List<Host> hosts()
    {
        return hosts;
    }

    /** The connections that the consumer has not closed. */
    List<Link> links()
    {
        return links;
    }

    @Override
    public InetAddress[] resolve(final String name) throws UnknownHostException
    {
        clock.spend(draw.between(1, MAX_LOOKUP_NS));
        if (world.faults != null)
        {
            world.faults.onLookup(name);
        }
        activity++;
        final List<InetAddress> found = new ArrayList<>();
        for (final Host host : hosts)
        {
            if (!host.isDecommissioned && (name.equals(BOOTSTRAP_NAME) || name.equals(host.name)))
            {
                host.wasLookedUp = true;
                found.add(host.address);
            }
        }
        if (found.isEmpty())
        {
            throw new UnknownHostException(name);
        }
        known.put(name, found);
        return found.toArray(InetAddress[]::new);
    }

    /**
     * Returns how often the consumer may connect to addresses that hosts had before: it does now, or tries those of
     * each name that it has not looked up since, because it keeps the known addresses when lookups fail.
     */
    long staleConnects()
    {
        return known.values().stream().flatMap(List::stream).filter(this::isStale).count() +
            links.stream().filter((link) -> link.state() == Link.CONNECTING && isStale(link.host.address)).count();
    }

    private boolean isStale(final InetAddress address)
    {
        return hosts.stream().noneMatch((host) -> host.address.equals(address));
    }

    /** Returns how many brokers never come back, which a consumer may have to try in vain. */
    long goneHosts()
    {
        return hosts.stream().filter((host) -> host.isGone).count();
    }

    long drawLatencyNs()
    {
        return distance.isFar || isSteady ? minLatencyNs : draw.logBetween(minLatencyNs, 4 * minLatencyNs);
    }

    /** Draws the time that the first bytes of a message take over a connection. */
    long drawTransferNs(final long latencyNs)
    {
        return isSteady ? latencyNs : latencyNs + draw.below((int)latencyNs);
    }

    int drawPieces(final int max)
    {
        return !isSteady && draw.oneIn(pieceChance) ? 1 + draw.below(max) : 1;
    }

    Link connect(final InetSocketAddress address)
    {
        final Host host = find(address);
        final Link link = new Link(nextLinkId++, host, this);
        links.add(link);
        activity++;
        world.onConnect(link);
        clock.after(drawLatencyNs(), () -> answer(link, 1));
        return link;
    }

    /** Returns the host with an address; an address that a host no longer has leads to nothing that answers. */
    private Host find(final InetSocketAddress address)
    {
        for (final Host host : hosts)
        {
            if (host.port == address.getPort() && host.address.equals(address.getAddress()))
            {
                return host;
            }
        }
        final Host nobody = new Host(
            address.getAddress().getHostAddress(), address.getPort(), address.getAddress(), null);
        nobody.isUp = false;
        nobody.isSilent = true;
        return nobody;
    }

    /** The system tries again after 1, 2, 4 and more seconds. */
    private void answer(final Link link, final int attempt)
    {
        final Host host = link.host;
        if (link.state() != Link.CONNECTING)
        {
            return;
        }
        if (host.isSilent || world.faults != null && world.faults.ignoreConnect(host))
        {
            if (attempt > MAX_CONNECT_ATTEMPTS)
            {
                link.onNotConnected(Link.TIMED_OUT);
            }
            else
            {
                clock.after(NANOS_PER_SECOND << attempt - 1, () -> answer(link, attempt + 1));
            }
        }
        else if (!host.isUp || world.faults != null && world.faults.refuseConnect(host))
        {
            link.onNotConnected(Link.REFUSED);
        }
        else
        {
            link.onConnected();
        }
    }

    /** Lets all brokers answer requests that can be answered after a change of the cluster. */
    void serve()
    {
        for (int i = 0; i < links.size(); i++)
        {
            if (links.get(i).isAnswerDue())
            {
                links.get(i).serve();
            }
        }
    }

    /** Lets one broker do what it can do now. */
    void serve(final Host host)
    {
        linksOf(host).forEach(Link::serve);
    }

    /** The connections to a host are reset. */
    void reset(final Host host)
    {
        linksOf(host).forEach(Link::reset);
    }

    /** The connections to a host lose every byte from now on, and nobody is notified. */
    void lose(final Host host)
    {
        linksOf(host).forEach((link) -> link.lose(false));
    }

    /** A host closes its connections. */
    void finish(final Host host)
    {
        linksOf(host).forEach(Link::finish);
    }

    private List<Link> linksOf(final Host host)
    {
        final List<Link> found = new ArrayList<>();
        for (final Link link : links)
        {
            if (link.host == host && link.isOpen())
            {
                found.add(link);
            }
        }
        return found;
    }

    void onChange()
    {
        world.onSocketsChanged();
    }

    void onLinkChanged(final Link link)
    {
        activity++;
        world.onSocketsChanged();
        world.onLinkChanged(link);
    }

    long lostAtClose()
    {
        return lostAtClose;
    }

    /** @param lost bytes that were sent before the output ended or was full, and have not arrived. */
    void onClosedByClient(final Link link, final int lost)
    {
        activity++;
        lostAtClose += lost;
        links.remove(link);
        world.onClose(link);
    }

    void onRequest(final Link link, final ByteBuffer frame)
    {
        world.onRequest(link, frame);
    }

    void onResponse(final Link link, final ByteBuffer frame)
    {
        world.onResponse(link, frame);
    }

    void onCut(final Link link, final FaultKind kind)
    {
        world.tookEffect(kind);
    }
}
