// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.nio.ByteBuffer;

/**
 * What a {@link ScriptedPeer} does about one request: which bytes it sends, how, and what comes after.
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
    private int pieceLength = Pieces.WHOLE;
    private long delayMs;
    private End end = End.STAY;

    private Answer(final byte[] bytes, final boolean hasSize, final boolean hasCorrelationId)
    {
        this.bytes = bytes;
        this.hasSize = hasSize;
        this.hasCorrelationId = hasCorrelationId;
    }

    /**
     * @param body of a response, all that follows the correlation id; size and correlation id are put in front.
     * @return the answer.
     */
    public static Answer reply(final byte[] body)
    {
        return new Answer(body, true, true);
    }

    /**
     * @param payload of a frame, correlation id included; only the size is put in front.
     * @return the answer.
     */
    public static Answer frame(final byte[] payload)
    {
        return new Answer(payload, true, false);
    }

    /**
     * @param bytes sent as they are, be they a frame or not.
     * @return the answer.
     */
    public static Answer raw(final byte[] bytes)
    {
        return new Answer(bytes, false, false);
    }

    /**
     * @return an answer that never comes: the connection stays open and goes on to the next request.
     */
    public static Answer never()
    {
        return raw(NO_BYTES);
    }

    /**
     * @return the end of the connection (FIN) instead of an answer.
     */
    public static Answer close()
    {
        return never().thenClose();
    }

    /**
     * @return the reset of the connection (RST) instead of an answer.
     */
    public static Answer reset()
    {
        return never().thenReset();
    }

    /**
     * @param length of the pieces in which the bytes are written, with short pauses between.
     * @return this.
     */
    public Answer inPieces(final int length)
    {
        if (length < 1)
        {
            throw new IllegalArgumentException("A piece has at least one byte, not " + length + ".");
        }
        pieceLength = length;
        return this;
    }

    /**
     * @param newDelayMs milliseconds to wait before the first byte. As with a broker, later requests of the same
     *                   connection wait as well.
     * @return this.
     */
    public Answer afterMs(final long newDelayMs)
    {
        delayMs = newDelayMs;
        return this;
    }

    /**
     * Ends the connection (FIN) after the last byte.
     *
     * @return this.
     */
    public Answer thenClose()
    {
        end = End.CLOSE;
        return this;
    }

    /**
     * Resets the connection (RST) after the last byte; bytes that the kernel has not sent by then are lost.
     *
     * @return this.
     */
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

    long delayMs()
    {
        return delayMs;
    }

    End end()
    {
        return end;
    }
}
