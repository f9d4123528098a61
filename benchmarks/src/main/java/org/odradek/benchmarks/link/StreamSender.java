// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.agrona.CloseHelper;
import org.odradek.testkit.internal.JvmExit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/** Sends bytes of a file without an end to whoever connects, the way a broker sends a log: the kernel reads it. */
public final class StreamSender implements AutoCloseable
{
    private static final int FILE_LENGTH = 8 << 20;

    private final ServerSocketChannel listener;
    private final FileChannel file;
    private final int sendBuffer;

    /** @param sendBuffer bytes of the socket's buffer; -1 leaves it to the kernel. */
    public StreamSender(final String host, final int sendBuffer) throws IOException
    {
        this.sendBuffer = sendBuffer;
        // Nameless once it is open, so that it never stays.
        file = FileChannel.open(Files.createTempFile("odradek-stream-", ""), StandardOpenOption.READ,
            StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        file.write(ByteBuffer.allocate(FILE_LENGTH));
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
        JvmExit.daemon("stream-sender", this::accept);
    }

    public int port()
    {
        return listener.socket().getLocalPort();
    }

    private void accept()
    {
        while (listener.isOpen())
        {
            try
            {
                final SocketChannel socket = listener.accept();
                JvmExit.daemon("stream", () -> send(socket));
            }
            catch (final IOException ex)
            {
                // It was closed, or the client is gone: the loop checks which.
                continue;
            }
        }
    }

    private void send(final SocketChannel socket)
    {
        try (socket)
        {
            if (sendBuffer >= 0)
            {
                socket.setOption(StandardSocketOptions.SO_SNDBUF, sendBuffer);
            }
            for (long index = 0; listener.isOpen(); index %= FILE_LENGTH)
            {
                index += file.transferTo(index, FILE_LENGTH - index, socket);
            }
        }
        catch (final IOException ex)
        {
            // The client has closed its connection, or this sender is closed.
            assert !socket.isOpen() : ex;
        }
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(listener, file);
    }
}
