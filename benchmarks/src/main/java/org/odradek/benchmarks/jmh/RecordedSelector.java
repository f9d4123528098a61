// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selectable;
import org.apache.kafka.common.network.TransferableChannel;

/**
 * For kafka-clients what {@link RecordedSocket} is for ours: stands where its selector would, and answers each request
 * at once. The answer to a fetch is one heap buffer, whose base offsets are renewed as if the log went on; that its
 * selector would allocate such a buffer for each answer is not here. The buffer can be used again because the client
 * asks for the next fetch of a partition only when it has copied every record of the last one.
 */
final class RecordedSelector implements Selectable
{
    private static final int SIZE_LENGTH = 4;
    private static final int ANSWER_CORRELATION_ID_INDEX = 4;
    private static final short FETCH = 1;

    private final RecordedAnswers answers;
    private final RequestBytes request = new RequestBytes();
    private final List<String> connecting = new ArrayList<>();
    private final List<String> connected = new ArrayList<>();
    private final List<NetworkSend> sending = new ArrayList<>();
    private final List<NetworkSend> sent = new ArrayList<>();
    private final List<NetworkReceive> received = new ArrayList<>();
    private ByteBuffer fetchAnswer;
    private long fetchCount;

    RecordedSelector(final RecordedAnswers answers)
    {
        this.answers = answers;
    }

    @Override
    public void connect(
        final String id, final InetSocketAddress address, final int sendBufferLength, final int receiveBufferLength)
    {
        connecting.add(id);
    }

    @Override
    public void send(final NetworkSend send)
    {
        sending.add(send);
    }

    @Override
    public void poll(final long timeoutMs)
    {
        connected.clear();
        connected.addAll(connecting);
        connecting.clear();
        sent.clear();
        received.clear();
        for (final NetworkSend send : sending)
        {
            sent.add(send);
            received.add(new NetworkReceive(send.destinationId(), answerTo(send)));
        }
        sending.clear();
    }

    private ByteBuffer answerTo(final NetworkSend send)
    {
        try
        {
            request.clear();
            while (!send.completed())
            {
                send.writeTo(request);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        final ByteBuffer answer = request.apiKey() == FETCH ? nextFetch() : onHeap(request.apiKey());
        answer.putInt(ANSWER_CORRELATION_ID_INDEX, request.correlationId());
        return answer.slice(SIZE_LENGTH, answer.limit() - SIZE_LENGTH);
    }

    private ByteBuffer nextFetch()
    {
        if (fetchAnswer == null)
        {
            fetchAnswer = onHeap(FETCH);
        }
        answers.renewOffsets(fetchAnswer, 0, fetchCount++);
        return fetchAnswer;
    }

    private ByteBuffer onHeap(final short apiKey)
    {
        final ByteBuffer answer = answers.to(apiKey, request.version());
        return ByteBuffer.allocate(answer.limit()).put(answer.duplicate()).flip();
    }

    @Override
    public List<NetworkSend> completedSends()
    {
        return sent;
    }

    @Override
    public Collection<NetworkReceive> completedReceives()
    {
        return received;
    }

    @Override
    public Map<String, ChannelState> disconnected()
    {
        return Map.of();
    }

    @Override
    public List<String> connected()
    {
        return connected;
    }

    @Override
    public boolean isChannelReady(final String id)
    {
        return true;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public void mute(final String id)
    {
    }

    @Override
    public void unmute(final String id)
    {
    }

    @Override
    public void muteAll()
    {
    }

    @Override
    public void unmuteAll()
    {
    }

    @Override
    public void close(final String id)
    {
    }

    @Override
    public void close()
    {
    }

    /**
     * Takes a request of kafka-clients as the channel of a socket would, and knows its header.
     */
    private static final class RequestBytes implements TransferableChannel
    {
        private static final int LENGTH = 64 * 1024;
        private static final int API_KEY_INDEX = 4;
        private static final int VERSION_INDEX = 6;
        private static final int CORRELATION_ID_INDEX = 8;

        private final ByteBuffer bytes = ByteBuffer.allocate(LENGTH);

        void clear()
        {
            bytes.clear();
        }

        short apiKey()
        {
            return bytes.getShort(API_KEY_INDEX);
        }

        short version()
        {
            return bytes.getShort(VERSION_INDEX);
        }

        int correlationId()
        {
            return bytes.getInt(CORRELATION_ID_INDEX);
        }

        @Override
        public int write(final ByteBuffer source)
        {
            final int length = source.remaining();
            bytes.put(source);
            return length;
        }

        @Override
        public long write(final ByteBuffer[] sources, final int from, final int count)
        {
            long length = 0;
            for (int i = from; i < from + count; i++)
            {
                length += write(sources[i]);
            }
            return length;
        }

        @Override
        public long write(final ByteBuffer[] sources)
        {
            return write(sources, 0, sources.length);
        }

        @Override
        public boolean hasPendingWrites()
        {
            return false;
        }

        @Override
        public long transferFrom(final FileChannel file, final long position, final long count)
        {
            throw new UnsupportedOperationException("a consumer sends no files");
        }

        @Override
        public boolean isOpen()
        {
            return true;
        }

        @Override
        public void close()
        {
        }
    }
}
