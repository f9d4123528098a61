// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One socket with its one receive buffer: connects, sends a frame in as many pieces as the kernel takes, receives a
 * frame in as many as it gives. Knows bytes and frame sizes, and nothing of what they mean. Used for one socket after
 * another.
 */
final class Connection
{
    private boolean isParked;
    private boolean isMarkRaised;
    private PolledSocket socket;
    private ByteBuffer unsent;
    private final ReceiveBuffer receiveBuffer;

    Connection(final ReceiveBuffer receiveBuffer)
    {
        this.receiveBuffer = receiveBuffer;
    }

    /**
     * Begin to connect a new socket.
     *
     * @return true if it is connected at once.
     */
    boolean connect(final PolledSocket newSocket, final InetSocketAddress address) throws IOException
    {
        socket = newSocket;
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

    /**
     * Begin to send a frame, which must not change until {@link #isSending()} is false. If a large one that was
     * received is still held, the peer shall not be held up by it: as much as that is acknowledged before it is read.
     */
    int send(final ByteBuffer frame) throws IOException
    {
        if (receiveBuffer.isLargeFrame())
        {
            isMarkRaised = true;
            socket.receiveLowWaterMark(receiveBuffer.received());
        }
        unsent = frame;
        return flush();
    }

    int flush() throws IOException
    {
        final int bytes = socket.send(unsent);
        final boolean isSent = !unsent.hasRemaining();
        socket.writeInterest(!isSent);
        if (isSent)
        {
            unsent = null;
        }
        return bytes;
    }

    boolean isSending()
    {
        return unsent != null;
    }

    /**
     * Receive what is there, up to the end of a frame; of a small one whose end is not there yet, what came first.
     *
     * @return bytes received, or {@link PolledSocket#END_OF_STREAM}.
     */
    int receive() throws IOException
    {
        int total = 0;
        while (!hasFrame())
        {
            final int bytes = receiveBuffer.receive(socket);
            if (bytes <= 0)
            {
                return bytes < 0 ? bytes : total;
            }
            total += bytes;
            if (receiveBuffer.isRestAwaited())
            {
                break;
            }
        }
        // What comes behind this, the next wait finds: a look before it would mostly be a system call in vain.
        socket.clearReady();
        return total;
    }

    /**
     * A whole frame is there, or as much as fits of one that is larger than the cap.
     */
    boolean hasFrame()
    {
        return receiveBuffer.isComplete() || receiveBuffer.isOversized();
    }

    ReceiveBuffer receiveBuffer()
    {
        return receiveBuffer;
    }

    /**
     * The poller has found something to do.
     */
    boolean isMarked()
    {
        return socket.isReady();
    }

    /**
     * The frame will be held: what arrives behind it must not keep the poller from waiting.
     */
    void park()
    {
        if (!isParked)
        {
            isParked = true;
            socket.readInterest(false);
        }
    }

    void release()
    {
        receiveBuffer.release();
        if (isMarkRaised)
        {
            isMarkRaised = false;
            socket.receiveLowWaterMark(1);
        }
        if (isParked)
        {
            isParked = false;
            socket.readInterest(true);
        }
    }

    void close()
    {
        if (socket != null)
        {
            socket.close();
            socket = null;
        }
        unsent = null;
        isParked = false;
        isMarkRaised = false;
        receiveBuffer.release();
    }

    void free()
    {
        close();
        receiveBuffer.free();
    }
}
