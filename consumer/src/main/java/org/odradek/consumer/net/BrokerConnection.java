/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.net;

import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.record.RecordMemory;

import java.io.IOException;

/**
 * One connection to one broker: connects, agrees on versions, sends one request at a time, receives its response, and
 * makes itself anew when it breaks.
 * <pre>
 *  CLOSED ──open──▶ BACKING_OFF ──backoff over──▶ CONNECTING ──connected──▶ NEGOTIATING ──versions agreed──▶ READY
 *                        ▲                             │                         │                            │
 *                        └─────────────────────────────┴──────── broken ─────────┴────────────────────────────┘
 * </pre>
 * While a response has not been released the socket is not read; the next request may already be on its way.
 */
public final class BrokerConnection
{
    public static final int CLOSED = 0;
    public static final int BACKING_OFF = 1;
    public static final int CONNECTING = 2;
    public static final int NEGOTIATING = 3;
    public static final int READY = 4;

    /**
     * Node id of a broker of which only the address is known.
     */
    public static final int NULL_NODE_ID = -1;

    /**
     * A response's body begins behind its size and its correlation id.
     */
    public static final int BODY_INDEX = ResponseHeader.LENGTH;

    private static final String[] STATE_NAMES = {"closed", "backing off", "connecting", "negotiating", "ready"};

    private final ConnectionSettings settings;
    private final ConsumerEnvironment environment;
    private final DutyClock clock;
    private final ConnectionFailures failures;
    private final ReceiveBuffer receiveBuffer;
    private final Connection connection;
    private final VersionNegotiation negotiation;

    private int state = CLOSED;
    private int nodeId = NULL_NODE_ID;
    private int correlationId;
    private boolean isAwaitingResponse;
    private boolean hasResponse;
    private long deadlineNs;
    private long throttledUntilNs;
    private boolean isThrottled;
    private BrokerAddress address;

    /**
     * @param settings            shared.
     * @param environment         shared.
     * @param receiveBufferLength in bytes, at the start.
     * @param purpose             what will be asked: a broker that does not speak it is none to be connected to.
     */
    public BrokerConnection(
        final ConnectionSettings settings,
        final ConsumerEnvironment environment,
        final int receiveBufferLength,
        final ApiKey purpose)
    {
        this.settings = settings;
        this.environment = environment;
        clock = environment.clock();
        failures = new ConnectionFailures(settings, environment);
        receiveBuffer = new ReceiveBuffer(environment.budget(), receiveBufferLength, settings.maxFrameLength());
        connection = new Connection(receiveBuffer);
        negotiation = new VersionNegotiation(settings.clientId(), environment.budget(), purpose);
    }

    /**
     * Begin to connect, in the next duty cycle in which the backoff of earlier failures is over.
     *
     * @param newNodeId  of the broker, or {@link #NULL_NODE_ID}.
     * @param newAddress of the broker.
     */
    public void open(final int newNodeId, final BrokerAddress newAddress)
    {
        close();
        nodeId = newNodeId;
        address = newAddress;
        state = BACKING_OFF;
    }

    /**
     * Do what can be done without waiting.
     *
     * @param isLooking true: read the socket even if the poller has not marked it as ready.
     * @return amount of work done; 0 means idle.
     */
    public int doWork(final boolean isLooking)
    {
        switch (state)
        {
            case READY:
                return exchange(isLooking);
            case NEGOTIATING:
                return exchange(true) + negotiate();
            case CONNECTING:
                return finishConnect();
            case BACKING_OFF:
                return failures.isBackoffOver(clock.nowNs()) ? connect() : 0;
            default:
                return 0;
        }
    }

    private int exchange(final boolean isLooking)
    {
        int work = 0;
        try
        {
            if (connection.isSending())
            {
                work += connection.flush();
            }
            if (!hasResponse && (isLooking && isAwaitingResponse || connection.isMarked()))
            {
                work += receive();
            }
        }
        catch (final IOException | WireFormatException ex)
        {
            fail(ex.getMessage());
            return 1;
        }
        if (work == 0 && isAwaitingResponse && !hasResponse && deadlineNs - clock.pollingNs() < 0)
        {
            fail("no answer within " + settings.requestTimeoutNs() / 1_000_000 + " ms");
            work = 1;
        }
        return work;
    }

    private int receive() throws IOException
    {
        final int capacity = receiveBuffer.memory().capacity();
        final int bytes = connection.receive();
        if (receiveBuffer.memory().capacity() > capacity)
        {
            environment.counters().add(ConsumerCounters.BUFFERS_GROWN, 1);
            environment.listener().onBufferGrown(nodeId, capacity, receiveBuffer.memory().capacity());
        }
        if (bytes < 0)
        {
            fail(isAwaitingResponse || receiveBuffer.received() > 0 ? "closed by the broker while it owed an answer" :
                "closed by the broker");
            return 1;
        }
        if (bytes > 0)
        {
            environment.counters().add(ConsumerCounters.BYTES_RECEIVED, bytes);
            if (connection.hasFrame())
            {
                onResponse();
            }
        }
        return bytes;
    }

    private void onResponse()
    {
        final int found = ResponseHeader.correlationId(receiveBuffer.memory().buffer(), 0);
        if (!isAwaitingResponse || found != correlationId)
        {
            fail("correlation id " + found + (isAwaitingResponse ? " where " + correlationId + " was expected" :
                " where no answer was expected"));
            return;
        }
        isAwaitingResponse = false;
        hasResponse = true;
    }

    private int connect()
    {
        deadlineNs = clock.pollingNs() + settings.connectTimeoutNs();
        try
        {
            state = CONNECTING;
            if (connection.connect(
                environment.poller().openSocket(settings.socketReceiveBufferLength(), 0), address.next()))
            {
                onConnected();
            }
        }
        catch (final IOException ex)
        {
            fail(ex.toString());
        }
        return 1;
    }

    private int finishConnect()
    {
        try
        {
            if (connection.finishConnect())
            {
                onConnected();
                return 1;
            }
        }
        catch (final IOException ex)
        {
            fail(ex.getMessage());
            return 1;
        }
        if (deadlineNs - clock.pollingNs() < 0)
        {
            fail("not connected within " + settings.connectTimeoutNs() / 1_000_000 + " ms");
            return 1;
        }
        return 0;
    }

    private void onConnected()
    {
        environment.counters().add(ConsumerCounters.CONNECTS, 1);
        state = NEGOTIATING;
        negotiation.begin();
        askVersions();
    }

    private void askVersions()
    {
        send(negotiation.frame(), negotiation.ask(nextCorrelationId()));
    }

    private int negotiate()
    {
        if (!hasResponse)
        {
            return 0;
        }
        try
        {
            final boolean isAgreed = negotiation.onResponse(responseMemory(), BODY_INDEX, responseLimit());
            release();
            if (isAgreed)
            {
                onNegotiated();
            }
            else
            {
                askVersions();
            }
        }
        catch (final WireFormatException ex)
        {
            fail(ex.getMessage());
        }
        return 1;
    }

    private void onNegotiated()
    {
        state = READY;
        failures.onReady(nodeId, address);
    }

    /**
     * Whether a request may be sent now: connected, none outstanding, not throttled.
     */
    public boolean canSend()
    {
        if (state != READY || isAwaitingResponse || connection.isSending())
        {
            return false;
        }
        if (isThrottled)
        {
            isThrottled = throttledUntilNs - clock.nowNs() > 0;
        }
        return !isThrottled;
    }

    /**
     * The id that the next request must carry.
     */
    public int nextCorrelationId()
    {
        correlationId = correlationId + 1 & Integer.MAX_VALUE;
        return correlationId;
    }

    /**
     * Send a request that carries the last {@link #nextCorrelationId()}. Its answer is due within the request timeout.
     *
     * @param frame  that holds it, unchanged until it has been sent.
     * @param length of the frame in bytes.
     */
    public void send(final RequestFrame frame, final int length)
    {
        isAwaitingResponse = true;
        deadlineNs = clock.pollingNs() + settings.requestTimeoutNs();
        try
        {
            connection.send(frame.sendable(length));
        }
        catch (final IOException ex)
        {
            fail(ex.getMessage());
        }
    }

    /**
     * Whether the answer to the last request is there, to be read between {@link #BODY_INDEX} and {@link
     * #responseLimit()}.
     */
    public boolean hasResponse()
    {
        return hasResponse;
    }

    /**
     * Whether of the answer only the first part is there, because the whole is larger than the cap of the buffer.
     */
    public boolean isResponseOversized()
    {
        return receiveBuffer.isOversized();
    }

    public RecordMemory responseMemory()
    {
        return receiveBuffer.memory();
    }

    public int responseLimit()
    {
        return receiveBuffer.received();
    }

    /**
     * The answer has been read, and the socket may be read again. The time it was held does not count against a
     * request that is outstanding.
     */
    public void release()
    {
        connection.release();
        hasResponse = false;
        deadlineNs = clock.pollingNs() + settings.requestTimeoutNs();
    }

    /**
     * The answer will be held beyond this poll: bytes behind it must not keep the poller from waiting.
     */
    public void park()
    {
        if (state == READY)
        {
            connection.park();
        }
    }

    /**
     * Send nothing for a while, because the broker asks so (KIP-219).
     *
     * @param throttleTimeMs of the last answer; 0 for none.
     */
    public void throttle(final int throttleTimeMs)
    {
        if (throttleTimeMs > 0)
        {
            isThrottled = true;
            throttledUntilNs = clock.nowNs() + throttleTimeMs * 1_000_000L;
            environment.counters().add(ConsumerCounters.THROTTLE_MS, throttleTimeMs);
            environment.listener().onThrottled(nodeId, throttleTimeMs);
        }
    }

    public boolean isThrottled()
    {
        return isThrottled;
    }

    /**
     * The connection is of no more use: close it and make it anew after the backoff.
     *
     * @param reason in words.
     */
    public void fail(final String reason)
    {
        final boolean wasReady = state == READY;
        reset();
        state = BACKING_OFF;
        failures.onFailed(wasReady, reason, nodeId, address);
    }

    /**
     * End the connection, without an event; {@link #open} begins anew.
     */
    public void close()
    {
        reset();
        state = CLOSED;
    }

    private void reset()
    {
        connection.close();
        isAwaitingResponse = false;
        hasResponse = false;
        isThrottled = false;
    }

    /**
     * Close and give all memory back; nothing may be called after.
     */
    public void free()
    {
        close();
        connection.free();
        negotiation.free();
    }

    public int state()
    {
        return state;
    }

    public boolean isReady()
    {
        return state == READY;
    }

    /**
     * How often the connection has failed since it was made; a change tells that what was outstanding is lost.
     */
    public int failures()
    {
        return failures.count();
    }

    /**
     * Version of an API that both sides speak, the highest.
     *
     * @param apiKey the API.
     * @return the version; -1 if there is none, never for what the connection is for.
     */
    public int version(final ApiKey apiKey)
    {
        return negotiation.version(apiKey);
    }

    public int nodeId()
    {
        return nodeId;
    }

    public BrokerAddress address()
    {
        return address;
    }

    /**
     * When there is something to do without a byte arriving: the end of a backoff, of a throttle, or of a timeout.
     *
     * @param otherwiseNs what to return if this knows of no nearer time.
     * @return the time, in the terms of {@link DutyClock#nowNs()}.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = otherwiseNs;
        if (state == BACKING_OFF)
        {
            nextNs = failures.isBackoffOver(clock.nowNs()) ?
                clock.nowNs() : earlier(nextNs, failures.backoffDeadlineNs());
        }
        else if (isAwaitingResponse || state == CONNECTING)
        {
            nextNs = earlier(nextNs, clock.nowNs() + deadlineNs - clock.pollingNs());
        }
        // One that is over has nothing to wait for: who wants to send finds that out.
        return isThrottled && throttledUntilNs - clock.nowNs() > 0 ? earlier(nextNs, throttledUntilNs) : nextNs;
    }

    private static long earlier(final long a, final long b)
    {
        return a - b < 0 ? a : b;
    }

    @Override
    public String toString()
    {
        return "broker " + nodeId + " at " + address + " " + STATE_NAMES[state] + failures;
    }
}
