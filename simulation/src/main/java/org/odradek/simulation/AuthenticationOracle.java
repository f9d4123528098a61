// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Checks that each connection authenticates before it is used, and again before its session ends, and that a broker
 * that has refused the password is left alone for a second or more.
 */
final class AuthenticationOracle implements Observer
{
    private static final String AUTHENTICATION = "authentication";
    private static final String REFUSALS = "refusal backoff";
    private static final long NEVER = Long.MAX_VALUE;
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MIN_BACKOFF_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int CORRELATION_END = 8;
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

    private final SimulatedClock clock;
    private final int connections;
    private final BooleanSupplier isFaulty;
    private final BiFunction<String, String, SimulationFailure> failure;
    private final Map<Link, Session> sessions = new HashMap<>();
    private final Map<InetAddress, Refusals> refusals = new HashMap<>();
    /** Null if the client does not count them. */
    private LongSupplier failures;
    private long seenFailures;

    /**
     * @param connections to one broker that may be refused at the same time.
     * @param isFaulty    whether the client may get a response late.
     * @param failure     makes what is thrown, from the name of an oracle and what was expected.
     */
    AuthenticationOracle(
        final SimulatedClock clock,
        final int connections,
        final BooleanSupplier isFaulty,
        final BiFunction<String, String, SimulationFailure> failure)
    {
        this.clock = clock;
        this.connections = connections;
        this.isFaulty = isFaulty;
        this.failure = failure;
    }

    private void check(final boolean isRight, final String oracle, final String message)
    {
        if (!isRight)
        {
            throw failure.apply(oracle, message);
        }
    }

    /**
     * A client was opened; it does not know what another has been refused.
     *
     * @param newFailures returns how many failures to authenticate it has counted; null if it does not count them.
     */
    void onOpen(final LongSupplier newFailures)
    {
        failures = newFailures;
        seenFailures = 0;
        refusals.clear();
    }

    @Override
    public void onConnect(final Link link)
    {
        sessions.put(link, new Session());
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        final Session session = sessions.get(link);
        if (session == null)
        {
            return;     // the client has closed the connection since
        }
        session.api = frame.getShort(frame.position());
        session.version = frame.getShort(frame.position() + Short.BYTES);
        if (session.api != ApiKeys.API_VERSIONS.id && session.api != ApiKeys.SASL_HANDSHAKE.id &&
            session.api != ApiKeys.SASL_AUTHENTICATE.id)
        {
            final String name = ApiKeys.forId(session.api).name;
            check(session.isAuthenticated, AUTHENTICATION, "no " + name + " request on " + link +
                ", which is not authenticated");
            check(isFaulty.getAsBoolean() || link.requestNs() < session.endNs, AUTHENTICATION, "no " + name +
                " request on " + link + ", whose session has ended " +
                (link.requestNs() - session.endNs) / NS_PER_MS + " ms before");
        }
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
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
            // While there are faults the client may get the response late, and the user may stall.
            session.endNs = response.sessionLifetimeMs() == 0 || isFaulty.getAsBoolean() ? NEVER :
                clock.nowNs() + response.sessionLifetimeMs() * NS_PER_MS;
        }
    }

    /** The client has closed a connection; its counter, if any, tells whether it did so because it was refused. */
    @Override
    public void onClose(final Link link)
    {
        final Session session = sessions.remove(link);
        final long count = failures != null ? failures.getAsLong() :
            seenFailures + (session != null && session.isRefused ? 1 : 0);
        if (count > seenFailures)
        {
            seenFailures = count;
            check(session != null && session.isRefused, AUTHENTICATION, "no failure to authenticate on " + link +
                ", which was not refused");
            final long nowNs = clock.nowNs();
            final Refusals ofBroker = refusals.computeIfAbsent(link.host.address, (key) -> new Refusals(nowNs));
            ofBroker.count++;
            final long allowed = connections + ADDRESSES * (1 + (nowNs - ofBroker.sinceNs) / MIN_BACKOFF_NS);
            check(ofBroker.count <= allowed, REFUSALS, "at most " + allowed + " refusals by " + link.host.name +
                " in " + (nowNs - ofBroker.sinceNs) / 1e9 + " s, but there were " + ofBroker.count);
        }
    }
}
