// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

/**
 * A broker's end of a connection, without a system call: every request is answered at once from
 * {@link RecordedAnswers}. The answer to a fetch is copied into the receive buffer only the first time and stays there,
 * as if the kernel had just written it; then only its correlation id and the base offsets of its batches are renewed,
 * so that the log seems to go on without end. (A batch's checksum does not cover its base offset.)
 */
final class RecordedSocket implements PolledSocket
{
    private static final int API_KEY_INDEX = 4;
    private static final int VERSION_INDEX = 6;
    private static final int CORRELATION_ID_INDEX = 8;
    private static final int ANSWER_CORRELATION_ID_INDEX = 4;
    private static final short FETCH = 1;

    private final RecordedAnswers answers;
    private boolean isAnswerDue;
    private short apiKey;
    private short version;
    private int correlationId;
    private long fetchCount;
    private ByteBuffer recordedIn;

    RecordedSocket(final RecordedAnswers answers)
    {
        this.answers = answers;
    }

    @Override
    public boolean connect(final InetSocketAddress address)
    {
        return true;
    }

    @Override
    public boolean finishConnect()
    {
        return true;
    }

    @Override
    public int send(final ByteBuffer buffer)
    {
        final int from = buffer.position();
        apiKey = buffer.getShort(from + API_KEY_INDEX);
        version = buffer.getShort(from + VERSION_INDEX);
        correlationId = buffer.getInt(from + CORRELATION_ID_INDEX);
        isAnswerDue = true;
        buffer.position(buffer.limit());
        return buffer.limit() - from;
    }

    @Override
    public int receive(final ByteBuffer buffer)
    {
        if (!isAnswerDue)
        {
            return NOTHING;
        }
        isAnswerDue = false;
        final int from = buffer.position();
        final ByteBuffer answer = answers.to(apiKey, version);
        if (buffer == recordedIn)
        {
            buffer.position(from + answer.limit());
        }
        else
        {
            buffer.put(answer.duplicate());
        }
        buffer.putInt(from + ANSWER_CORRELATION_ID_INDEX, correlationId);
        if (apiKey == FETCH)
        {
            recordedIn = buffer;
            answers.renewOffsets(buffer, from, fetchCount++);
        }
        return answer.limit();
    }

    @Override
    public void readInterest(final boolean on)
    {
    }

    @Override
    public void writeInterest(final boolean on)
    {
    }

    @Override
    public boolean isReady()
    {
        return true;
    }

    @Override
    public void clearReady()
    {
    }

    @Override
    public int receiveBufferLength()
    {
        return 0;
    }

    @Override
    public void close()
    {
    }

    /**
     * Stands where the sockets of the system would: every socket is a {@link RecordedSocket}, connected and ready at
     * once.
     */
    static final class RecordedPoller implements Poller
    {
        private final RecordedAnswers answers;

        RecordedPoller(final RecordedAnswers answers)
        {
            this.answers = answers;
        }

        @Override
        public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
        {
            return new RecordedSocket(answers);
        }

        /** There is always an answer to be read. */
        @Override
        public int await(final long timeoutNs)
        {
            return 1;
        }

        @Override
        public void wakeup()
        {
        }

        @Override
        public String description()
        {
            return "recorded";
        }

        @Override
        public void close()
        {
        }
    }
}
