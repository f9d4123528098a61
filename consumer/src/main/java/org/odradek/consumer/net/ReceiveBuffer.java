// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.record.RecordMemory;

import java.io.IOException;
import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Direct memory that holds one frame at a time, from index 0: an int32 size, then as many bytes. Because at most one
 * request is outstanding on a connection, nothing follows a frame before it has been released, and nothing is ever
 * moved. A frame larger than the memory makes it grow up to a cap; of one beyond the cap the first part is kept, so
 * that it can be said what did not fit.
 */
final class ReceiveBuffer
{
    static final int SIZE_LENGTH = Integer.BYTES;

    private static final int HTTP = 0x48545450;
    private static final int TLS_ALERT = 0x1503;
    private static final int TLS_HANDSHAKE = 0x1603;
    private static final int UNKNOWN = -1;
    private static final int MIN_FRAME_SIZE = Integer.BYTES;
    /**
     * A grown buffer is a multiple of this, so that frames of nearly one size do not make it grow each time.
     */
    private static final int GROWTH_STEP = 1 << 16;
    private static final int SMALL_FRAME_LENGTH = 1 << 16;

    private final int maxLength;
    private int received;
    private int frameLimit = UNKNOWN;
    private boolean isOversized;
    private RecordMemory memory;
    private final MemoryBudget budget;

    ReceiveBuffer(final MemoryBudget budget, final int length, final int maxLength)
    {
        this.budget = budget;
        this.maxLength = Math.max(length, maxLength);
        memory = budget.allocateRecords(length);
    }

    /**
     * Read what is there.
     *
     * @return bytes read, 0 if none was there, or {@link PolledSocket#END_OF_STREAM}.
     * @throws IOException         if the connection is broken.
     * @throws WireFormatException if the size is none, or more arrived than was asked for.
     */
    int receive(final PolledSocket socket) throws IOException
    {
        final ByteBuffer byteBuffer = memory.byteBuffer();
        final int end = frameLimit == UNKNOWN ? byteBuffer.capacity() : Math.min(frameLimit, byteBuffer.capacity());
        byteBuffer.limit(end).position(received);
        final int bytes = socket.receive(byteBuffer);
        if (bytes > 0)
        {
            received += bytes;
            if (frameLimit == UNKNOWN && received >= SIZE_LENGTH)
            {
                onSize(memory.buffer().getInt(0, BIG_ENDIAN));
            }
        }
        return bytes;
    }

    /**
     * The last read took all that was there, and what is missing of the frame is not worth another look: a broker sends
     * a small answer in up to three parts, between which a reader that was woken by the first goes to sleep again. Of a
     * large one the next part is mostly there by now.
     */
    boolean isRestAwaited()
    {
        return memory.byteBuffer().hasRemaining() && frameLimit < SMALL_FRAME_LENGTH;
    }

    /**
     * A whole frame is there, and it is one of those of which the next is likely to be as large.
     */
    boolean isLargeFrame()
    {
        return isComplete() && received >= SMALL_FRAME_LENGTH;
    }

    private void onSize(final int size)
    {
        if (size < MIN_FRAME_SIZE)
        {
            throw new WireFormatException(
                "frame size " + size + " where at least " + MIN_FRAME_SIZE + " was expected");
        }
        if (size > maxLength - SIZE_LENGTH)
        {
            checkForeign(size);
            isOversized = true;
            frameLimit = Integer.MAX_VALUE;
            return;
        }
        frameLimit = SIZE_LENGTH + size;
        if (received > frameLimit)
        {
            throw new WireFormatException(
                (received - frameLimit) + " bytes behind a response that nothing had asked for");
        }
        if (frameLimit > memory.capacity())
        {
            grow();
        }
    }

    /**
     * What a peer that does not speak Kafka's protocol sends first, read as a size, is beyond any cap that is usual.
     */
    private static void checkForeign(final int size)
    {
        final int high = size >>> 16;
        if (high == TLS_ALERT || high == TLS_HANDSHAKE)
        {
            throw new WireFormatException("frame size " + size + ": this begins a TLS record, the port expects TLS");
        }
        if (isText(size))
        {
            final String text = new String(ByteBuffer.allocate(SIZE_LENGTH).putInt(size).array(), US_ASCII);
            throw new WireFormatException("frame size " + size + ": these are the letters " + text +
                (size == HTTP ? ", the port belongs to a web server" : ", the port belongs to another protocol"));
        }
    }

    private static boolean isText(final int size)
    {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE)
        {
            final int letter = size >>> shift & 0xFF;
            if (letter < ' ' || letter > '~')
            {
                return false;
            }
        }
        return true;
    }

    /**
     * @throws WireFormatException if only the first part is there.
     */
    void checkWhole()
    {
        if (isOversized())
        {
            throw new WireFormatException("a frame of " + memory.buffer().getInt(0, BIG_ENDIAN) + " bytes where at " +
                "most " + (maxLength - SIZE_LENGTH) + " are taken (receiveBufferMaxLength)");
        }
    }

    private void grow()
    {
        final int length = (int)Math.min(maxLength, (frameLimit + GROWTH_STEP - 1L) / GROWTH_STEP * GROWTH_STEP);
        final RecordMemory grown = budget.allocateRecords(length);
        grown.buffer().putBytes(0, memory.buffer(), 0, received);
        free();
        memory = grown;
    }

    boolean isComplete()
    {
        return received == frameLimit;
    }

    /**
     * The frame is larger than the cap, and the memory is full of its first part.
     */
    boolean isOversized()
    {
        return isOversized && received == memory.capacity();
    }

    RecordMemory memory()
    {
        return memory;
    }

    int received()
    {
        return received;
    }

    /**
     * The frame has been read; the next one may be received.
     */
    void release()
    {
        received = 0;
        frameLimit = UNKNOWN;
        isOversized = false;
    }

    void free()
    {
        budget.give(memory.capacity());
        memory.free();
    }
}
