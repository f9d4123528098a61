// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.support.MemorySocket;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Sockets without a system: each request is answered on the same thread, while it is sent, whatever the address is.
 */
public final class MemoryPoller implements Poller
{
    private static final int MAX_REQUEST_LENGTH = 1 << 20;

    /** The broker at every address. */
    @FunctionalInterface
    public interface Script
    {
        /**
         * @param request from the API key on.
         * @return the response frame, with its size.
         */
        ByteBuffer answer(short apiKey, short version, int correlationId, ByteBuffer request);
    }

    private final class Socket extends MemorySocket
    {
        private final ByteBuffer request = ByteBuffer.allocate(MAX_REQUEST_LENGTH);
        private ByteBuffer response = ByteBuffer.allocate(0);
        private boolean isReady;

        @Override
        public int receive(final ByteBuffer buffer)
        {
            final int length = Math.min(buffer.remaining(), response.remaining());
            buffer.put(response.slice(response.position(), length));
            response.position(response.position() + length);
            isReady &= response.hasRemaining();
            return length;
        }

        @Override
        public int send(final ByteBuffer buffer)
        {
            final int length = buffer.remaining();
            request.put(buffer);
            if (request.position() >= Integer.BYTES && request.position() == Integer.BYTES + request.getInt(0))
            {
                final ByteBuffer frame = request.flip().position(Integer.BYTES).slice();
                final ByteBuffer next = script.answer(frame.getShort(0), frame.getShort(2), frame.getInt(4), frame);
                response = response.hasRemaining() ?
                    ByteBuffer.allocate(response.remaining() + next.remaining()).put(response).put(next).flip() : next;
                request.clear();
                requests++;
            }
            return length;
        }

        @Override
        public boolean isReady()
        {
            return isReady;
        }

        @Override
        public void clearReady()
        {
            isReady = false;
        }

        @Override
        public void close()
        {
            sockets.remove(this);
        }
    }

    private final Script script;
    private final List<Socket> sockets = new ArrayList<>();
    public int requests;
    /** What the sockets of this poller have allocated. */
    public long ownBytes;

    public MemoryPoller(final Script script)
    {
        this.script = script;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        final Socket socket = new Socket();
        ownBytes += MAX_REQUEST_LENGTH;
        sockets.add(socket);
        return socket;
    }

    @Override
    public int await(final long timeoutNs)
    {
        int ready = 0;
        for (final Socket socket : sockets)
        {
            socket.isReady |= socket.response.hasRemaining();
            ready += socket.isReady ? 1 : 0;
        }
        return ready;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "memory";
    }

    @Override
    public void close()
    {
        sockets.clear();
    }
}
