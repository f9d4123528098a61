// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A non-blocking TCP socket, opened by a {@link Poller} and used by the thread that owns it. No call waits.
 * A call that throws leaves a socket whose only use is {@link #close()}.
 */
public interface PolledSocket extends AutoCloseable
{
    /** Nothing there now: from receive and send. */
    int NOTHING = 0;
    /** The peer has closed its side: from receive. */
    int END_OF_STREAM = -1;

    /**
     * Makes the system's socket and begins to connect it, once; until {@link #finishConnect()} is true the socket
     * becomes ready when the outcome is known.
     *
     * @return true if connected at once.
     * @throws IOException if the address is not resolved, or the system has no socket or no way to the address.
     */
    boolean connect(InetSocketAddress address) throws IOException;

    /**
     * @return false while the outcome is not known.
     * @throws IOException if it failed, a {@link java.net.ConnectException} if the peer refused.
     */
    boolean finishConnect() throws IOException;

    /**
     * Reads into a direct buffer, from its position to its limit, and moves the position. A full buffer gives
     * {@link #NOTHING} without a look at the socket, and does not clear the mark.
     *
     * @return the bytes read, {@link #NOTHING} or {@link #END_OF_STREAM}.
     * @throws IOException when the peer has reset the connection.
     */
    int receive(ByteBuffer buffer) throws IOException;

    /** As {@link #receive(ByteBuffer)}, in the other direction; {@link #NOTHING} if the system has no room. */
    int send(ByteBuffer buffer) throws IOException;

    /**
     * Whether bytes to read make the socket ready; off at first. While it is off, neither unread bytes nor a closed
     * peer keep {@link Poller#await(long)} from waiting.
     */
    void readInterest(boolean on);

    /** Whether room to write makes the socket ready; off at first, and to be on only while a send is pending. */
    void writeInterest(boolean on);

    /**
     * How many unread bytes make the socket ready (SO_RCVLOWAT); 1 at first. What arrives below the mark is
     * acknowledged to the peer at once, although nobody reads it, where otherwise the peer stops when its send buffer
     * is full of what is not acknowledged. A hint: a system that has no such mark leaves it at 1.
     *
     * @param length in bytes, at least 1.
     */
    default void receiveLowWaterMark(final int length)
    {
    }

    /** Marked by {@link Poller#await(long)}; cleared by a receive or send that found nothing, and by clearReady. */
    boolean isReady();

    void clearReady();

    /** What the system gave as receive buffer, in bytes; 0 before connect and after close. May allocate. */
    int receiveBufferLength();

    /** Closes without waiting for unsent bytes; a second call does nothing. */
    @Override
    void close();
}
