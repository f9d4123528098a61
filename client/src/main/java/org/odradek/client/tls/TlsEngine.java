// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;

/**
 * Converts bytes of the network to bytes of the application and back, without I/O, in direct buffers. After a method
 * has thrown an exception, only {@link #takeOutput} and {@link #free()} may be called.
 */
interface TlsEngine
{
    /** The maximum number of plaintext bytes in one record. */
    int MAX_PLAINTEXT = 1 << 14;

    /**
     * Checks the received bytes of the handshake from index {@code from} on, before {@link #handshake} reads them.
     *
     * @throws SSLException if the broker has signed with a disabled algorithm.
     */
    default void inspect(final ByteBuffer input, final int from) throws SSLException
    {
    }

    /**
     * Continues the handshake, and adds the bytes that must be sent to {@code output}.
     *
     * @param input  received bytes, from the position to the limit; the engine advances the position.
     * @param output buffer with room for at least 18 KiB.
     * @return true if the handshake is complete on the client's side.
     * @throws SSLException if the handshake has failed.
     * @throws IOException  if the handshake has failed, but the next connection will use another TLS implementation.
     */
    boolean handshake(ByteBuffer input, ByteBuffer output) throws IOException;

    /**
     * Decrypts records until {@code input} contains no whole record or {@code destination} is full, and advances both
     * positions. Bytes are delivered only after their record has been authenticated.
     */
    void decrypt(ByteBuffer input, ByteBuffer destination) throws SSLException;

    boolean isTls13();

    /** Returns true if the peer has sent close_notify, and everything before it was decrypted. */
    boolean isClosedByPeer();

    /**
     * Returns true if the peer has requested a certificate of the client in the handshake or, with an SSLContext of the
     * user, if a certificate was sent to the peer.
     */
    boolean isCertificateRequested();

    /**
     * Adds the bytes that the protocol itself must send to {@code output}, and then one encrypted record.
     *
     * @param source plaintext, from the position to the limit; the position does not change.
     * @param output buffer with room for at least 32 KiB.
     * @return the number of plaintext bytes in the record, at least 1 if {@code source} is not empty.
     * @throws SSLException if no record can be sent any more.
     */
    int encrypt(ByteBuffer source, ByteBuffer output) throws SSLException;

    /**
     * Adds the bytes that the protocol itself must send to {@code output}, such as an alert.
     *
     * @param isClosing true to add a close_notify at the end.
     */
    void takeOutput(ByteBuffer output, boolean isClosing);

    /** Frees native memory; a second call does nothing. */
    void free();
}
