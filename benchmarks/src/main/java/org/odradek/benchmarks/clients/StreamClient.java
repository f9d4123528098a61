// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/**
 * What the link carries without Kafka: one thread reads bytes that a StreamSender sends without an end, over as many
 * connections as the setting says. As many bytes as a value has count as a record.
 */
public final class StreamClient implements Client
{
    static final String CONNECTIONS = "connections";
    private static final int BUFFER_LENGTH = 1 << 20;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
    private final Consumer<SelectionKey> onReadable = this::read;
    private final Selector selector = Selector.open();
    private final Sink sink;
    private final int valueLength;
    private final int pollTimeoutMs;
    /** Fewer than a value has. */
    private long bytesLeft;
    private IOException error;

    public StreamClient(final Settings settings, final Sink sink) throws IOException
    {
        this.sink = sink;
        valueLength = settings.number("valueLength");
        pollTimeoutMs = settings.number("pollTimeoutMs");
        final String[] address = settings.text("bootstrap").split(":");
        for (int i = 0; i < settings.number(CONNECTIONS); i++)
        {
            final SocketChannel socket =
                SocketChannel.open(new InetSocketAddress(address[0], Integer.parseInt(address[1])));
            socket.configureBlocking(false).register(selector, SelectionKey.OP_READ);
        }
    }

    @Override
    public void poll() throws IOException
    {
        selector.select(onReadable, pollTimeoutMs);
        if (error != null)
        {
            throw error;
        }
    }

    private void read(final SelectionKey key)
    {
        try
        {
            final int length = ((SocketChannel) key.channel()).read(buffer.clear());
            if (length < 0)
            {
                throw new EOFException("the sender closed a connection");
            }
            final long bytes = bytesLeft + length;
            bytesLeft = bytes % valueLength;
            sink.onValues(bytes / valueLength, bytes - bytesLeft, 0);
        }
        catch (final IOException ex)
        {
            error = ex;
        }
    }

    @Override
    public void close() throws IOException
    {
        for (final SelectionKey key : selector.keys())
        {
            key.channel().close();
        }
        selector.close();
    }
}
