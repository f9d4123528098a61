// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelConnection;

import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The connections of the members of a group, and which member waits for something that may never come. */
final class MemberLinks
{
    /** An answer that has not come after the long poll and this time may never come. */
    private static final int PATIENCE_MS = 1_000;

    /** A connection of a member, and since when the member waits for something on it. */
    private static final class Connection
    {
        private final Member owner;
        private boolean isAwaited = true;
        private long sinceNs;

        Connection(final Member owner, final long sinceNs)
        {
            this.owner = owner;
            this.sinceNs = sinceNs;
        }
    }

    private final Map<Link, Connection> connections = new LinkedHashMap<>();
    /** Also of connections that were closed, whose requests may be answered later. */
    private final Map<ModelConnection, Member> owners = new IdentityHashMap<>();
    private final Map<Member, Long> silences = new IdentityHashMap<>();
    private final SimulatedClock clock;
    private final long patienceNs;
    private long goneConnects;

    MemberLinks(final GroupWorld world)
    {
        clock = world.clock;
        patienceNs = TimeUnit.MILLISECONDS.toNanos(world.scenario.fetchMaxWaitMs + PATIENCE_MS);
    }

    void onConnect(final Link link, final Member owner)
    {
        link.isOfNeighbour = owner.guest().isRunning();
        connections.put(link, new Connection(owner, clock.nowNs()));
        if (link.isOfNeighbour)
        {
            return;
        }
        goneConnects += link.host.isGone ? 1 : 0;
        if (!link.host.isUp)
        {
            owner.onDisturbed();
        }
        if (link.host.isSilent)
        {
            silences.merge(owner, 1L, Long::sum);
        }
    }

    /** Returns how often a member has connected to a machine that does not run, and answers nothing. */
    long silences(final Member member)
    {
        return silences.getOrDefault(member, 0L);
    }

    /** Returns how often members have connected to brokers that never come back. */
    long goneConnects()
    {
        return goneConnects;
    }

    void onClose(final Link link)
    {
        final Connection connection = connections.remove(link);
        if (!link.isOfNeighbour)
        {
            if (connection.isAwaited)
            {
                connection.owner.onUnread();
            }
            if (link.isUnread())
            {
                connection.owner.membership.onDiscarded();
            }
            connection.owner.onDisconnected();
        }
    }

    /** Returns how many connections the guest of a member has. */
    long ofGuest(final Member member)
    {
        return connections.entrySet().stream().filter(
            (entry) -> entry.getKey().isOfNeighbour && entry.getValue().owner == member).count();
    }

    void onRequest(final Link link)
    {
        owners.put(link.connection(), connections.get(link).owner);
        connections.get(link).isAwaited = true;
        connections.get(link).sinceNs = clock.nowNs();
    }

    /** Returns the member that has sent a request. */
    Member ownerOf(final ModelConnection connection)
    {
        return owners.get(connection);
    }

    /** A response was sent, or the state of the connection has changed. */
    void onAnswered(final Link link)
    {
        connections.get(link).isAwaited = false;
    }

    boolean isAnyResponseLost()
    {
        return connections.keySet().stream().anyMatch(Link::isResponseLost);
    }

    /** A member that waits for what may never come is disturbed, on whichever connection. */
    void check()
    {
        connections.forEach((link, connection) ->
        {
            final boolean isLate = connection.isAwaited && clock.nowNs() - connection.sinceNs > patienceNs;
            final boolean isHalfOpen = link.state() == Link.OPEN && !link.isOpen();
            if (!link.isOfNeighbour &&
                (isLate || isHalfOpen || link.isResponseLost() || link.host.isPaused || link.host.isSilent))
            {
                connection.owner.onDisturbed();
            }
        });
    }
}
