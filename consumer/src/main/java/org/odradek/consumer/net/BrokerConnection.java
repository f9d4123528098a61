// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.record.RecordMemory;

import java.io.IOException;
import java.net.UnknownHostException;

/**
 * One connection to one broker: connects, agrees on versions, sends one request at a time, receives its response, and
 * makes itself anew when it breaks.
 * <pre>
 *  CLOSED ──open──▶ BACKING_OFF ──backoff over──▶ CONNECTING ──connected──▶ NEGOTIATING ──versions agreed──▶ READY
 *                        ▲                             │                         │                            │
 *                        ├─────────────────────────────┴──────── broken ─────────┴────────────────────────────┤
 *                        └────────────────── wake ── IDLE ◀── unused for long, or closed while unused ────────┘
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
     * Closed because it was not used; {@link #wake()} makes it anew.
     */
    public static final int IDLE = 5;

    /**
     * Node id of a broker of which only the address is known.
     */
    public static final int NULL_NODE_ID = -1;

    /**
     * A response's body begins behind its size and its correlation id.
     */
    public static final int BODY_INDEX = ResponseHeader.LENGTH;

    /**
     * A minute before brokers and what stands between close an idle connection (connections.max.idle.ms), as Kafka's
     * own clients do.
     */
    static final long MAX_IDLE_NS = 540_000_000_000L;

    private static final String[] STATE_NAMES =
    {
        "closed", "backing off", "connecting", "negotiating", "ready", "idle"
    };

    private final ConnectionSettings settings;
    private final ConsumerEnvironment environment;
    private final DutyClock clock;
    private final ConnectionFailures failures;
    private final ReceiveBuffer receiveBuffer;
    private final Connection connection;
    private final Exchange exchange;
    private final Throttle throttle;
    private final VersionNegotiation negotiation;
    private final ConnectionSetup setup;

    private int state = CLOSED;
    private int nodeId = NULL_NODE_ID;
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
        exchange = new Exchange(environment, connection, settings.requestTimeoutNs());
        throttle = new Throttle(environment);
        negotiation = new VersionNegotiation(settings.clientId(), environment, purpose);
        setup = new ConnectionSetup(settings, environment, connection, exchange, throttle, negotiation);
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
        try
        {
            switch (state)
            {
                case READY:
                    return exchange(isLooking) + restIfUnused();
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
        catch (final WireFormatException ex)
        {
            fail(ex.getMessage());
        }
        catch (final IOException ex)
        {
            onBroken(ex);
        }
        return 1;
    }

    private int exchange(final boolean isLooking) throws IOException
    {
        final int work = exchange.doWork(isLooking);
        if (work == Exchange.CLOSED_BY_PEER)
        {
            onClosedByPeer();
            return 1;
        }
        return work;
    }

    private void onClosedByPeer()
    {
        if (state == READY && exchange.isQuiet() && !exchange.isReceiving())
        {
            // A server that closes whatever is opened must not keep us opening.
            failures.backOff();
            rest();
        }
        else if (!isRefused())
        {
            fail(state == NEGOTIATING ? "closed by the broker instead of an answer, as by one that expects TLS" :
                "closed by the broker while it owed an answer");
        }
    }

    private void onBroken(final IOException ex)
    {
        if (ex instanceof Exchange.TimeoutException || !isRefused())
        {
            // The message of an unknown host is but its name.
            fail(ex instanceof UnknownHostException ? ex.toString() : ex.getMessage());
        }
    }

    /**
     * Some servers end the connection instead of answering a version of ApiVersions that they do not know. That is no
     * failure yet: the next try asks in a lower one.
     */
    private boolean isRefused()
    {
        if (state != NEGOTIATING || exchange.isReceiving() || !address.lowerProbeVersion(negotiation.questionVersion()))
        {
            return false;
        }
        environment.counters().add(ConsumerCounters.VERSION_DOWNGRADES, 1);
        reset();
        state = BACKING_OFF;
        failures.backOff();
        return true;
    }

    private int restIfUnused()
    {
        if (state == READY && exchange.isQuiet() && clock.nowNs() - exchange.lastUsedNs() >= MAX_IDLE_NS)
        {
            rest();
            return 1;
        }
        return 0;
    }

    private void rest()
    {
        environment.counters().add(ConsumerCounters.IDLE_CLOSES, 1);
        reset();
        state = IDLE;
    }

    /**
     * There is something to send again: if the connection was closed because it was unused, make it anew.
     */
    public void wake()
    {
        if (state == IDLE)
        {
            state = BACKING_OFF;
        }
    }

    private int connect() throws IOException
    {
        state = CONNECTING;
        if (setup.connect(address, failures.inARow()))
        {
            onConnected();
        }
        return 1;
    }

    private int finishConnect() throws IOException
    {
        if (!setup.finishConnect())
        {
            return 0;
        }
        onConnected();
        return 1;
    }

    private void onConnected() throws IOException
    {
        state = NEGOTIATING;
        setup.onConnected(nodeId, address);
    }

    private int negotiate() throws IOException
    {
        if (state != NEGOTIATING || !exchange.hasResponse())
        {
            return 0;
        }
        if (setup.onVersions(nodeId, responseMemory(), responseLimit()))
        {
            onNegotiated();
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
        return state == READY && exchange.canSend() && !throttle.isOn();
    }

    /**
     * The id that the next request must carry.
     */
    public int nextCorrelationId()
    {
        return exchange.nextCorrelationId();
    }

    /**
     * Send a request that carries the last {@link #nextCorrelationId()}. Its answer is due within the request timeout.
     *
     * @param frame  that holds it, unchanged until it has been sent.
     * @param length of the frame in bytes.
     */
    public void send(final RequestFrame frame, final int length)
    {
        try
        {
            exchange.send(frame, length);
        }
        catch (final IOException ex)
        {
            onBroken(ex);
        }
    }

    /**
     * Whether the answer to the last request is there, to be read between {@link #BODY_INDEX} and {@link
     * #responseLimit()}.
     */
    public boolean hasResponse()
    {
        return exchange.hasResponse();
    }

    /**
     * Whether of the answer only the first part is there, because the whole is larger than the cap of the buffer.
     */
    public boolean isResponseOversized()
    {
        return receiveBuffer.isOversized();
    }

    /**
     * @throws WireFormatException if {@link #isResponseOversized()}.
     */
    public void checkWhole()
    {
        receiveBuffer.checkWhole();
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
        exchange.release();
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
        throttle.begin(nodeId, throttleTimeMs);
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
        exchange.close();
        throttle.end();
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
     * Whether it is closed only because it was not used.
     */
    public boolean isIdle()
    {
        return state == IDLE;
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
        final long nextNs = throttle.nextDeadlineNs(exchange.nextDeadlineNs(otherwiseNs));
        switch (state)
        {
            case BACKING_OFF:
                return failures.isBackoffOver(clock.nowNs()) ?
                    clock.nowNs() : earlier(nextNs, failures.backoffDeadlineNs());
            case CONNECTING:
                return setup.nextDeadlineNs(nextNs);
            case READY:
                return exchange.isQuiet() ? earlier(nextNs, exchange.lastUsedNs() + MAX_IDLE_NS) : nextNs;
            default:
                return nextNs;
        }
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
