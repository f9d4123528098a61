// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireFormatException;

import java.io.IOException;

/**
 * Request and response over one {@link Connection}: at most one request is unanswered, its answer is held until it has
 * been read, and must carry its correlation id and come in time.
 */
final class Exchange
{
    /** From {@link #doWork}: the peer has closed. */
    static final int CLOSED_BY_PEER = PolledSocket.END_OF_STREAM;

    private final long requestTimeoutNs;
    private final ConsumerEnvironment environment;
    private final DutyClock clock;
    private final ReceiveBuffer receiveBuffer;
    private final Connection connection;

    private int nodeId;
    private int correlationId;
    private boolean isAwaitingResponse;
    private boolean hasResponse;
    private long deadlineNs;
    private long lastUsedNs;

    Exchange(final ConsumerEnvironment environment, final Connection connection, final long requestTimeoutNs)
    {
        this.environment = environment;
        this.connection = connection;
        this.requestTimeoutNs = requestTimeoutNs;
        receiveBuffer = connection.receiveBuffer();
        clock = environment.clock();
    }

    /**
     * The connection has been made, to this broker.
     */
    void begin(final int newNodeId)
    {
        nodeId = newNodeId;
    }

    /**
     * Send what is left of a request, and receive what is there of its answer.
     *
     * @param isLooking true: read the socket even if the poller has not marked it.
     * @return amount of work done, or {@link #CLOSED_BY_PEER}.
     * @throws IOException         if the connection is broken, or the answer does not come in time.
     * @throws WireFormatException if what came is not the answer.
     */
    int doWork(final boolean isLooking) throws IOException
    {
        int work = 0;
        if (connection.isSending())
        {
            work += connection.flush();
        }
        if (!hasResponse && (isLooking && isAwaitingResponse || connection.isMarked()))
        {
            final int bytes = receive();
            if (bytes < 0)
            {
                return CLOSED_BY_PEER;
            }
            work += bytes;
        }
        if (work == 0 && isAwaitingResponse && !hasResponse && deadlineNs - clock.pollingNs() < 0)
        {
            throw new TimeoutException(requestTimeoutNs);
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
            throw new WireFormatException("correlation id " + found + (isAwaitingResponse ?
                " where " + correlationId + " was expected" : " where no answer was expected"));
        }
        isAwaitingResponse = false;
        hasResponse = true;
    }

    int nextCorrelationId()
    {
        correlationId = correlationId + 1 & Integer.MAX_VALUE;
        return correlationId;
    }

    void send(final RequestFrame frame, final int length) throws IOException
    {
        isAwaitingResponse = true;
        deadlineNs = clock.pollingNs() + requestTimeoutNs;
        lastUsedNs = clock.nowNs();
        connection.send(frame.sendable(length));
    }

    /**
     * The answer has been read. The time it was held does not count against a request that is outstanding.
     */
    void release()
    {
        connection.release();
        hasResponse = false;
        deadlineNs = clock.pollingNs() + requestTimeoutNs;
        lastUsedNs = clock.nowNs();
    }

    /**
     * Close the socket; what was outstanding or held is lost.
     */
    void close()
    {
        connection.close();
        isAwaitingResponse = false;
        hasResponse = false;
    }

    boolean hasResponse()
    {
        return hasResponse;
    }

    boolean isAwaitingResponse()
    {
        return isAwaitingResponse;
    }

    boolean canSend()
    {
        return !isAwaitingResponse && !connection.isSending();
    }

    /**
     * Some of an answer has come, but not all of it.
     */
    boolean isReceiving()
    {
        return receiveBuffer.received() > 0;
    }

    /**
     * Neither is an answer due nor one held.
     */
    boolean isQuiet()
    {
        return !isAwaitingResponse && !hasResponse;
    }

    long lastUsedNs()
    {
        return lastUsedNs;
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        final long deadline = clock.nowNs() + deadlineNs - clock.pollingNs();
        return isAwaitingResponse && deadline - otherwiseNs < 0 ? deadline : otherwiseNs;
    }

    /**
     * No answer came in time: other than a peer that closes, it says nothing about what the peer takes amiss.
     */
    static final class TimeoutException extends IOException
    {
        private static final long serialVersionUID = 1L;

        TimeoutException(final long timeoutNs)
        {
            super("no answer within " + timeoutNs / 1_000_000 + " ms");
        }
    }
}
