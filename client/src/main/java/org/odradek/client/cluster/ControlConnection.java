// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.odradek.client.core.Backoff;
import org.odradek.client.core.DutyClock;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.ConnectionState;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireFormatException;

/**
 * Sends requests other than Fetch and Produce to one broker, and passes each response to its request. A second request
 * may follow before the first is answered.
 */
public final class ControlConnection
{
    private static final int INITIAL_FRAME_LENGTH = 512;

    private final ClientEnvironment environment;
    private final BrokerConnection connection;
    private final RequestFrame frame;
    private ControlRequest inFlight;
    private int version;
    private ControlRequest follower;
    private int followerVersion;
    private ControlRequest answered;
    private int seenFailures;
    private boolean hasFailed;
    private long lastUsedNs;

    public ControlConnection(final ClientEnvironment environment, final ApiKey purpose, final Backoff reconnects)
    {
        this.environment = environment;
        connection = new BrokerConnection(
            environment, environment.settings().controlBufferLength(), purpose, reconnects, 0);
        frame = new RequestFrame(environment.budget(), INITIAL_FRAME_LENGTH);
    }

    /** Closes the current connection, and requests a connection to this broker. */
    public void open(final int nodeId, final BrokerAddress address)
    {
        close();
        connection.open(nodeId, address);
        lastUsedNs = environment.clock().nowNs();
    }

    /** Closes the connection without an event. Requests in flight are lost. */
    public void close()
    {
        connection.close();
        seenFailures = connection.failures();
        hasFailed = false;
        loseRequests();
    }

    void fail(final String reason)
    {
        connection.fail(reason);
    }

    public int doWork(final boolean isPollingSocket)
    {
        int work = connection.doWork(isPollingSocket);
        if (connection.failures() != seenFailures)
        {
            seenFailures = connection.failures();
            hasFailed = true;
            failRequests();
        }
        else if (inFlight != null && connection.hasResponse())
        {
            onResponse();
            work++;
        }
        assert isConsistent();
        return work;
    }

    private void failRequests()
    {
        if (inFlight != null)
        {
            inFlight.backoff().failed(environment.clock().nowNs());
        }
        if (follower != null)
        {
            follower.backoff().failed(environment.clock().nowNs());
        }
        loseRequests();
    }

    private void loseRequests()
    {
        final ControlRequest lost = inFlight;
        final ControlRequest lostToo = follower;
        inFlight = null;
        follower = null;
        answered = null;
        if (lost != null)
        {
            lost.onLost();
        }
        if (lostToo != null)
        {
            lostToo.onLost();
        }
    }

    private void onResponse()
    {
        final ControlRequest request = inFlight;
        final int requestVersion = version;
        final long nowNs = environment.clock().nowNs();
        try
        {
            if (!request.isFirstPartEnough())
            {
                connection.response().checkWhole();
            }
            final boolean isComplete = request.onResponse(connection.response().memory().buffer(),
                BrokerConnection.BODY_INDEX, connection.response().received(), version);
            if (isComplete)
            {
                connection.onSuccess();
                request.backoff().succeeded();
            }
            else
            {
                request.backoff().failed(nowNs);
            }
            inFlight = follower;
            version = followerVersion;
            follower = null;
            if (connection.response().isOversized())
            {
                open(connection.nodeId(), connection.address());
            }
            else
            {
                connection.release();
            }
            answered = request;
            if (request.apiKey().isThrottledByClient(requestVersion))
            {
                connection.throttle(request.throttleTimeMs);
            }
        }
        catch (final WireFormatException ex)
        {
            environment.error(request.apiKey().title() + " response from broker " + connection.nodeId() + " (" +
                connection.address() + ") is malformed: " + ex.getMessage() + "; will reconnect and retry.");
            failRequests();
            connection.fail("a response that cannot be read");
        }
    }

    /**
     * Requests a reconnect if the connection was closed while it was unused.
     *
     * @return true if the request may be sent now.
     */
    public boolean prepare(final ControlRequest request)
    {
        connection.wake();
        return inFlight == null && connection.canSend() && request.backoff().hasExpired(environment.clock().nowNs());
    }

    /** Returns true if both sides support an API. The result is valid only after the versions were negotiated. */
    public boolean isSupported(final ApiKey apiKey)
    {
        return connection.version(apiKey) >= 0;
    }

    public void send(final ControlRequest request)
    {
        assert inFlight == null && follower == null;
        version = request.version(connection.version(request.apiKey()));
        final int length = encode(request, version);
        inFlight = request;
        connection.response().keepFirstPart(request.isFirstPartEnough());
        connection.heldNs(request.heldNs());
        lastUsedNs = environment.clock().nowNs();
        connection.send(frame, length);
        assert isConsistent();
    }

    /**
     * Sends a request after the request in flight, and returns true, if that is possible now. The broker must not hold
     * the response to either request, and {@link ControlRequest#isFirstPartEnough()} must be false for both.
     */
    public boolean follow(final ControlRequest request)
    {
        final boolean isPossible = connection.canFollow() && isSupported(request.apiKey()) &&
            request.backoff().hasExpired(environment.clock().nowNs());
        if (isPossible)
        {
            followerVersion = request.version(connection.version(request.apiKey()));
            final int length = encode(request, followerVersion);
            follower = request;
            lastUsedNs = environment.clock().nowNs();
            connection.send(frame, length);
        }
        assert isConsistent();
        return isPossible;
    }

    private int encode(final ControlRequest request, final int requestVersion)
    {
        final int length = request.encode(frame, requestVersion);
        RequestHeaderEncoder.correlationId(frame.buffer(), connection.nextCorrelationId());
        return length;
    }

    /** Sends a request before {@link #shutdownOutput()}, if that is possible now; its response is dropped. */
    public void sendLast(final ControlRequest request)
    {
        if (connection.canSendLast() && isSupported(request.apiKey()))
        {
            connection.send(frame, encode(request, request.version(connection.version(request.apiKey()))));
        }
    }

    /** @return false if the sending side cannot be closed now. */
    public boolean shutdownOutput()
    {
        final boolean isPossible = connection.canSendLast();
        if (isPossible)
        {
            connection.shutdownOutput();
        }
        return isPossible;
    }

    /** @return true if the broker has closed the connection after {@link #shutdownOutput()}. */
    public boolean drain()
    {
        return connection.drain();
    }

    /** Returns and forgets the request whose response was read last, or null if there is none. */
    public ControlRequest takeAnswered()
    {
        final ControlRequest request = answered;
        answered = null;
        return request;
    }

    public boolean takeFailed()
    {
        final boolean isTaken = hasFailed;
        hasFailed = false;
        return isTaken;
    }

    public boolean isInFlight()
    {
        return inFlight != null;
    }

    public boolean isAlone(final ControlRequest request)
    {
        return inFlight == request && follower == null;
    }

    public boolean isHeld()
    {
        return inFlight != null && inFlight.heldNs() > 0;
    }

    boolean isClosed()
    {
        return connection.state() == ConnectionState.CLOSED;
    }

    public boolean isReady()
    {
        return connection.isReady();
    }

    /**
     * Returns true if the connection was closed while it was unused, or if it is established, waits for no response and
     * has sent nothing for longer than {@code maxIdleNs}.
     */
    public boolean isUnused(final long maxIdleNs)
    {
        return connection.state() == ConnectionState.IDLE || inFlight == null && connection.isReady() &&
            environment.clock().nowNs() - lastUsedNs > maxIdleNs;
    }

    public int nodeId()
    {
        return connection.nodeId();
    }

    public BrokerAddress address()
    {
        return connection.address();
    }

    /**
     * @param waiting request that its owner wants to send, or null.
     * @return the time at which there is something to do even if no byte arrives, or {@code otherwiseNs} if that is
     *         earlier.
     */
    public long nextDeadlineNs(final ControlRequest waiting, final long otherwiseNs)
    {
        final long nextNs = connection.nextDeadlineNs(otherwiseNs);
        if (waiting == null || inFlight != null || !connection.canSend())
        {
            return nextNs;
        }
        return DutyClock.earlier(waiting.backoff().dueNs(environment.clock().nowNs()), nextNs);
    }

    /**
     * Returns the time at which the request can follow the request in flight, or {@code otherwiseNs} if that is earlier
     * or the request cannot follow.
     */
    public long followDeadlineNs(final ControlRequest waiting, final long otherwiseNs)
    {
        return connection.canFollow() ?
            DutyClock.earlier(waiting.backoff().dueNs(environment.clock().nowNs()), otherwiseNs) : otherwiseNs;
    }

    public void free()
    {
        close();
        connection.free();
        frame.free();
    }

    private boolean isConsistent()
    {
        // A follower needs another request in flight.
        return (follower == null || inFlight != null && inFlight != follower) &&
            // A request is in flight on a connection that is ready, or it is lost as soon as the failure is seen.
            (inFlight == null || connection.failures() != seenFailures ||
            connection.state() == ConnectionState.READY) &&
            // The number of failures never decreases.
            connection.failures() - seenFailures >= 0;
    }

    @Override
    public String toString()
    {
        return connection + (inFlight == null ? "" : ", " + inFlight.apiKey() + " in flight") +
            (follower == null ? "" : ", " + follower.apiKey() + " after it");
    }
}
