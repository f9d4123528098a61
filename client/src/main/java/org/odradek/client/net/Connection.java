// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Sends requests over one socket, and receives the responses. Once a response is complete, it is held until {@link
 * #release()}; meanwhile the next request may be sent, but the socket is not read.
 * <p>
 * A request times out only if two reads of the socket after the deadline, a second or more apart, do not complete the
 * response, because the thread may have been suspended.
 */
final class Connection
{
    /**
     * The maximum size in bytes of the responses before the connection is ready: those to ApiVersions and SASL
     * requests.
     */
    private static final int FIRST_FRAMES_MAX_SIZE = 1 << 16;
    /**
     * The number of received bytes that renew the timeout of a response, so that a large response may arrive over a
     * slow link.
     */
    private static final int PROGRESS_LENGTH = 1 << 16;
    /** The maximum of an extended timeout, as a multiple of the request timeout. */
    private static final int MOST_TIMEOUTS = 10;
    private static final long GRACE_NS = 1_000_000_000L;

    private final ClientSettings settings;
    private final Poller poller;
    private final DutyClock clock;
    private final CounterWriter counters;
    private final ClientListener listener;
    final ReceiveBuffer receiveBuffer;

    private int nodeId;
    InetSocketAddress address;
    private PolledSocket socket;
    private ByteBuffer unsent;
    private int correlationId;
    /**
     * The number of requests without a complete response; {@link #outstandingId} is the correlation id of the first of
     * them.
     */
    private int outstanding;
    private int outstandingId;
    /**
     * True while the receive buffer holds a whole response, or the first part of a response that does not fit into the
     * buffer.
     */
    boolean hasResponse;
    private boolean isParked;
    private int lowWaterMark = 1;
    private boolean isThrottled;
    private long throttledUntilNs;
    private long heldNs;
    private long deadlineNs;
    private long lastDeadlineNs;
    /**
     * True if a read of the socket after the deadline did not complete the response; {@link #missedNs} is the time of
     * the first such read.
     */
    private boolean isMissed;
    private long missedNs;
    private int progress;
    long lastUsedNs;
    private long sentNs;
    long roundTripNs;
    private long firstByteNs;
    long receiveNs;

    Connection(
        final ClientSettings settings,
        final Poller poller,
        final DutyClock clock,
        final CounterWriter counters,
        final ClientListener listener,
        final ReceiveBuffer receiveBuffer)
    {
        this.settings = settings;
        this.poller = poller;
        this.clock = clock;
        this.counters = counters;
        this.listener = listener;
        this.receiveBuffer = receiveBuffer;
    }

    /** @return true if the socket is connected already. */
    boolean connect(final int newNodeId, final InetSocketAddress newAddress) throws IOException
    {
        nodeId = newNodeId;
        address = newAddress;
        roundTripNs = Long.MAX_VALUE;
        receiveBuffer.maxSize(FIRST_FRAMES_MAX_SIZE);
        socket = poller.openSocket(settings.socketReceiveBufferLength, 0, clock);
        return socket.connect(address) && onConnected();
    }

    boolean finishConnect() throws IOException
    {
        return socket.finishConnect() && onConnected();
    }

    private boolean onConnected()
    {
        socket.readInterest(true);
        return true;
    }

    int nextCorrelationId()
    {
        correlationId = correlationId + 1 & Integer.MAX_VALUE;
        return correlationId;
    }

    /**
     * Bytes that the system does not accept now are sent by {@link #flush()}. The frame must not change until {@link
     * #isSent()} is true.
     */
    void send(final RequestFrame frame, final int length) throws IOException
    {
        outstanding++;
        if (outstanding == 1)
        {
            outstandingId = correlationId;
            sentNs = clock.nowNs();
        }
        if (receiveBuffer.isLargeFrame())
        {
            // A large response is still held. With this mark the system acknowledges bytes of the next response before
            // they are read, so that the broker can go on sending. Otherwise the broker stops when its send buffer (100
            // KiB unless socket.send.buffer.bytes is set) is full of unacknowledged bytes.
            lowWaterMark(receiveBuffer.received());
        }
        unsent = frame.sendable(length);
        flush();
        if (unsent != null && outstanding == 1)
        {
            beginTimeout();
        }
        assert isConsistent();
    }

    void heldNs(final long newHeldNs)
    {
        heldNs = newHeldNs;
    }

    int flush() throws IOException
    {
        if (unsent == null)
        {
            return 0;
        }
        final int bytes = socket.send(unsent);
        final boolean isSent = !unsent.hasRemaining();
        socket.writeInterest(!isSent);
        if (isSent)
        {
            unsent = null;
        }
        if (outstanding > 1)
        {
            // The timeout belongs to the previous request.
            return bytes;
        }
        if (isSent)
        {
            beginTimeout();
        }
        else if (bytes > 0)
        {
            extendTimeout();
        }
        return bytes;
    }

    boolean isSent()
    {
        return unsent == null;
    }

    void shutdownOutput() throws IOException
    {
        socket.shutdownOutput();
    }

    /** @return true if the peer has closed the connection. */
    boolean drain() throws IOException
    {
        return socket.receive(receiveBuffer.dropped()) == PolledSocket.END_OF_STREAM;
    }

    /**
     * @return the number of bytes received, or {@link PolledSocket#END_OF_STREAM} if the peer has closed the
     *         connection.
     * @throws WireFormatException if the bytes are not the expected response.
     */
    int receive(final boolean isPollingSocket) throws IOException
    {
        if (hasResponse)
        {
            if (socket.isReady())
            {
                park();
            }
            return 0;
        }
        if (!(isPollingSocket && outstanding > 0) && !socket.isReady())
        {
            return 0;
        }
        receiveBuffer.isFollowed(outstanding > 1);
        final int capacity = receiveBuffer.memory().capacity();
        int total = 0;
        int bytes = 1;
        while (bytes > 0 && !hasFrame())
        {
            bytes = socket.receive(receiveBuffer.missing());
            if (bytes > 0)
            {
                total += bytes;
                receiveBuffer.onReceived(bytes);
                if (receiveBuffer.isRestSmall())
                {
                    break;
                }
            }
        }
        if (bytes > 0)
        {
            // The next wait reports bytes that are left. Another read now would mostly find none.
            socket.clearReady();
        }
        if (total > 0)
        {
            onReceived(total, capacity);
        }
        assert isConsistent();
        return bytes < 0 ? bytes : total;
    }

    private void onReceived(final int bytes, final int capacityBefore)
    {
        counters.add(ClientCounters.BYTES_RECEIVED, bytes);
        renewTimeout(bytes);
        if (receiveBuffer.received() == bytes)
        {
            onFirstBytes();
        }
        onGrown(capacityBefore);
        lowWaterMark(receiveBuffer.worthWaitingFor());
        if (hasFrame())
        {
            onResponse(ResponseHeader.correlationId(receiveBuffer.memory().buffer(), 0));
        }
    }

    private void onFirstBytes()
    {
        firstByteNs = clock.nowNs();
        if (firstByteNs - sentNs < roundTripNs)
        {
            // The thread may have been suspended since the duty cycle began.
            roundTripNs = Math.min(roundTripNs, clock.readNs() - sentNs);
        }
    }

    private void onGrown(final int capacityBefore)
    {
        final int capacity = receiveBuffer.memory().capacity();
        if (capacity > capacityBefore)
        {
            counters.add(ClientCounters.BUFFERS_GROWN, 1);
            listener.onBufferGrown(nodeId, capacityBefore, capacity);
        }
    }

    private void lowWaterMark(final int length)
    {
        if (length != lowWaterMark)
        {
            lowWaterMark = length;
            socket.receiveLowWaterMark(length);
        }
    }

    private void onResponse(final int found)
    {
        if (outstanding == 0)
        {
            throw new WireFormatException("correlation id " + found + " where no response was expected");
        }
        if (found != outstandingId)
        {
            throw new WireFormatException("correlation id " + found + " where " + outstandingId + " was expected");
        }
        if (unsent != null && outstanding == 1)
        {
            // No broker can respond to a request that it has not received completely. The frame might be used again
            // while it is being sent.
            throw new WireFormatException("a response to a request that was not sent completely");
        }
        outstanding--;
        outstandingId = outstandingId + 1 & Integer.MAX_VALUE;
        receiveNs = clock.nowNs() - firstByteNs;
        hasResponse = true;
    }

    private boolean hasFrame()
    {
        return receiveBuffer.isComplete() || receiveBuffer.isOversized();
    }

    void resize(final int length)
    {
        final int capacity = receiveBuffer.memory().capacity();
        receiveBuffer.replace(length);
        onGrown(capacity);
    }

    void park()
    {
        if (hasResponse && !isParked)
        {
            isParked = true;
            socket.readInterest(false);
        }
        assert isConsistent();
    }

    void release()
    {
        receiveBuffer.release();
        lowWaterMark(1);
        if (isParked)
        {
            isParked = false;
            socket.readInterest(true);
        }
        hasResponse = false;
        beginTimeout();
        assert isConsistent();
    }

    /** This method reads the clock, because the duty cycle may have begun long ago. */
    private void beginTimeout()
    {
        progress = 0;
        isMissed = false;
        deadlineNs = clock.readNs() + ClientSettings.ns(settings.requestTimeoutMs) + heldNs;
        lastDeadlineNs = deadlineNs + (MOST_TIMEOUTS - 1) * ClientSettings.ns(settings.requestTimeoutMs);
        lastUsedNs = clock.nowNs();
    }

    private void extendTimeout()
    {
        final long extendedNs = earlier(lastDeadlineNs, clock.nowNs() + ClientSettings.ns(settings.requestTimeoutMs));
        if (extendedNs - deadlineNs > 0)
        {
            deadlineNs = extendedNs;
            isMissed = false;
        }
    }

    private void renewTimeout(final int bytes)
    {
        progress += bytes;
        if (progress >= PROGRESS_LENGTH)
        {
            progress = 0;
            extendTimeout();
        }
    }

    /**
     * @param demandedMs throttle time of a response in milliseconds (KIP-219); at most {@link
     *                   WireLimits#MAX_THROTTLE_MS} of it are used.
     */
    long throttle(final int demandedMs)
    {
        final int throttleTimeMs = Math.min(demandedMs, WireLimits.MAX_THROTTLE_MS);
        if (throttleTimeMs > 0)
        {
            isThrottled = true;
            throttledUntilNs = clock.nowNs() + throttleTimeMs * 1_000_000L;
            counters.add(ClientCounters.THROTTLE_MS, throttleTimeMs);
            listener.onThrottled(nodeId, throttleTimeMs);
        }
        return throttledUntilNs;
    }

    boolean canSend()
    {
        return outstanding == 0 && unsent == null && !isThrottled();
    }

    boolean canFollow()
    {
        return outstanding == 1 && !hasResponse && unsent == null && !isThrottled();
    }

    private boolean isThrottled()
    {
        return isThrottled && throttledUntilNs - clock.nowNs() > 0;
    }

    boolean isOverdue()
    {
        return outstanding > 0 && !hasResponse && deadlineNs - clock.nowNs() <= 0;
    }

    /** @return true if a second or more has passed since the first read that did not complete the overdue response. */
    boolean missResponse()
    {
        missedNs = isMissed ? missedNs : clock.nowNs();
        isMissed = true;
        return clock.nowNs() - missedNs >= GRACE_NS;
    }

    boolean isReceiving()
    {
        return receiveBuffer.received() > 0;
    }

    boolean isOpen()
    {
        return socket != null;
    }

    boolean isQuiet()
    {
        return outstanding == 0 && !hasResponse;
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = otherwiseNs;
        if (outstanding > 0 && !hasResponse)
        {
            nextNs = earlier(nextNs, isMissed ? missedNs + GRACE_NS : deadlineNs);
        }
        return isThrottled() ? earlier(nextNs, throttledUntilNs) : nextNs;
    }

    void close()
    {
        if (socket != null)
        {
            socket.close();
            socket = null;
        }
        unsent = null;
        heldNs = 0;
        isParked = false;
        lowWaterMark = 1;
        outstanding = 0;
        hasResponse = false;
        isThrottled = false;
        receiveBuffer.release();
        assert isConsistent() && isQuiet();
    }

    void free()
    {
        close();
        receiveBuffer.free();
    }

    private boolean isConsistent()
    {
        // A response is held from its last byte to its release.
        return hasResponse == hasFrame() &&
            // Read interest is off only while a response is held.
            (!isParked || hasResponse) &&
            // The number of outstanding requests is never negative.
            outstanding >= 0 &&
            // A request that is not sent completely is outstanding.
            (unsent == null || outstanding > 0) &&
            // Without a socket nothing is sent, outstanding or received.
            (socket != null || unsent == null && isQuiet() && !isReceiving()) &&
            // A low-water mark is at least 1.
            lowWaterMark >= 1;
    }
}
