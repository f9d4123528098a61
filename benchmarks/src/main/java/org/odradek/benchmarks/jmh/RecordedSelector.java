// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selectable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

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
}
