// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.blocking;

import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.odradek.client.AuthenticationException;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientException;
import org.odradek.client.ClientListener;
import org.odradek.client.NameResolver;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.ClusterIdentity;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.ConnectionState;
import org.odradek.client.net.PlainEnvironment;
import org.odradek.client.net.Pollers;
import org.odradek.client.net.RequestFrame;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.tls.RefusedKeys;
import org.odradek.client.tls.TlsEngines;
import org.odradek.client.tls.TlsPoller;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireWriter;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.BooleanSupplier;

/**
 * Sends one request at a time over a connection and waits for the response. It connects at the first request, after a
 * failure, and when another thread takes over. One thread at a time may use it.
 */
public final class BlockingConnection
{
    private static final int MAX_FRAME_LENGTH = 1 << 28;
    private static final int FIRST_FRAME_LENGTH = 1 << 16;
    private static final long LONGEST_WAIT_NS = DutyClock.LONGEST_STEP_NS / 2;

    private final int nodeId;
    private final SecuritySettings security;
    private final ClientSettings settings;
    private final WireWriter writer = new WireWriter();
    private final CounterWriter counters = new CounterWriter();
    private final NanoClock nanoClock;
    private final DutyClock clock;
    private final MemoryBudget budget = newBudget();
    /** Is the same for all connections. */
    private final BrokerAddress address;
    /** Is the same for all connections. */
    private final RefusedKeys refusedKeys;

    private Thread thread;
    private Poller poller;
    private TlsEngines engines;
    private BrokerConnection connection;
    private long seenRefusals;
    private BlockingRequest<?> sending;
    private long deadlineNs;
    private AuthenticationException refusal;

    public BlockingConnection(
        final String host,
        final int port,
        final int timeoutMs,
        final int socketBufferLength,
        final String clientId,
        final SecuritySettings security,
        final NanoClock nanoClock)
    {
        this(BrokerConnection.NULL_NODE_ID, host, port, true, security, new ClientSettings(), nanoClock);
        settings.clientId = clientId;
        settings.connectTimeoutMs = timeoutMs;
        settings.requestTimeoutMs = timeoutMs;
        settings.reconnectBackoffMs = 0;
        settings.reconnectBackoffMaxMs = 0;
        settings.socketReceiveBufferLength = Math.max(socketBufferLength, 0);
        settings.receiveBufferMaxLength = MAX_FRAME_LENGTH;
    }

    private BlockingConnection(
        final int nodeId,
        final String host,
        final int port,
        final boolean isNamedByUser,
        final SecuritySettings security,
        final ClientSettings settings,
        final NanoClock nanoClock)
    {
        this.security = security;
        this.nodeId = nodeId;
        this.settings = settings;
        this.nanoClock = nanoClock;
        clock = new DutyClock(nanoClock, SystemEpochClock.INSTANCE);
        address = new BrokerAddress(host, port, isNamedByUser, NameResolver.SYSTEM, clock, counters);
        refusedKeys = new RefusedKeys(counters, ClientListener.NONE);
    }

    private static MemoryBudget newBudget()
    {
        return new MemoryBudget(0, (bytes) -> {}, JvmMemory::directLeft, (bytes) -> {});
    }

    /** Returns true if the JVM has enough direct memory. */
    public static boolean findRoom(final int length)
    {
        return newBudget().findRoom(length);
    }

    /** @throws WireFormatException if a broker cannot have this id, host and port. */
    public static void checkBroker(
        final int nodeId, final DirectBuffer buffer, final int index, final int length, final int port)
    {
        BrokerAddress.check(nodeId, buffer, index, length, port);
    }

    /** Returns a connection to a broker that this broker has named. */
    public BlockingConnection toBroker(final int namedId, final String host, final int port)
    {
        return new BlockingConnection(
            namedId, host, port, address.isNamedByUser() && address.isAt(host, port), security, settings, nanoClock);
    }

    /**
     * Sends a request and waits for its response. After an IOException the request is sent once more over a new
     * connection, unless the deadline has passed or the thread is interrupted.
     *
     * @param callDeadlineNs the end of the wait, in the time of the clock.
     * @throws IOException if both connections fail, the deadline has passed, or the thread is interrupted.
     * @throws AuthenticationException if the broker refuses the credentials, or has not proved its identity.
     * @throws ClientException if the broker supports no version of the request, or its response is malformed.
     */
    public <T> T send(final BlockingRequest<T> request, final long callDeadlineNs) throws IOException
    {
        deadlineNs = callDeadlineNs;
        try
        {
            return sendOnce(request);
        }
        catch (final ClosedByInterruptException ex)
        {
            throw ex;
        }
        catch (final IOException ex)
        {
            if (deadlineNs - clock.readNs() <= 0)
            {
                throw ex;
            }
            return sendOnce(request);
        }
    }

    private <T> T sendOnce(final BlockingRequest<T> request) throws IOException
    {
        boolean isKept = false;
        sending = request;
        try
        {
            connect();
            isKept = true;
            await(connection::canSend);
            checkDeadline(clock.readNs());
            isKept = false;
            final int version = Math.min(connection.version(request.apiKey()), request.maxVersion());
            if (version < request.apiKey().minVersion())
            {
                throw new ClientException(
                    "Broker " + address + " supports no version of " + request.apiKey() +
                    " that this client supports.");
            }
            exchange(request, version);
            connection.response().checkWhole();
            final T response = request.read(connection.response().memory(), connection.response().received(), version);
            connection.release();
            isKept = true;
            return response;
        }
        catch (final WireFormatException ex)
        {
            throw new ClientException("The " + request.apiKey() + " response of broker " + address +
                " cannot be read: " + ex.getMessage(), ex);
        }
        finally
        {
            // A new connection that the broker throttles would be throttled again.
            if (!isKept || !connection.isReady())
            {
                close();
            }
        }
    }

    private void connect()
    {
        if (connection != null && thread != Thread.currentThread())
        {
            close();
        }
        if (connection == null)
        {
            thread = Thread.currentThread();
            openPoller();
            final ClientEnvironment environment = new PlainEnvironment(settings, security, poller, clock, budget,
                counters, ClientListener.NONE, this::onError, new ClusterIdentity());
            connection = new BrokerConnection(
                environment, FIRST_FRAME_LENGTH, ApiKey.METADATA, settings.reconnectBackoff(), 0);
            connection.open(nodeId, address);
        }
        // The time since the last request is none of this one's.
        clock.update();
    }

    private void openPoller()
    {
        poller = Pollers.open(TransportType.NIO);
        if (security.tls() != null)
        {
            engines = new TlsEngines(security.tls(), counters, ClientListener.NONE, refusedKeys);
            poller = new TlsPoller(poller, engines, budget, counters);
        }
    }

    private void onError(final Throwable error)
    {
        if (error instanceof AuthenticationException first)
        {
            refusal = first;
        }
    }

    private <T> void exchange(final BlockingRequest<T> request, final int version) throws IOException
    {
        final RequestFrame frame = new RequestFrame(
            budget, Math.addExact(RequestHeaderEncoder.maxLength(request.clientId()) + 1, request.maxBodyLength()));
        try
        {
            RequestHeaderEncoder.begin(writer, frame.buffer(), request.apiKey(), version, request.clientId());
            request.write(writer, version);
            final int length = RequestHeaderEncoder.end(writer);
            RequestHeaderEncoder.correlationId(frame.buffer(), connection.nextCorrelationId());
            connection.send(frame, length);
            checkFailures();
            await(connection::hasResponse);
        }
        finally
        {
            frame.free();
        }
    }

    private void await(final BooleanSupplier condition) throws IOException
    {
        while (!condition.getAsBoolean())
        {
            if (Thread.currentThread().isInterrupted())
            {
                throw new ClosedByInterruptException();
            }
            connection.wake();
            final long nowNs = clock.update();
            final int work = connection.doWork(true);
            checkFailures();
            if (condition.getAsBoolean())
            {
                return;
            }
            checkDeadline(nowNs);
            if (work == 0)
            {
                poller.await(Math.min(
                    DutyClock.earlier(deadlineNs, connection.nextDeadlineNs(nowNs + LONGEST_WAIT_NS)) - nowNs,
                    LONGEST_WAIT_NS));
            }
        }
    }

    private void checkDeadline(final long nowNs) throws IOException
    {
        if (deadlineNs - nowNs > 0)
        {
            return;
        }
        if (refusal != null && connection.state() == ConnectionState.BACKING_OFF)
        {
            // No connection was made because of this refusal.
            throw refusal;
        }
        throw new SocketTimeoutException(
            "No response to " + sending + " within " + settings.requestTimeoutMs + " ms: " + connection);
    }

    private void checkFailures() throws IOException
    {
        final long refusals = counters.get(ClientCounters.AUTHENTICATION_FAILURES);
        if (refusals != seenRefusals)
        {
            seenRefusals = refusals;
            throw refusal;
        }
        if (connection.failures() != 0)
        {
            throw new IOException("No response to " + sending + ": " + connection);
        }
    }

    /** Closes the connection. The next request connects again. */
    public void close()
    {
        final AutoCloseable[] parts = {connection == null ? null : connection::free, poller, engines};
        connection = null;
        poller = null;
        engines = null;
        CloseHelper.closeAll(parts);
    }
}
