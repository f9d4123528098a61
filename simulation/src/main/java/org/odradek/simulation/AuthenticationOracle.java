// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks that each connection authenticates before it is used, and again before its session ends, and that a broker
 * that has refused the password is left alone for a second or more.
 */
final class AuthenticationOracle
{
    private static final String AUTHENTICATION = "authentication";
    private static final String REFUSALS = "refusal backoff";
    private static final long NEVER = Long.MAX_VALUE;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MIN_BACKOFF_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int CORRELATION_END = 8;
    /** The connections for metadata, offsets and the group may be refused at the same time, with those for fetches. */
    private static final int OTHER_CONNECTIONS = 3;
    /** A broker is known by its own address, and by that of the bootstrap servers. */
    private static final int ADDRESSES = 2;

    /** What is known of a connection. */
    private static final class Session
    {
        short api = -1;
        short version;
        boolean isAuthenticated;
        boolean isRefused;
        long endNs = NEVER;
    }

    /** The refusals of one broker since it has accepted a connection. */
    private static final class Refusals
    {
        final long sinceNs;
        int count;

        Refusals(final long sinceNs)
        {
            this.sinceNs = sinceNs;
        }
    }

    private final World world;
    private final Map<Link, Session> sessions = new HashMap<>();
    private final Map<InetAddress, Refusals> refusals = new HashMap<>();
    private TopicConsumer consumer;
    private long seenFailures;

    AuthenticationOracle(final World world)
    {
        this.world = world;
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(oracle, message);
        }
    }

    /** A consumer was opened; it does not know what another has been refused. */
    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        seenFailures = 0;
        refusals.clear();
    }

    void onConnect(final Link link)
    {
        sessions.put(link, new Session());
    }

    void onRequest(final Link link, final ByteBuffer frame)
    {
        final Session session = sessions.get(link);
        if (session == null)
        {
            return;     // the consumer has closed the connection since
        }
        session.api = frame.getShort(frame.position());
        session.version = frame.getShort(frame.position() + Short.BYTES);
        if (session.api != ApiKeys.API_VERSIONS.id && session.api != ApiKeys.SASL_HANDSHAKE.id &&
            session.api != ApiKeys.SASL_AUTHENTICATE.id)
        {
            final String name = ApiKeys.forId(session.api).name;
            check(session.isAuthenticated, AUTHENTICATION, "no " + name + " request on " + link +
                ", which is not authenticated");
            check(world.phase() == Phase.FAULTS || link.requestNs() < session.endNs, AUTHENTICATION, "no " + name +
                " request on " + link + ", whose session has ended " +
                (link.requestNs() - session.endNs) / NS_PER_MS + " ms before");
        }
    }

    void onResponse(final Link link, final ByteBuffer frame)
    {
        final Session session = sessions.get(link);
        final boolean isWhole =
            frame.remaining() > CORRELATION_END && frame.getInt(0) == frame.remaining() - Integer.BYTES;
        if (session == null || session.api != ApiKeys.SASL_AUTHENTICATE.id || !isWhole)
        {
            return;
        }
        final SaslAuthenticateResponseData response = new SaslAuthenticateResponseData();
        try
        {
            response.read(new ByteBufferAccessor(frame.duplicate().position(CORRELATION_END +
                ApiKeys.SASL_AUTHENTICATE.responseHeaderVersion(session.version))), session.version);
        }
        catch (final RuntimeException ignore)
        {
            return;     // a frame that lies
        }
        session.isRefused = response.errorCode() != Errors.NONE.code();
        if (!session.isRefused)
        {
            session.isAuthenticated = true;
            refusals.remove(link.host.address);
            // While there are faults the consumer may get the response late, and the user may stall.
            session.endNs = response.sessionLifetimeMs() == 0 || world.phase() == Phase.FAULTS ? NEVER :
                world.clock.nowNs() + response.sessionLifetimeMs() * NS_PER_MS;
        }
    }

    /** The consumer has closed a connection; its counter tells whether it did so because it was refused. */
    void onClose(final Link link)
    {
        final Session session = sessions.remove(link);
        final long failures = consumer == null ? 0 : consumer.counters().get(ConsumerCounters.AUTHENTICATION_FAILURES);
        if (failures > seenFailures)
        {
            seenFailures = failures;
            check(session != null && session.isRefused, AUTHENTICATION, "no failure to authenticate on " + link +
                ", which was not refused");
            final long nowNs = world.clock.nowNs();
            final Refusals ofBroker = refusals.computeIfAbsent(link.host.address, (key) -> new Refusals(nowNs));
            ofBroker.count++;
            final long allowed = OTHER_CONNECTIONS + world.scenario.fetchConnections() +
                ADDRESSES * (1 + (nowNs - ofBroker.sinceNs) / MIN_BACKOFF_NS);
            check(ofBroker.count <= allowed, REFUSALS, "at most " + allowed + " refusals by " + link.host.name +
                " in " + (nowNs - ofBroker.sinceNs) / 1e9 + " s, but there were " + ofBroker.count);
        }
    }
}
