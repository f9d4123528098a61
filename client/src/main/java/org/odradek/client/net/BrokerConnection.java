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
 * A connection to one broker that reconnects after failures. It connects, negotiates versions, authenticates if that is
 * configured, sends a request and receives its response; a second request may follow before that.
 * <pre>
 *  CLOSED ──open──▶ BACKING_OFF ──backoff expired──▶ CONNECTING ──connected──▶ NEGOTIATING ──versions known──▶ READY
 *                        ▲                               │                         │                            │
 *                        ├───────────────────────────────┴──────── failed ─────────┴────────────────────────────┤
 *                        └────────────────── wake ── IDLE ◀── unused for long, or closed while unused ──────────┘
 * </pre>
 * With SASL, AUTHENTICATING is between NEGOTIATING and READY, and a connection that is READY and unused returns to it
 * before its session expires.
 * <p>
 * While a response is held the socket is not read; the next request may already be outstanding. A connection that fails
 * when it is ready is an event. One that cannot be established is an error, reported once for each address until the
 * address has been reached, however many connections use it.
 */
public final class BrokerConnection
{
    /**
     * Node id of a broker of which only the address is known.
     */
    public static final int NULL_NODE_ID = -1;

    /**
     * A response's body begins after its size and its correlation id.
     */
    public static final int BODY_INDEX = ResponseHeader.LENGTH;

    /**
     * A minute less than the time after which brokers close an idle connection (connections.max.idle.ms); Kafka's own
     * clients use the same.
     */
    private static final long MAX_IDLE_NS = 540_000_000_000L;
    /**
     * After failures the connect timeout is extended, at most by this factor, for the sake of slow networks.
     */
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
    /** Ready, or authenticating again. */
    private boolean isEstablished;
    private boolean wasLost;
    private boolean hasTimedOut;
    private long refusedUntilNs;
    private long connectTimeoutNs;
    private long connectDeadlineNs;
    private String lastFailure;
    private BrokerAddress address;

    /**
     * @param environment         shared by all parts of the consumer.
     * @param receiveBufferLength in bytes, at the start.
     * @param purpose             API that the connection is for: a broker that does not support it is of no use.
     * @param backoff             between attempts to connect; it may outlive this object.
     * @param number              of this connection among those of its purpose to the same broker, from 0.
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
     * Begins to connect, in the next duty cycle after the backoff of earlier failures has expired.
     *
     * @param newNodeId  of the broker, or {@link #NULL_NODE_ID}.
     * @param newAddress of the broker.
     */
    public void open(final int newNodeId, final BrokerAddress newAddress)
    {
        close();
        nodeId = newNodeId;
        address = newAddress;
        state = ConnectionState.BACKING_OFF;
        assert isConsistent();
    }

    /**
     * Does what can be done without waiting.
     *
     * @param isPollingSocket true to read for an outstanding response even if the poller has not reported the socket.
     * @return amount of work done; 0 means idle.
     */
    public int doWork(final boolean isPollingSocket)
    {
        try
        {
            if (state.isConnected())
            {
                // In this order, because a send that finds no room clears the socket's ready flag. What arrived since
                // the last read, but less than the low-water mark, may renew a timeout.
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
            // The step was not completed, for a reason that is not the broker's: nothing may go on in the middle of it.
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
            // The backoff limits how often we reconnect to a server that closes every connection.
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
     * Some servers close the connection at a version of ApiVersions that they do not support. That is not a failure:
     * the next connection sends its version probe in a lower version. One beside others that were answered is refused
     * for another reason.
     *
     * @return false if it was a failure.
     */
    private boolean lowerProbe()
    {
        if (state != ConnectionState.NEGOTIATING || connection.isReceiving() || role == ConnectionRole.FURTHER ||
            !address.lowerProbeVersion(negotiation.probeVersion))
        {
            return false;
        }
        environment.counters().add(ClientCounters.VERSION_DOWNGRADES, 1);
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

    /**
     * Reconnects if the connection was closed because it was not used.
     */
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

    /** Authenticates again, before the session expires. Meanwhile no other request is sent. */
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

    /**
     * Returns true if the connection is ready, no request is outstanding, and the broker does not throttle it.
     */
    public boolean canSend()
    {
        return state == ConnectionState.READY && connection.canSend() && !authentication.isRenewalDue(clock.nowNs());
    }

    /**
     * Returns true if a second request may be sent now, after one that was sent completely and not answered.
     */
    public boolean canFollow()
    {
        return state == ConnectionState.READY && connection.canFollow() && !authentication.isRenewalDue(clock.nowNs());
    }

    /**
     * Returns the id that the next request must carry.
     */
    public int nextCorrelationId()
    {
        return connection.nextCorrelationId();
    }

    /**
     * Sends a request that carries the last {@link #nextCorrelationId()}. Its response is due within the request
     * timeout, which begins when the request before was answered. The connection may have failed when this returns:
     * {@link #failures()} has changed then.
     *
     * @param frame  that holds the request; it must not change before the response.
     * @param length of the request in bytes.
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

    /**
     * Returns true if a request may be sent after one that has not been answered, as the last on this connection.
     */
    public boolean canSendLast()
    {
        return state == ConnectionState.READY && connection.isSent();
    }

    /**
     * Ends what is sent: the broker closes the connection when it has read and answered everything. No answer is taken
     * from now on.
     */
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
     * Drops what has arrived since {@link #shutdownOutput()}.
     *
     * @return true if the broker has closed the connection, which it does after it has read everything.
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
     * Extends the request timeout of the next requests.
     *
     * @param heldNs how long the broker may hold a response; 0 for the usual timeout.
     */
    public void heldNs(final long heldNs)
    {
        connection.heldNs(heldNs);
    }

    /**
     * Returns true if the response to the last request has arrived.
     */
    public boolean hasResponse()
    {
        return connection.hasResponse;
    }

    /**
     * Returns the buffer of responses. The body of one is from {@link #BODY_INDEX} to {@link ReceiveBuffer#received()}.
     */
    public ReceiveBuffer response()
    {
        return connection.receiveBuffer;
    }

    /**
     * Drops the response, so that the socket is read again. The time that it was held does not count against an
     * outstanding request.
     */
    public void release()
    {
        connection.release();
        if (!address.hasAnswered)
        {
            address.onAnswered();
        }
    }

    /**
     * Takes note that the last response was read and holds no error. Only that begins the backoff of reconnects again:
     * a broker may accept each connection, and fail at each request.
     */
    public void onSuccess()
    {
        backoff.succeeded();
        address.onSuccess();
    }

    /**
     * Replaces the receive buffer. To be called after {@link #release()}.
     *
     * @param length of the receive buffer, in bytes.
     */
    public void resize(final int length)
    {
        connection.resize(length);
    }

    /**
     * Returns the shortest time from a request to the first byte of its response, on the socket that is open: about a
     * round trip. {@link Long#MAX_VALUE} before the first response.
     */
    public long roundTripNs()
    {
        return connection.roundTripNs;
    }

    /**
     * Announces that the response will be held beyond this poll: bytes that follow it do not end a wait of the poller.
     */
    public void park()
    {
        connection.park();
    }

    /**
     * Sends no request for a while, because the broker demands it (KIP-219).
     *
     * @param throttleTimeMs of the last response; 0 for none.
     * @return until when.
     */
    public long throttle(final int throttleTimeMs)
    {
        return connection.throttle(throttleTimeMs);
    }

    /**
     * Closes the connection because it is of no more use, and reconnects after the backoff.
     *
     * @param reason as the end of a sentence.
     */
    public void fail(final String reason)
    {
        if (!drop(reason) && role == ConnectionRole.FIRST && address.takeFirstFailure())
        {
            environment.error(NetworkErrors.cannotConnect(nodeId, address.toString(), reason));
        }
    }

    /**
     * Returns true if the connection was established; then the listener knows that it was lost, if it is the first: the
     * others come and go.
     */
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
        close();
        state = ConnectionState.BACKING_OFF;
        lastFailure = reason;
        hasTimedOut = false;
        failures++;
        address.onFailed();
        backoff.failed(clock.nowNs());
        assert isConsistent();
    }

    /**
     * The broker does not accept the credentials or the certificate, or is not to be trusted. That is reported once for
     * TLS or for SASL, and no connection is made to this broker for a while, whoever uses it. One beside others that
     * were accepted does not affect these.
     */
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

    /**
     * Closes the connection without an event; {@link #open} connects again.
     */
    public void close()
    {
        connection.close();
        authentication.end();
        isEstablished = false;
        state = ConnectionState.CLOSED;
        assert isConsistent();
    }

    /**
     * Closes the connection and frees all memory; no method may be called after this.
     */
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

    /**
     * Returns true if requests are answered; while it authenticates again, {@link #canSend()} is false.
     */
    public boolean isReady()
    {
        return isEstablished;
    }

    /**
     * Returns true if the last failure was a response that did not arrive in time.
     */
    public boolean hasTimedOut()
    {
        return hasTimedOut;
    }

    /**
     * Returns true if it has failed more than once since the last success.
     */
    public boolean hasFailedRepeatedly()
    {
        return backoff.failures() > 1;
    }

    /**
     * Returns how many times the connection has failed; when it changes, an outstanding response has been lost.
     */
    public int failures()
    {
        return failures;
    }

    /**
     * Returns the highest version of an API that both sides support, or -1 if there is none. It is never -1 for the API
     * that the connection is for.
     */
    public int version(final ApiKey apiKey)
    {
        return negotiation.version(apiKey);
    }

    public int nodeId()
    {
        return nodeId;
    }

    /**
     * Returns the number of this connection among those of its purpose to the same broker, from 0.
     */
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
     * Returns when there is something to do even if no byte arrives: the end of a backoff, of a throttle, or of a
     * timeout, in the time of {@link DutyClock#nowNs()}.
     *
     * @param otherwiseNs returned if that is earlier.
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
            // Requests are answered in these two states only, and always when it is ready.
            (isEstablished ? isInExchange || state == ConnectionState.READY : state != ConnectionState.READY) &&
            // No secret of an exchange outlives it.
            (isInExchange || authentication.isDone() || authentication.isWithoutCredentials()) &&
            // Whoever connects has been given an address.
            (state == ConnectionState.CLOSED || address != null) &&
            // The loss of an established connection is reported before it is established again, and only of the first.
            !(wasLost && (isEstablished || role == ConnectionRole.FURTHER)) &&
            // A request that times out is a failure.
            (!hasTimedOut || failures > 0);
    }

    @Override
    public String toString()
    {
        return "broker " + nodeId + " at " + address +
            (role == ConnectionRole.FIRST ? "" : ", connection " + number) + " " + state +
            (failures == 0 ? "" : ", " + failures + " failures, last: " + PrintableText.of(lastFailure));
    }
}
