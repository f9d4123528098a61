// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.harness.model.ModelConnection;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One TCP connection between the consumer and a broker: two flows of bytes, and what the consumer can observe of its
 * state. Bytes arrive split and delayed at random, a window of them in each round trip. A planned cut strikes when a
 * number of bytes has arrived, or after a time if that many never arrive.
 */
final class Link
{
    static final int CONNECTING = 0;
    static final int OPEN = 1;
    static final int REFUSED = 2;
    static final int TIMED_OUT = 3;
    static final int RESET = 4;
    static final int CLOSED = 5;

    private static final long NONE = -1;
    private static final int MAX_PIECES = 24;
    private static final long MIN_SERVE_NS = 1_000;
    private static final long MAX_CUT_DELAY_NS = 2_000_000_000L;

    final int id;
    final Host host;
    /** Whether the user's consumer has nothing to do with it. */
    boolean isOfNeighbour;
    final Progress progress = new Progress();
    private final SimulatedNetwork network;
    private final SimulatedClock clock;
    private final Draw draw;
    private final long latencyNs;
    private final int windowLength;
    private final int sendBufferLength;
    private final ByteFlow toBroker = new ByteFlow();
    private final ByteFlow toClient = new ByteFlow();
    private final Runnable toBrokerEvent = this::arriveAtBroker;
    private final Runnable toClientEvent = this::arriveAtClient;
    private final Runnable serveEvent = this::onServeTime;
    private ModelConnection connection;
    private int state = CONNECTING;
    private int lowWaterMark = 1;
    private boolean isAnswerDue;
    private boolean isStalled;
    /** A response has another length than it says. */
    private boolean isLying;
    private boolean isLost;
    private boolean isResponseLost;
    /** The broker was to answer when the connection was lost. */
    private boolean isAnswerLost;
    private boolean isFinished;
    /** The consumer sends nothing more. */
    private boolean isOutputEnded;
    /** The rest of what the consumer has sent last was not taken. */
    private boolean isSendShort;
    private boolean isFinishSeen;
    /** When the consumer began to send the request that the broker has not taken, or {@link #NONE}. */
    private long requestNs = NONE;
    private long serveNs = Long.MAX_VALUE;
    private FaultKind cut;
    private boolean isCutAtClient;
    private int bytesToCut;

    Link(final int id, final Host host, final SimulatedNetwork network)
    {
        this.id = id;
        this.host = host;
        this.network = network;
        clock = network.clock;
        draw = network.draw;
        latencyNs = network.drawLatencyNs();
        windowLength = network.windowLength;
        sendBufferLength = network.sendBufferLength;
    }

    /** The broker's end of the connection; null before it is made and after the broker has closed it. */
    ModelConnection connection()
    {
        return connection;
    }

    // The consumer's side.

    int state()
    {
        return state;
    }

    boolean isReadable(final int length)
    {
        return toClient.available() >= length || isFinishSeen || state == RESET;
    }

    /** Returns whether the broker has sent something that was not read. */
    boolean isUnread()
    {
        return toClient.available() > 0 || toClient.onTheWay() > 0;
    }

    /** Returns whether all that the broker has sent has arrived, and some of it was not read. */
    boolean isResponseWhole()
    {
        return isOpen() && !isLying && toClient.available() > 0 && toClient.onTheWay() == 0;
    }

    boolean isWritable()
    {
        return state == RESET || toBroker.onTheWay() < sendBufferLength;
    }

    int windowLength()
    {
        return windowLength;
    }

    void receiveLowWaterMark(final int length)
    {
        lowWaterMark = length;
        resume();
    }

    int receive(final ByteBuffer buffer) throws IOException
    {
        if (state == RESET)
        {
            throw new IOException("Connection reset by peer");
        }
        final int length = toClient.read(buffer);
        progress.received(length, clock.nowNs());
        if (length > 0 || isFinishSeen)
        {
            network.onActivity();
        }
        resume();
        return length == 0 && isFinishSeen ? SimulatedSocket.END_OF_STREAM : length;
    }

    int send(final ByteBuffer buffer) throws IOException
    {
        if (state == RESET)
        {
            throw new IOException("Broken pipe");
        }
        if (requestNs == NONE)
        {
            requestNs = clock.nowNs();
            progress.begin(requestNs);
        }
        final int length = Math.min(buffer.remaining(), sendBufferLength - toBroker.onTheWay());
        isSendShort = length < buffer.remaining();
        if (length <= 0)
        {
            return 0;
        }
        progress.sent(clock.nowNs());
        network.onActivity();
        transfer(toBroker, buffer, length, toBrokerEvent);
        return length;
    }

    /** The broker closes the connection when it has read and answered everything. */
    void shutdownOutput() throws IOException
    {
        if (state == RESET)
        {
            throw new IOException("Broken pipe");
        }
        isOutputEnded = true;
        serve();
    }

    void closeByClient()
    {
        if (state != CLOSED)
        {
            state = CLOSED;
            final boolean isFull = toBroker.onTheWay() >= sendBufferLength;
            final int rest = isSendShort ? 1 : 0;
            network.onClosedByClient(this, isOutputEnded || isFull || isSendShort ? toBroker.onTheWay() + rest : 0);
            disconnect();
        }
    }

    // The network.

    private void transfer(final ByteFlow flow, final ByteBuffer source, final int length, final Runnable event)
    {
        flow.write(source, length);
        long timeNs = Math.max(flow.lastPieceNs(), clock.nowNs() + network.drawTransferNs(latencyNs));
        final Distance distance = network.distance;
        int window = distance.window;
        int rest = length;
        for (int pieces = network.drawPieces(MAX_PIECES); rest > 0; pieces--)
        {
            final int most = Math.min(rest, window);
            final int piece = pieces <= 1 ? most : 1 + draw.below(most);
            flow.addPiece(timeNs, piece);
            clock.at(timeNs, event);
            rest -= piece;
            window -= piece;
            timeNs += window > 0 ? draw.below((int)latencyNs + 1) : distance.tripNs;
            window = window > 0 ? window : distance.window;
        }
    }

    /** The attempt to connect has reached the host, and the outcome has come back. */
    void onConnected()
    {
        if (state == CONNECTING)
        {
            connection = host.broker.connect();
            change(OPEN);
        }
    }

    void onNotConnected(final int newState)
    {
        if (state == CONNECTING)
        {
            change(newState);
        }
    }

    /** Returns when the consumer began to send the request that the broker takes now. */
    long requestNs()
    {
        return requestNs;
    }

    private void change(final int newState)
    {
        state = newState;
        network.onLinkChanged(this);
    }

    private void arriveAtBroker()
    {
        while (toBroker.nextPieceNs() <= clock.nowNs())
        {
            final int arrived = toBroker.arrive(cut != null && !isCutAtClient ? bytesToCut : Integer.MAX_VALUE);
            network.onChange();
            if (connection == null)
            {
                isResponseLost |= isLost;
                if (!isLost && state == OPEN)
                {
                    reset();
                }
            }
            else if (cut != null && !isCutAtClient)
            {
                bytesToCut -= arrived;
                if (bytesToCut == 0)
                {
                    strike();
                    return;
                }
            }
        }
        serve();
    }

    private void arriveAtClient()
    {
        while (state == OPEN && !isLost && toClient.nextPieceNs() <= clock.nowNs())
        {
            final int room = Math.max(windowLength, lowWaterMark) - toClient.available();
            if (room <= 0)
            {
                isStalled = true;
                return;
            }
            final boolean isCutNear = cut != null && isCutAtClient;
            bytesToCut -= isCutNear ? toClient.arrive(Math.min(room, bytesToCut)) : 0;
            if (isCutNear && bytesToCut == 0)
            {
                strike();
            }
            else if (!isCutNear)
            {
                toClient.arrive(room);
            }
            network.onChange();
        }
        if (state == OPEN && !isLost && isFinished && toClient.onTheWay() == 0 && !isFinishSeen)
        {
            isFinishSeen = true;
            network.onLinkChanged(this);
        }
    }

    /** The consumer has made room: the broker's system goes on sending. */
    private void resume()
    {
        if (isStalled && toClient.available() < Math.max(windowLength, lowWaterMark))
        {
            isStalled = false;
            clock.after(latencyNs, toClientEvent);
        }
    }

    // The broker's side.

    boolean isOpen()
    {
        return state == OPEN && connection != null && !isLost;
    }

    boolean isAnswerDue()
    {
        return isAnswerDue;
    }

    private void onServeTime()
    {
        if (serveNs <= clock.nowNs())
        {
            serveNs = Long.MAX_VALUE;
            serve();
        }
    }

    /** Lets the broker do what it can do now: answer the request that it has, and begin the next. */
    void serve()
    {
        while (connection != null && !host.isPaused)
        {
            if (isAnswerDue)
            {
                final ByteBuffer response = connection.response();
                if (response == null && !connection.isClosed())
                {
                    serveAt(Math.max(connection.nextDeadline(), clock.nowNs() + MIN_SERVE_NS));
                    return;
                }
                isAnswerDue = false;
                if (response != null)
                {
                    isLying |= response.getInt(response.position()) != response.remaining() - Integer.BYTES;
                    network.onResponse(this, response);
                    transfer(toClient, response, response.remaining(), toClientEvent);
                }
            }
            else
            {
                final int length = toBroker.frameLength();
                if (length < 0)
                {
                    if (isOutputEnded && toBroker.onTheWay() == 0)
                    {
                        finish();
                    }
                    return;
                }
                final ByteBuffer frame = toBroker.takeFrame(length);
                network.onRequest(this, frame);
                requestNs = NONE;
                isAnswerDue = true;
                connection.request(frame);
            }
            if (connection.isClosed())
            {
                finish();
            }
        }
    }

    private void serveAt(final long timeNs)
    {
        if (timeNs < serveNs)
        {
            serveNs = timeNs;
            clock.at(timeNs, serveEvent);
        }
    }

    /** The broker closes the connection after what it has sent. */
    void finish()
    {
        disconnect();
        isFinished = true;
        clock.at(Math.max(toClient.lastPieceNs(), clock.nowNs() + latencyNs), toClientEvent);
    }

    /** The consumer's system is notified that the connection does not exist, and drops what was not read. */
    void reset()
    {
        disconnect();
        if (state == OPEN)
        {
            change(RESET);
        }
    }

    /**
     * Every byte is lost from now on.
     *
     * @param isNotified whether the next byte that is sent makes the other system reset the connection.
     */
    void lose(final boolean isNotified)
    {
        isAnswerLost = isAnswerDue;
        disconnect();
        isLost = !isNotified;
        isResponseLost |= toClient.onTheWay() > 0;
        toClient.cut();
    }

    /** Returns whether nothing arrives over the connection any more, and the consumer does not know it. */
    boolean isLost()
    {
        return isLost;
    }

    /** Returns whether bytes of a request or of a response will never arrive, and the consumer does not know it. */
    boolean isResponseLost()
    {
        return isResponseLost || isLying;
    }

    /** Returns whether the consumer waits for bytes that never arrive, and nothing notifies it. */
    boolean isAwaitedInVain()
    {
        return isLost && state == OPEN && (isAnswerLost || isResponseLost);
    }

    private void disconnect()
    {
        if (connection != null)
        {
            connection.close();
            connection = null;
        }
        isAnswerDue = false;
        cut = null;
    }

    // Faults.

    /**
     * Plans a cut, unless one is planned.
     *
     * @param kind     of the cut.
     * @param isClient whether bytes are counted as they arrive at the consumer rather than at the broker.
     * @param bytes    that still arrive, at least 1.
     */
    void planCut(final FaultKind kind, final boolean isClient, final int bytes)
    {
        if (cut == null)
        {
            cut = kind;
            isCutAtClient = isClient;
            bytesToCut = bytes;
            clock.after(MAX_CUT_DELAY_NS, this::strike);
        }
    }

    /** A planned cut does not strike. */
    void cancelCut()
    {
        cut = null;
    }

    private void strike()
    {
        final FaultKind kind = cut;
        cut = null;
        if (kind != null && isOpen())
        {
            network.onCut(this, kind);
            switch (kind)
            {
                case CONNECTION_RESET:
                    reset();
                    break;
                case CONNECTION_CLOSED:
                    toClient.cut();
                    finish();
                    break;
                default:
                    lose(draw.oneIn(2));
                    break;
            }
        }
    }

    @Override
    public String toString()
    {
        return "connection " + id + " to " + host.name + ":" + host.port;
    }
}
