// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * One direction of a connection: bytes on their way, in pieces with the times at which they arrive, and bytes that have
 * arrived and were not read. Indexes: {@code begin <= arrived <= end}.
 */
final class ByteFlow
{
    private static final int INITIAL_LENGTH = 1024;

    private byte[] bytes = new byte[INITIAL_LENGTH];
    private int begin;
    private int arrived;
    private int end;
    private long[] pieceTimes = new long[8];
    private int[] pieceLengths = new int[8];
    private int firstPiece;
    private int pieceCount;

    /** Appends bytes; {@link #addPiece} then says when they arrive. */
    void write(final ByteBuffer source, final int length)
    {
        if (end + length > bytes.length)
        {
            final byte[] target = end - begin + length > bytes.length ?
                new byte[Math.max(2 * bytes.length, end - begin + length)] : bytes;
            System.arraycopy(bytes, begin, target, 0, end - begin);
            bytes = target;
            arrived -= begin;
            end -= begin;
            begin = 0;
        }
        source.get(bytes, end, length);
        end += length;
    }

    void addPiece(final long timeNs, final int length)
    {
        if (firstPiece + pieceCount == pieceTimes.length)
        {
            final int capacity = 2 * pieceCount >= pieceTimes.length ? 2 * pieceTimes.length : pieceTimes.length;
            pieceTimes = Arrays.copyOf(Arrays.copyOfRange(pieceTimes, firstPiece, pieceTimes.length), capacity);
            pieceLengths = Arrays.copyOf(Arrays.copyOfRange(pieceLengths, firstPiece, pieceLengths.length), capacity);
            firstPiece = 0;
        }
        pieceTimes[firstPiece + pieceCount] = timeNs;
        pieceLengths[firstPiece + pieceCount] = length;
        pieceCount++;
    }

    /** Returns when the last byte written arrives, or 0 if all have arrived. */
    long lastPieceNs()
    {
        return pieceCount == 0 ? 0 : pieceTimes[firstPiece + pieceCount - 1];
    }

    /** Returns when the next piece arrives, or {@link Long#MAX_VALUE} if there is none. */
    long nextPieceNs()
    {
        return pieceCount == 0 ? Long.MAX_VALUE : pieceTimes[firstPiece];
    }

    /**
     * Lets the next piece arrive.
     *
     * @param limit the most bytes of it.
     * @return bytes that arrived.
     */
    int arrive(final int limit)
    {
        final int length = Math.min(limit, pieceLengths[firstPiece]);
        arrived += length;
        pieceLengths[firstPiece] -= length;
        if (pieceLengths[firstPiece] == 0)
        {
            pieceCount--;
            firstPiece = pieceCount == 0 ? 0 : firstPiece + 1;
        }
        return length;
    }

    /** Drops what has not arrived. */
    void cut()
    {
        end = arrived;
        firstPiece = 0;
        pieceCount = 0;
    }

    int available()
    {
        return arrived - begin;
    }

    int onTheWay()
    {
        return end - arrived;
    }

    /** Moves bytes that have arrived to a buffer. */
    int read(final ByteBuffer target)
    {
        final int length = Math.min(available(), target.remaining());
        target.put(bytes, begin, length);
        skip(length);
        return length;
    }

    /** Returns the length of the next frame, without its length field, or -1 if the frame is not whole. */
    int frameLength()
    {
        if (available() < Integer.BYTES)
        {
            return -1;
        }
        final int length = ByteBuffer.wrap(bytes, begin, Integer.BYTES).getInt();
        return available() - Integer.BYTES >= length ? length : -1;
    }

    /** Returns a copy of the frame, and removes it; the receiver may keep it. */
    ByteBuffer takeFrame(final int length)
    {
        final int index = begin + Integer.BYTES;
        final ByteBuffer frame = ByteBuffer.wrap(Arrays.copyOfRange(bytes, index, index + length));
        skip(Integer.BYTES + length);
        return frame;
    }

    private void skip(final int length)
    {
        begin += length;
        if (begin == end)
        {
            begin = 0;
            arrived = 0;
            end = 0;
        }
    }
}
