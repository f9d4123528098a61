// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;

/**
 * The TLS state of one connection: it turns bytes of the network into bytes of the application and back, and does no
 * I/O. All buffers are direct. After a call that throws, only {@link #takeOutput} and {@link #free()} are allowed.
 */
interface TlsEngine
{
    /** The most plaintext bytes that one record holds. */
    int MAX_PLAINTEXT = 1 << 14;

    /**
     * Checks bytes of the handshake that were just received, which {@link #handshake} has not taken yet.
     *
     * @param from index in the input of the first of them.
     * @throws SSLException if the broker has signed with an algorithm that is disabled.
     */
    default void inspect(final ByteBuffer input, final int from) throws SSLException
    {
    }

    /**
     * Continues the handshake, and adds what has to be sent to {@code output}.
     *
     * @param input  received bytes, from its position to its limit; the engine advances the position.
     * @param output with room for at least 18 KiB.
     * @return true once the handshake is complete on our side.
     * @throws SSLException if it failed.
     * @throws IOException  if it failed, and the next connection is tried in another way.
     */
    boolean handshake(ByteBuffer input, ByteBuffer output) throws IOException;

    /**
     * Decrypts until {@code input} holds no whole record or {@code destination} is full, and advances both. Bytes are
     * delivered only after their record has been authenticated.
     *
     * @throws SSLException if a record is not what the peer has sent, or the peer sent an error alert.
     */
    void decrypt(ByteBuffer input, ByteBuffer destination) throws SSLException;

    /** Returns true if TLS 1.3 was negotiated; only after the handshake. */
    boolean isTls13();

    /** Returns true if the peer has announced that it sends no more (close_notify). */
    boolean isClosedByPeer();

    /** Returns true if the peer has requested a certificate of ours in the handshake. */
    boolean isCertificateRequested();

    /**
     * Encrypts one record, after what the protocol itself has to send.
     *
     * @param source of which the position does not change.
     * @param output with room for at least 32 KiB.
     * @return plaintext bytes in the record, at least 1 if there were any.
     */
    int encrypt(ByteBuffer source, ByteBuffer output) throws SSLException;

    /**
     * Adds what the protocol itself has to send, such as an alert.
     *
     * @param isClosing true to end with a close_notify.
     */
    void takeOutput(ByteBuffer output, boolean isClosing);

    /** Frees native memory; a second call does nothing. */
    void free();
}
