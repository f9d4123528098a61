// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.odradek.testkit.internal.Sockets;

import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;

/**
 * The answer of a {@link ScriptedPeer} to one request: which bytes it sends, how, and whether the connection ends.
 * <pre>{@code
 * Answer.reply(body).inPieces(7)
 * Answer.raw(halfAFrame).afterMs(50).thenReset()
 * }</pre>
 */
public final class Answer
{
    enum End
    {
        STAY, CLOSE, RESET
    }

    private static final byte[] NO_BYTES = new byte[0];

    private final byte[] bytes;
    private final boolean hasCorrelationId;
    private final boolean hasSize;
    private int pieceLength = Sockets.WHOLE;
    private Semaphore permits;
    private long delayMs;
    private End end = End.STAY;

    private Answer(final byte[] bytes, final boolean hasSize, final boolean hasCorrelationId)
    {
        this.bytes = bytes;
        this.hasSize = hasSize;
        this.hasCorrelationId = hasCorrelationId;
    }

    /**
     * @param body all bytes of a response after the correlation id; size and correlation id are added.
     * @return a response.
     */
    public static Answer reply(final byte[] body)
    {
        return new Answer(body, true, true);
    }

    /**
     * @param payload of a frame, including the correlation id; only the size is added.
     * @return a frame.
     */
    public static Answer frame(final byte[] payload)
    {
        return new Answer(payload, true, false);
    }

    /**
     * @param bytes that are sent unchanged, whether they are a frame or not.
     * @return an answer.
     */
    public static Answer raw(final byte[] bytes)
    {
        return new Answer(bytes, false, false);
    }

    /** Returns an answer that is never sent: the connection stays open and serves the next request. */
    public static Answer never()
    {
        return raw(NO_BYTES);
    }

    /** Returns an answer that closes the connection (FIN) and sends nothing. */
    public static Answer close()
    {
        return never().thenClose();
    }

    /** Returns an answer that resets the connection (RST) and sends nothing. */
    public static Answer reset()
    {
        return never().thenReset();
    }

    /** Writes the bytes in pieces of this length, with short pauses between them. */
    public Answer inPieces(final int length)
    {
        if (length < 1)
        {
            throw new IllegalArgumentException("A piece has at least one byte, not " + length + ".");
        }
        pieceLength = length;
        return this;
    }

    /** Writes the bytes in pieces of this length, each when there is a permit for it. */
    public Answer inPieces(final int length, final Semaphore newPermits)
    {
        permits = newPermits;
        return inPieces(length);
    }

    /** Waits before the first byte is sent. Like at a broker, later requests of the same connection wait as well. */
    public Answer afterMs(final long newDelayMs)
    {
        delayMs = newDelayMs;
        return this;
    }

    /** Closes the connection (FIN) after the last byte. */
    public Answer thenClose()
    {
        end = End.CLOSE;
        return this;
    }

    /** Resets the connection (RST) after the last byte; bytes that the kernel has not sent by then are lost. */
    public Answer thenReset()
    {
        end = End.RESET;
        return this;
    }

    byte[] toBytes(final int correlationId)
    {
        final int payloadLength = bytes.length + (hasCorrelationId ? Integer.BYTES : 0);
        final ByteBuffer buffer = ByteBuffer.allocate(payloadLength + (hasSize ? Integer.BYTES : 0));
        if (hasSize)
        {
            buffer.putInt(payloadLength);
        }
        if (hasCorrelationId)
        {
            buffer.putInt(correlationId);
        }
        return buffer.put(bytes).array();
    }

    int pieceLength()
    {
        return pieceLength;
    }

    /** Returns null if pieces need no permit. */
    Semaphore permits()
    {
        return permits;
    }

    long delayMs()
    {
        return delayMs;
    }

    End end()
    {
        return end;
    }
}
