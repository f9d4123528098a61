// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A non-blocking TCP socket, opened by a {@link Poller} and used by the thread that owns the poller. No call waits.
 * After a call that throws, {@link #close()} is the only one that is allowed.
 */
public interface PolledSocket extends AutoCloseable
{
    /** Returned by receive and send if nothing could be received or sent now. */
    int NOTHING = 0;
    /** Returned by receive if the peer has closed its side. */
    int END_OF_STREAM = -1;

    /**
     * Begins to connect, once. Until {@link #finishConnect()} returns true the socket becomes ready when the outcome is
     * known.
     *
     * @return true if it is connected at once.
     * @throws IOException if the address is not resolved, or the system has no socket or no route to the address.
     */
    boolean connect(InetSocketAddress address) throws IOException;

    /**
     * @return false while the outcome is not known.
     * @throws IOException if it failed, a {@link java.net.ConnectException} if the peer refused.
     */
    boolean finishConnect() throws IOException;

    /**
     * Reads into a direct buffer, from its position to its limit, and advances the position. With a full buffer it
     * returns {@link #NOTHING} without a system call, and leaves the ready flag as it is.
     *
     * @return the bytes read, {@link #NOTHING} or {@link #END_OF_STREAM}.
     * @throws IOException when the peer has reset the connection.
     */
    int receive(ByteBuffer buffer) throws IOException;

    /** Sends from a direct buffer, as {@link #receive} reads; {@link #NOTHING} if the system has no room. */
    int send(ByteBuffer buffer) throws IOException;

    /**
     * Ends what is sent (a half-close): the peer reads what was sent before, then that nothing follows. What the peer
     * sends is still received. A transport that cannot do this ignores it.
     *
     * @throws IOException if the connection is broken.
     */
    default void shutdownOutput() throws IOException
    {
    }

    /**
     * Determines whether bytes to read make the socket ready; off at first. While it is off, neither unread bytes nor a
     * closed peer end a wait of {@link Poller#await(long)}.
     */
    void readInterest(boolean on);

    /** Determines whether room to write makes the socket ready; off at first, and on only while a send is pending. */
    void writeInterest(boolean on);

    /**
     * Sets how many unread bytes make the socket ready (SO_RCVLOWAT); 1 at first. The system acknowledges up to that
     * many bytes before they are read; otherwise the peer stops when its send buffer is full of unacknowledged bytes. A
     * transport without this option, such as NIO, ignores it. So does epoll if the round trip of the connect took 1 ms
     * or more: the system makes the receive window as large as what is read in a round trip.
     *
     * @param length in bytes, at least 1.
     */
    default void receiveLowWaterMark(final int length)
    {
    }

    /** The ready flag: set by {@link Poller#await(long)}, cleared by a receive or send that found nothing. */
    boolean isReady();

    /** Clears the ready flag. */
    void clearReady();

    /** Returns the length of the system's receive buffer in bytes; 0 before connect and after close. May allocate. */
    int receiveBufferLength();

    /**
     * Closes without waiting for unsent bytes; a second call does nothing. Any thread may call this. If it is not the
     * owner of the poller, the socket is closed in the owner's next {@link Poller#await(long)}, or in
     * {@link Poller#close()}.
     */
    @Override
    void close();
}
