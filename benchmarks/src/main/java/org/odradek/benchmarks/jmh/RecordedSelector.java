// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.PlaintextChannelBuilder;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.network.TransferableChannel;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The selector of kafka-clients without any socket: a {@link RecordedBroker} answers each request at once. The answer
 * to a fetch is one heap buffer, renewed in place; that the selector would allocate such a buffer for each answer is
 * not here. The buffer can be used again because the client asks for the next fetch of a partition only when it has
 * copied every record of the last one. It is also the channel that requests are written to.
 */
final class RecordedSelector extends Selector implements TransferableChannel
{
    private static final int REQUEST_LENGTH = 64 * 1024;

    private final RecordedBroker broker;
    private final ByteBuffer request = ByteBuffer.allocate(REQUEST_LENGTH);
    private final List<String> connecting = new ArrayList<>();
    private final List<NetworkSend> sending = new ArrayList<>();
    private final List<NetworkReceive> received = new ArrayList<>();

    RecordedSelector(final RecordedBatches batches)
    {
        super(NO_IDLE_TIMEOUT_MS, new Metrics(), Time.SYSTEM, "recorded", new PlaintextChannelBuilder(null),
            new LogContext());
        broker = new RecordedBroker(batches);
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
    public void poll(final long timeoutMs) throws IOException
    {
        connected().clear();
        connected().addAll(connecting);
        connecting.clear();
        completedSends().clear();
        received.clear();
        for (final NetworkSend send : sending)
        {
            request.clear();
            // This channel takes the whole request at once.
            send.writeTo(this);
            completedSends().add(send);
            final ByteBuffer answer = broker.answerTo(request.flip()).position(RecordedBroker.SIZE_LENGTH);
            received.add(new NetworkReceive(send.destinationId(), answer.slice()));
        }
        sending.clear();
    }

    @Override
    public Collection<NetworkReceive> completedReceives()
    {
        return received;
    }

    @Override
    public boolean isChannelReady(final String id)
    {
        return true;
    }

    @Override
    public int write(final ByteBuffer source)
    {
        final int length = source.remaining();
        request.put(source);
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
}
