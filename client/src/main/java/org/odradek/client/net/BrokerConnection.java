// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientCounters;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ConnectionRole;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.PrintableText;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.io.IOException;
import javax.net.ssl.SSLException;
import javax.security.sasl.SaslException;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Connects to one broker, sends requests and receives their responses, and reconnects after failures.
 * <pre>
 *  CLOSED ──open──▶ BACKING_OFF ──backoff expired──▶ CONNECTING ──connected──▶ NEGOTIATING ──versions known──▶ READY
 *                        ▲                               │                         │                            │
 *                        ├───────────────────────────────┴──────── failed ─────────┴────────────────────────────┤
 *                        └────────────────── wake ── IDLE ◀── unused for long, or closed while unused ──────────┘
 * </pre>
 * With SASL, the state AUTHENTICATING is between NEGOTIATING and READY. A connection that is READY and has no
 * outstanding request returns to AUTHENTICATING before its session expires.
 */
public final class BrokerConnection
{
    /** The node id of a broker of which only the address is known. */
    public static final int NULL_NODE_ID = -1;

    /** The index at which response flyweights are wrapped: after the size and the correlation id. */
    public static final int BODY_INDEX = ResponseHeader.LENGTH;

    /**
     * The time after which an unused connection is closed: a minute less than the default of the brokers'
     * connections.max.idle.ms.
     */
    private static final long MAX_IDLE_NS = 540_000_000_000L;
    private static final int MAX_CONNECT_TIMEOUTS = 3;
    private static final String UNEXPECTED = "an exception in the middle of a step, which poll has thrown";

    private final ClientSettings settings;
    private final ClientEnvironment environment;
    private final DutyClock clock;
    private final Connection connection;
    private final VersionNegotiation negotiation;
    private final Authentication authentication;
    private final Backoff backoff;

    private final int number;
    private final ConnectionRole role;

    private ConnectionState state = ConnectionState.CLOSED;
    private int nodeId = NULL_NODE_ID;
    private int failures;
    private boolean isEstablished;
    private boolean wasLost;
    private boolean hasTimedOut;
    private long refusedUntilNs;
    private long connectTimeoutNs;
    private long connectDeadlineNs;
    private String lastFailure;
    private BrokerAddress address;

    /**
     * @param purpose API for which the connection is used; a connection to a broker that does not support this API
     *                fails.
     * @param number  number of this connection among those of its purpose to the same broker, from 0.
     */
    public BrokerConnection(
        final ClientEnvironment environment,
        final int receiveBufferLength,
        final ApiKey purpose,
        final Backoff backoff,
        final int number)
    {
        this.number = number;
        role = ConnectionRole.of(number);
        this.environment = environment;
        settings = environment.settings();
        clock = environment.clock();
        negotiation = new VersionNegotiation(
            settings.clientId, environment.identity(), environment.budget(), purpose);
        try
        {
            authentication = new Authentication(settings, environment.security().mechanism(), clock,
                environment.counters(), environment.listener(), environment.errorHandler(), negotiation.frame);
            connection = new Connection(
                settings, environment.poller(), clock, environment.counters(), environment.listener(),
                new ReceiveBuffer(environment.budget(), receiveBufferLength, settings.receiveBufferMaxLength(role)));
        }
        catch (final RuntimeException | Error ex)
        {
            negotiation.free();
            throw ex;
        }
        this.backoff = backoff;
        refusedUntilNs = clock.nowNs();
    }

    /**
     * Closes the connection and requests another one, which is attempted after the backoff of earlier failures.
     *
     * @param newNodeId id of the broker, or {@link #NULL_NODE_ID}.
     */
    public void open(final int newNodeId, final BrokerAddress newAddress)
    {
        close();
        // The connection to another broker is not a restored one.
        wasLost = wasLost && newNodeId == nodeId && newAddress.isSame(address);
        nodeId = newNodeId;
        address = newAddress;
        state = ConnectionState.BACKING_OFF;
        assert isConsistent();
    }

    /**
     * @param isPollingSocket true to read for an outstanding response even if the poller has not reported the socket.
     */
    public int doWork(final boolean isPollingSocket)
    {
        try
        {
            if (state.isConnected())
            {
                // The receive comes first, because a send without free space clears the socket's ready flag. Bytes that
                // are fewer than the low-water mark may renew a timeout, so an overdue connection is read anyway.
                final int received = connection.receive(
                    isPollingSocket || state != ConnectionState.READY || connection.isOverdue());
                return received < 0 ? onClosedByPeer() : afterReceive(received + connection.flush());
            }
            if (state == ConnectionState.CONNECTING)
            {
                return finishConnect();
            }
            return state == ConnectionState.BACKING_OFF && backoffEndNs() - clock.nowNs() <= 0 ? connect() : 0;
        }
        catch (final WireFormatException ex)
        {
            fail(ex.getMessage());
        }
        catch (final SaslException ex)
        {
            onRefused(authentication.mechanismName, PrintableText.of(String.valueOf(ex.getMessage())));
        }
        catch (final IOException ex)
        {
            onBroken(ex);
        }
        catch (final RuntimeException | Error ex)
        {
            // The step was not completed, for a reason that is not the broker's. The connection must not continue in
            // the middle of the step.
            end(UNEXPECTED);
            throw ex;
        }
        return 1;
    }

    private int afterReceive(final int work) throws IOException
    {
        if (state == ConnectionState.NEGOTIATING && connection.hasResponse)
        {
            negotiate();
            return work + 1;
        }
        if (state == ConnectionState.AUTHENTICATING && (connection.hasResponse || connection.isQuiet()))
        {
            return work + authenticate();
        }
        if ((work == 0 || connection.isReceiving()) && connection.isOverdue() && connection.missResponse())
        {
            fail("no response within " + settings.requestTimeoutMs + " ms");
            hasTimedOut = true;
            return 1;
        }
        if (state == ConnectionState.READY && connection.isQuiet())
        {
            if (authentication.isRenewalDue(clock.nowNs()))
            {
                return work + renew();
            }
            if (work == 0 && clock.nowNs() - connection.lastUsedNs >= MAX_IDLE_NS)
            {
                closeIdle();
                return 1;
            }
        }
        return work;
    }

    private int onClosedByPeer()
    {
        if (state == ConnectionState.READY && connection.isQuiet() && !connection.isReceiving())
        {
            // The backoff limits how often the client reconnects to a server that closes every connection.
            backoff.failed(clock.nowNs());
            closeIdle();
        }
        else if (state == ConnectionState.READY && !address.hasAnswered)
        {
            isEstablished = false;
            fail("closed by the broker before it answered the first request, as a broker that expects SASL does " +
                "(the setting security)");
        }
        else if (!lowerProbe())
        {
            fail(NetworkErrors.closedByBroker(state));
        }
        return 1;
    }

    private void onBroken(final IOException ex)
    {
        if (ex instanceof SSLException && !isEstablished)
        {
            onRefused("TLS", ex.getMessage());
        }
        else if (!lowerProbe())
        {
            fail(NetworkErrors.broken(ex));
        }
    }

    /**
     * Lowers the version of the version probe of the next connection, because some servers close the connection if they
     * do not support the version of ApiVersions.
     */
    private boolean lowerProbe()
    {
        if (state != ConnectionState.NEGOTIATING || connection.isReceiving() || role == ConnectionRole.FURTHER ||
            !address.lowerProbeVersion(negotiation.probeVersion))
        {
            return false;
        }
        environment.counters().add(ClientCounters.VERSION_DOWNGRADES, 1);
        endAttempt();
        connection.close();
        state = ConnectionState.BACKING_OFF;
        backoff.failed(clock.nowNs());
        assert isConsistent();
        return true;
    }

    private void closeIdle()
    {
        environment.counters().add(ClientCounters.IDLE_CLOSES, 1);
        close();
        state = ConnectionState.IDLE;
        assert isConsistent();
    }

    public void wake()
    {
        if (state == ConnectionState.IDLE)
        {
            state = ConnectionState.BACKING_OFF;
        }
        assert isConsistent();
    }

    private int connect() throws IOException
    {
        if (!address.isNamedByUser() && !environment.security().isAllowed(address.host()))
        {
            throw new SSLException("a broker names host " + PrintableText.of(address.host()) +
                ", which allowedHosts does not match, so nothing is sent to it");
        }
        state = ConnectionState.CONNECTING;
        address.onConnecting(clock.nowNs());
        connectTimeoutNs = ClientSettings.ns(settings.connectTimeoutMs) *
            Math.min(MAX_CONNECT_TIMEOUTS, 1 + backoff.failures());
        connectDeadlineNs = clock.pollingNs() + connectTimeoutNs;
        if (connection.connect(nodeId, address.next(role)))
        {
            onConnected();
        }
        assert isConsistent();
        return 1;
    }

    private int finishConnect() throws IOException
    {
        if (connection.finishConnect())
        {
            onConnected();
            return 1;
        }
        if (connectDeadlineNs - clock.pollingNs() < 0)
        {
            fail("not connected within " + connectTimeoutNs / 1_000_000 + " ms");
            return 1;
        }
        return 0;
    }

    private void onConnected() throws IOException
    {
        state = ConnectionState.NEGOTIATING;
        environment.counters().add(ClientCounters.CONNECTS, 1);
        negotiation.begin(nodeId, address.toString(), address.probeVersion);
        sendProbe();
    }

    private void sendProbe() throws IOException
    {
        connection.send(negotiation.frame, negotiation.buildProbe(connection.nextCorrelationId()));
    }

    private void negotiate() throws IOException
    {
        response().checkWhole();
        final boolean isAgreed =
            negotiation.onResponse(response().memory().buffer(), BODY_INDEX, response().received());
        if (isAgreed && negotiation.findHigherProbe())
        {
            address.resetProbeVersion();
        }
        connection.throttle(negotiation.throttleTimeMs);
        connection.release();
        if (!isAgreed)
        {
            sendProbe();
        }
        else if (authentication.isRequired())
        {
            state = ConnectionState.AUTHENTICATING;
            authentication.begin(version(ApiKey.SASL_HANDSHAKE), version(ApiKey.SASL_AUTHENTICATE));
            authenticate();
        }
        else
        {
            onReady();
        }
    }

    private int authenticate() throws IOException
    {
        if (connection.hasResponse)
        {
            response().checkWhole();
            authentication.onResponse(response().memory().buffer(), BODY_INDEX, response().received());
            connection.release();
        }
        final int length = authentication.nextRequest(address.host());
        if (length > 0)
        {
            RequestHeaderEncoder.correlationId(negotiation.frame.buffer(), connection.nextCorrelationId());
            connection.send(negotiation.frame, length);
            return 1;
        }
        if (authentication.isLateAgain())
        {
            fail("its sessions were over before the answers that began them were read");
            return 1;
        }
        if (authentication.isDone())
        {
            address.onAnswered();
            onReady();
            return 1;
        }
        if (authentication.isWithoutCredentials() &&
            clock.nowNs() - connection.lastUsedNs > ClientSettings.ns(settings.requestTimeoutMs))
        {
            fail(authentication.noCredentials());
        }
        return 0;
    }

    private int renew() throws IOException
    {
        if (!authentication.renew(address.host()))
        {
            return 0;
        }
        state = ConnectionState.AUTHENTICATING;
        return authenticate();
    }

    private void onReady()
    {
        state = ConnectionState.READY;
        if (isEstablished)
        {
            environment.counters().add(ClientCounters.REAUTHENTICATIONS, 1);
            return;
        }
        isEstablished = true;
        // From now on a response may be as long as the cap of the buffer.
        connection.receiveBuffer.maxSize(Integer.MAX_VALUE);
        address.onReady(connection.address);
        if (wasLost)
        {
            wasLost = false;
            environment.listener().onConnectionRestored(nodeId, address.toString());
        }
        assert isConsistent();
    }

    public boolean canSend()
    {
        return state == ConnectionState.READY && connection.canSend() && !authentication.isRenewalDue(clock.nowNs());
    }

    /** Returns true if a second request may be sent before the response to the first one arrives. */
    public boolean canFollow()
    {
        return state == ConnectionState.READY && connection.canFollow() && !authentication.isRenewalDue(clock.nowNs());
    }

    public int nextCorrelationId()
    {
        return connection.nextCorrelationId();
    }

    /**
     * Sends a request that carries the last {@link #nextCorrelationId()}. The request timeout begins when the last byte
     * is sent or, if that is later, when the previous response is released. If sending fails, {@link #failures()}
     * changes.
     *
     * @param frame  frame that contains the request; it must not change before the response.
     * @param length length of the request in bytes.
     */
    public void send(final RequestFrame frame, final int length)
    {
        try
        {
            connection.send(frame, length);
        }
        catch (final IOException ex)
        {
            onBroken(ex);
        }
        catch (final RuntimeException | Error ex)
        {
            end(UNEXPECTED);
            throw ex;
        }
    }

    public boolean canSendLast()
    {
        return state == ConnectionState.READY && connection.isSent();
    }

    /** After this method, {@link #drain()} must be called instead of {@link #doWork}. */
    public void shutdownOutput()
    {
        try
        {
            connection.shutdownOutput();
        }
        catch (final IOException ex)
        {
            close();
        }
    }

    /**
     * Reads the socket once, and drops what was read.
     *
     * @return true if the broker has closed the connection.
     */
    public boolean drain()
    {
        try
        {
            final boolean isAtEnd = state == ConnectionState.READY && connection.drain();
            if (isAtEnd)
            {
                close();
            }
            return isAtEnd;
        }
        catch (final IOException ex)
        {
            close();
            return false;
        }
    }

    /**
     * @param heldNs how long the broker may hold the next responses, in nanoseconds, which extends the request timeout;
     *               0 for the usual timeout.
     */
    public void heldNs(final long heldNs)
    {
        connection.heldNs(heldNs);
    }

    public boolean hasResponse()
    {
        return connection.hasResponse;
    }

    /** A response in the buffer ends at {@link ReceiveBuffer#received()}, and is valid until {@link #release()}. */
    public ReceiveBuffer response()
    {
        return connection.receiveBuffer;
    }

    /** Drops the response, and begins the timeout of a request that is already outstanding again. */
    public void release()
    {
        connection.release();
        if (!address.hasAnswered)
        {
            address.onAnswered();
        }
    }

    /**
     * Resets the backoff of reconnects. A new connection alone does not reset the backoff, because a broker may accept
     * each connection and fail at each request.
     */
    public void onSuccess()
    {
        backoff.succeeded();
        address.onSuccess();
    }

    /** @param length new length of the receive buffer in bytes; no response may be held. */
    public void resize(final int length)
    {
        connection.resize(length);
    }

    /**
     * Returns the shortest time from a request to the first byte of its response on the current socket, in nanoseconds;
     * {@link Long#MAX_VALUE} before the first response.
     */
    public long roundTripNs()
    {
        return connection.roundTripNs;
    }

    /** Returns the time from the first byte of the last response to its last byte, in nanoseconds. */
    public long receiveNs()
    {
        return connection.receiveNs;
    }

    /**
     * Turns read interest off until the response is released, so that bytes after the response do not end a wait of the
     * poller.
     */
    public void park()
    {
        connection.park();
    }

    /** @return the time until which no request is sent; it may have passed. */
    public long throttle(final int throttleTimeMs)
    {
        return connection.throttle(throttleTimeMs);
    }

    /**
     * Closes the connection because it cannot be used any more, and reconnects after the backoff.
     *
     * @param reason text for the listener and for error messages, without a full stop.
     */
    public void fail(final String reason)
    {
        final boolean isReached = state == ConnectionState.AUTHENTICATING;
        if (!drop(reason) && role == ConnectionRole.FIRST && address.takeFirstFailure())
        {
            environment.error(NetworkErrors.cannotConnect(isReached, nodeId, address.toString(), reason));
        }
    }

    private boolean drop(final String reason)
    {
        final boolean wasEstablished = isEstablished;
        end(reason);
        if (wasEstablished && role == ConnectionRole.FIRST)
        {
            address.forget();
            wasLost = true;
            environment.counters().add(ClientCounters.CONNECTIONS_LOST, 1);
            environment.listener().onConnectionLost(nodeId, address.toString(), reason);
        }
        return wasEstablished;
    }

    private void end(final String reason)
    {
        endAttempt();
        close();
        state = ConnectionState.BACKING_OFF;
        lastFailure = reason;
        hasTimedOut = false;
        failures++;
        address.onFailed();
        backoff.failed(clock.nowNs());
        assert isConsistent();
    }

    private void endAttempt()
    {
        if (state == ConnectionState.CONNECTING || state == ConnectionState.NEGOTIATING ||
            state == ConnectionState.AUTHENTICATING)
        {
            address.onNotConnected(clock.nowNs());
        }
    }

    private void onRefused(final String mechanism, final String reason)
    {
        environment.counters().add(ClientCounters.AUTHENTICATION_FAILURES, 1);
        drop(reason);
        if (role == ConnectionRole.FIRST && address.onRefused(clock.nowNs(), settings.random, mechanism))
        {
            environment.listener().onAuthenticationFailed(nodeId, address.toString(), mechanism, reason);
            environment.error(new AuthenticationException(
                NetworkErrors.notAuthenticated(nodeId, address.toString(), mechanism, reason)));
        }
        refusedUntilNs = address.refusedUntilNs(clock.nowNs());
    }

    private long backoffEndNs()
    {
        final long ownNs = backoff.dueNs(clock.nowNs());
        return address.refusedUntilNs(refusedUntilNs - ownNs > 0 ? refusedUntilNs : ownNs);
    }

    /** Closes the connection without an event of the listener; {@link #open} connects again. */
    public void close()
    {
        connection.close();
        authentication.end();
        isEstablished = false;
        state = ConnectionState.CLOSED;
        assert isConsistent();
    }

    /** Closes the connection and frees its memory; no method may be called afterwards. */
    public void free()
    {
        close();
        connection.free();
        negotiation.free();
    }

    public ConnectionState state()
    {
        return state;
    }

    /** Returns true in the state READY, and while an established connection authenticates again. */
    public boolean isReady()
    {
        return isEstablished;
    }

    public boolean hasTimedOut()
    {
        return hasTimedOut;
    }

    public boolean hasFailedRepeatedly()
    {
        return backoff.failures() > 1;
    }

    /** Returns how many times the connection has failed; a change means that an outstanding response is lost. */
    public int failures()
    {
        return failures;
    }

    /**
     * Returns the highest version of an API that both sides support, or -1 if there is none; valid once the broker has
     * responded to the version probe.
     */
    public int version(final ApiKey apiKey)
    {
        return negotiation.version(apiKey);
    }

    public int nodeId()
    {
        return nodeId;
    }

    public int number()
    {
        return number;
    }

    public ConnectionRole role()
    {
        return role;
    }

    public BrokerAddress address()
    {
        return address;
    }

    /**
     * Returns the time of {@link DutyClock#nowNs()} at which there is something to do even if no byte arrives, or
     * {@code otherwiseNs} if that is earlier.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        final long nextNs = connection.nextDeadlineNs(otherwiseNs);
        return switch (state)
        {
            case BACKING_OFF -> earlier(nextNs, backoffEndNs());
            case CONNECTING -> earlier(nextNs, clock.nowNs() + connectDeadlineNs - clock.pollingNs());
            case READY -> connection.isQuiet() ?
                authentication.renewalNs(earlier(nextNs, connection.lastUsedNs + MAX_IDLE_NS)) : nextNs;
            case AUTHENTICATING ->
                connection.isQuiet() ? earlier(nextNs, authentication.continueNs()) : nextNs;
            default -> nextNs;
        };
    }

    private boolean isConsistent()
    {
        final boolean isInExchange = state == ConnectionState.AUTHENTICATING;
        // There is a socket from the beginning of a connect until its end.
        return connection.isOpen() == (state.isConnected() || state == ConnectionState.CONNECTING) &&
            // A connection is established only in these two states, and always in the state READY.
            (isEstablished ? isInExchange || state == ConnectionState.READY : state != ConnectionState.READY) &&
            // No secret of an exchange outlives it.
            (isInExchange || authentication.isDone() || authentication.isWithoutCredentials()) &&
            // A connection that is not closed has an address.
            (state == ConnectionState.CLOSED || address != null) &&
            // Only the first connection of a broker is reported as lost, and it is then not established.
            !(wasLost && (isEstablished || role == ConnectionRole.FURTHER)) &&
            // A request that times out is a failure.
            (!hasTimedOut || failures > 0);
    }

    @Override
    public String toString()
    {
        final String peer = (nodeId < 0 ? "bootstrap server " : "broker " + nodeId + " at ") + address;
        return (address == null ? "no broker yet," : peer) +
            (role == ConnectionRole.FIRST ? "" : ", connection " + number) + " " + state +
            (failures == 0 ? "" : ", " + failures + " failures, last: " + PrintableText.of(lastFailure));
    }
}
