// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.core.MemoryBudget;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.record.RecordMemory;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Receives one frame into direct memory from index 0: an int32 size, then that many bytes. For a frame that is larger
 * than the memory, the memory grows up to a cap. If a frame is larger than the cap, only its first part is kept.
 */
public final class ReceiveBuffer
{
    private static final int SIZE_LENGTH = Integer.BYTES;
    private static final int MIN_FRAME_SIZE = Integer.BYTES;
    private static final int UNKNOWN = -1;
    private static final int GROWTH_STEP = 1 << 16;
    private static final int SMALL_FRAME_LENGTH = 1 << 16;
    private static final int LARGE_READ_LENGTH = 1 << 17;
    private static final int HTTP = 0x48545450;
    private static final int TLS_ALERT = 0x1503;
    private static final int TLS_HANDSHAKE = 0x1603;

    private final int maxLength;
    private int maxSize = Integer.MAX_VALUE;
    private int received;
    private int frameLimit = UNKNOWN;
    private boolean isBeyondCap;
    private boolean isFixed;
    private boolean isFollowed;
    /** Null if the JVM had no direct memory left in {@link #replace}; {@link #memory()} then tries again. */
    private RecordMemory memory;
    private final MemoryBudget budget;
    private final IntFunction<RecordMemory> allocator;

    ReceiveBuffer(final MemoryBudget budget, final int length, final int maxLength)
    {
        this(budget, budget::allocateRecords, length, maxLength);
    }

    ReceiveBuffer(
        final MemoryBudget budget, final IntFunction<RecordMemory> allocator, final int length, final int maxLength)
    {
        this.budget = budget;
        this.allocator = allocator;
        this.maxLength = Math.max(length, maxLength);
        memory = allocator.apply(length);
    }

    /** Sets the maximum size of a frame in bytes; a larger frame is refused before memory is allocated for it. */
    void maxSize(final int newMaxSize)
    {
        maxSize = newMaxSize;
    }

    /**
     * Sets whether the memory must not grow for a larger frame, of which only the first part is then kept. After such a
     * frame the connection must be closed.
     */
    public void keepFirstPart(final boolean isFirstPartEnough)
    {
        isFixed = isFirstPartEnough;
    }

    void isFollowed(final boolean isAnotherExpected)
    {
        isFollowed = isAnotherExpected;
    }

    /** Returns the memory, with position and limit set to the range into which the next bytes may be read. */
    ByteBuffer missing()
    {
        final ByteBuffer byteBuffer = memory().byteBuffer();
        final int limit = frameLimit != UNKNOWN ? frameLimit : isFollowed ? SIZE_LENGTH : Integer.MAX_VALUE;
        final int end = Math.min(limit, byteBuffer.capacity());
        return byteBuffer.limit(end).position(received);
    }

    ByteBuffer dropped()
    {
        return memory().byteBuffer().clear();
    }

    /**
     * @throws WireFormatException if the frame size is out of range, there is no memory for the frame, or more bytes
     *                             arrived than one frame has.
     */
    void onReceived(final int bytes)
    {
        received += bytes;
        if (frameLimit == UNKNOWN && received >= SIZE_LENGTH)
        {
            onSize(size());
        }
        assert isConsistent();
    }

    private int size()
    {
        return memory.buffer().getInt(0, BIG_ENDIAN);
    }

    private void onSize(final int size)
    {
        if (size < MIN_FRAME_SIZE)
        {
            throw new WireFormatException(
                "frame size " + size + " where at least " + MIN_FRAME_SIZE + " was expected");
        }
        if (size > maxSize)
        {
            checkProtocol(size);
            throw new WireFormatException("a frame of " + size + " bytes where at most " + maxSize +
                " are accepted before the connection is ready");
        }
        if (size > (isFixed ? memory.capacity() : Math.max(maxLength, memory.capacity())) - SIZE_LENGTH)
        {
            checkProtocol(size);
            isBeyondCap = true;
            frameLimit = Integer.MAX_VALUE;
            return;
        }
        frameLimit = SIZE_LENGTH + size;
        if (received > frameLimit)
        {
            throw new WireFormatException(
                (received - frameLimit) + " bytes after a response that no request was sent for");
        }
        if (frameLimit > memory.capacity())
        {
            grow(size);
        }
    }

    private void grow(final int size)
    {
        final int length = (int) Math.min(maxLength, (frameLimit + GROWTH_STEP - 1L) / GROWTH_STEP * GROWTH_STEP);
        if (!budget.findRoom(length))
        {
            throw new WireFormatException("a frame of " + size + " bytes, for which no direct memory is left: raise " +
                "-XX:MaxDirectMemorySize (it equals -Xmx unless set) if a batch is so large");
        }
        final RecordMemory grown = allocator.apply(length);
        grown.buffer().putBytes(0, memory.buffer(), 0, received);
        free();
        memory = grown;
    }

    /**
     * Replaces the memory. If the JVM has too little direct memory for {@code length} bytes, the old length is used or,
     * failing that, 64 KiB. No byte of a frame may have arrived.
     */
    void replace(final int length)
    {
        assert received == 0;
        final int before = memory.capacity();
        free();
        memory = null;
        memory = allocate(length, before);
    }

    private RecordMemory allocate(final int length, final int otherwise)
    {
        try
        {
            return allocator.apply(length);
        }
        catch (final OutOfMemoryError ex)
        {
            if (length <= GROWTH_STEP && otherwise >= length)
            {
                throw ex;
            }
            return allocate(otherwise, GROWTH_STEP);
        }
    }

    /**
     * Returns true if the last read left room for missing bytes, and the frame is shorter than 64 KiB or its size is
     * unknown.
     */
    boolean isRestSmall()
    {
        return memory.byteBuffer().hasRemaining() && frameLimit < SMALL_FRAME_LENGTH;
    }

    /**
     * Returns for how many unread bytes to wait: 1 or, for a large frame, more, because each wake-up costs system
     * calls.
     */
    int worthWaitingFor()
    {
        return frameLimit < SMALL_FRAME_LENGTH ? 1 : Math.max(1, Math.min(LARGE_READ_LENGTH,
            Math.min(frameLimit, memory.capacity()) - received));
    }

    boolean isLargeFrame()
    {
        return isComplete() && received >= SMALL_FRAME_LENGTH;
    }

    boolean isComplete()
    {
        return received == frameLimit;
    }

    /** Returns true if the frame is too large for the buffer, and its first part fills the memory. */
    public boolean isOversized()
    {
        return isBeyondCap && received == memory.capacity();
    }

    public void checkWhole()
    {
        if (isOversized())
        {
            throw new WireFormatException("a frame of " + size() + " bytes where at most " + (maxLength - SIZE_LENGTH) +
                " are accepted (TopicConsumer has the setting receiveBufferMaxLength)");
        }
    }

    public RecordMemory memory()
    {
        if (memory == null)
        {
            memory = allocator.apply(GROWTH_STEP);
        }
        return memory;
    }

    public int received()
    {
        return received;
    }

    void release()
    {
        received = 0;
        frameLimit = UNKNOWN;
        isBeyondCap = false;
        assert isConsistent();
    }

    void free()
    {
        if (memory != null)
        {
            budget.release(memory.capacity());
            memory.free();
        }
    }

    private boolean isConsistent()
    {
        // The size of a frame is read as soon as it has arrived.
        return (frameLimit == UNKNOWN ? received >= 0 && received < SIZE_LENGTH : received >= SIZE_LENGTH) &&
            // Only the end of a frame beyond the cap is unknown.
            isBeyondCap == (frameLimit == Integer.MAX_VALUE) &&
            // Nothing that follows a frame is read before it is released.
            (frameLimit == UNKNOWN || received <= frameLimit) &&
            // Any other frame fits into the memory, and nothing is written beyond it.
            (memory == null || received <= memory.capacity() && (isBeyondCap || frameLimit <= memory.capacity()));
    }

    private static void checkProtocol(final int size)
    {
        final int high = size >>> 16;
        if (high == TLS_ALERT || high == TLS_HANDSHAKE)
        {
            throw new WireFormatException("frame size " + size + ": this begins a TLS record, the port expects TLS");
        }
        final String text = new String(ByteBuffer.allocate(Integer.BYTES).putInt(size).array(), US_ASCII);
        if (text.chars().allMatch((letter) -> letter >= ' ' && letter <= '~'))
        {
            throw new WireFormatException("frame size " + size + ": these are the letters " + text +
                (size == HTTP ? ", the port belongs to a web server" : ", the port belongs to another protocol"));
        }
    }
}
