// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Represents a non-blocking TCP socket, which a {@link Poller} opens. Only the thread that owns the poller uses the
 * socket, except for {@link #close()}. No method waits. After a method has thrown an exception, only {@link #close()}
 * may be called.
 */
public interface PolledSocket extends AutoCloseable
{
    /** Receive and send return this value if no byte could be received or sent now. */
    int NOTHING = 0;
    /** Receive returns this value if the peer has closed its side of the connection. */
    int END_OF_STREAM = -1;

    /**
     * Begins to connect; a socket connects only once. The socket becomes ready when the connection is established or
     * has failed; {@link #finishConnect()} then returns true or throws an exception.
     *
     * @return true if the socket is connected already.
     * @throws IOException           if the address is not resolved, the system cannot create a socket, or the system
     *                               has no route to the address.
     * @throws IllegalStateException if this method was called before.
     */
    boolean connect(InetSocketAddress address) throws IOException;

    /**
     * Finishes connecting, after {@link #connect} has returned false.
     *
     * @return true if the socket is connected, false while connecting has not ended.
     * @throws IOException if connecting failed: a {@link java.net.ConnectException} if the peer refused the connection.
     */
    boolean finishConnect() throws IOException;

    /**
     * Reads bytes into a direct buffer, from its position to its limit, and advances the position. If the buffer has no
     * room, the method returns {@link #NOTHING} without a system call and does not change the ready flag.
     *
     * @return the number of bytes read, {@link #NOTHING} or {@link #END_OF_STREAM}.
     * @throws IOException if the connection is broken, for example because the peer has reset it.
     */
    int receive(ByteBuffer buffer) throws IOException;

    /**
     * Sends bytes of a direct buffer, from its position to its limit, and advances the position by the bytes that were
     * sent.
     *
     * @return the number of bytes sent; {@link #NOTHING} if the send buffer of the system is full or the buffer is
     *         empty.
     * @throws IOException if the connection is broken.
     */
    int send(ByteBuffer buffer) throws IOException;

    /**
     * Closes the sending side of the connection (a half-close): the peer reads what was sent before, and then the end
     * of the stream. Bytes of the peer can still be received. A transport without half-close ignores the call.
     *
     * @throws IOException if the connection is broken.
     */
    default void shutdownOutput() throws IOException
    {
    }

    /**
     * Sets whether unread bytes make the socket ready. Read interest is off at first; a TLS handshake turns it on.
     * While read interest is off, neither unread bytes nor a peer that closes the connection end a wait of {@link
     * Poller#await(long)}.
     */
    void readInterest(boolean on);

    /**
     * Sets whether free space in the system's send buffer makes the socket ready. Write interest is off at first; a
     * user turns it on only while bytes are left to send.
     */
    void writeInterest(boolean on);

    /**
     * Sets how many unread bytes make the socket ready (SO_RCVLOWAT); the number is 1 at first. A transport may ignore
     * the call.
     *
     * @param length number of bytes, at least 1.
     */
    default void receiveLowWaterMark(final int length)
    {
    }

    /**
     * Returns the ready flag, which {@link Poller#await(long)} sets, and which a receive or send clears if the system
     * has no bytes or no free space. A socket with TLS is also ready if the last receive has filled its buffer and
     * undecrypted bytes are left.
     */
    boolean isReady();

    /** Clears the ready flag. */
    void clearReady();

    /**
     * Returns the length of the system's receive buffer in bytes, or 0 before connect and after close. The call may
     * allocate.
     */
    int receiveBufferLength();

    /**
     * Closes the socket without waiting for unsent bytes; a second call does nothing. Any thread may call this method
     * while no other thread is in a method of the socket. If another thread than the poller's owner calls this method,
     * the owner's next {@link Poller#await(long)} or {@link Poller#close()} closes the socket.
     */
    @Override
    void close();
}
