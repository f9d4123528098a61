// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.protocol.WireFormatException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReceiveBufferTest
{
    private static final int LENGTH = 100;
    private static final int MAX_LENGTH = 150_000;

    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = new MemoryBudget(LENGTH,
        (bytes) -> counters.add(ClientCounters.BUDGET_EXCEEDED_BYTES, bytes), () -> Long.MAX_VALUE, (bytes) -> {});
    private final ReceiveBuffer buffer = new ReceiveBuffer(budget, LENGTH, MAX_LENGTH);

    /**
     * Receives the next bytes of a source, as a socket would.
     */
    private int receive(final ByteBuffer source, final int pieceLength)
    {
        final ByteBuffer target = buffer.missing();
        final int length = Math.min(Math.min(pieceLength, source.remaining()), target.remaining());
        for (int i = 0; i < length; i++)
        {
            target.put(source.get());
        }
        buffer.onReceived(length);
        return length;
    }

    /** A frame whose bytes depend on their index. */
    private static ByteBuffer frame(final int size)
    {
        final ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + size).putInt(size);
        for (int i = 0; i < size; i++)
        {
            frame.put((byte) (i * 31 >> 3));
        }
        return frame.flip();
    }

    private void assertHolds(final int size)
    {
        final ByteBuffer expected = frame(size);
        assertTrue(buffer.isComplete());
        assertEquals(expected.limit(), buffer.received());
        for (int i = 0; i < expected.limit(); i++)
        {
            assertEquals(expected.get(i), buffer.memory().buffer().getByte(i), "byte " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 1", "4, 100", "95, 1", "96, 7", "96, 4", "97, 3", "5000, 1", "140000, 4096", "149996, 100000"})
    void shouldReceiveAFrameInAnyPieces(final int size, final int pieceLength)
    {
        for (int round = 0; round < 2; round++)
        {
            final ByteBuffer source = frame(size);
            while (!buffer.isComplete())
            {
                assertTrue(receive(source, pieceLength) > 0);
            }
            assertHolds(size);
            assertEquals(0, source.remaining());
            buffer.release();
            assertEquals(0, buffer.received());
            assertFalse(buffer.isComplete());
        }
        assertEquals(buffer.memory().capacity(), budget.heldBytes());
        assertTrue(size + Integer.BYTES <= LENGTH || buffer.memory().capacity() <= MAX_LENGTH);
        assertTrue(counters.get(ClientCounters.BUDGET_EXCEEDED_BYTES) >= buffer.memory().capacity() - LENGTH);
        buffer.free();
        assertEquals(0, budget.heldBytes());
    }

    @Test
    void shouldKeepTheFirstPartOfAFrameBeyondTheCap()
    {
        final ByteBuffer source = frame(MAX_LENGTH - 3);
        assertEquals(60, receive(source, 60));
        assertFalse(buffer.isOversized());
        assertEquals(40, receive(source, 60));
        assertTrue(buffer.isOversized());
        assertFalse(buffer.isComplete());
        assertEquals(LENGTH, buffer.memory().capacity());
        assertEquals(0, receive(source, 60));

        buffer.release();
        assertFalse(buffer.isOversized());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, Integer.MIN_VALUE})
    void shouldRefuseAnImpossibleSize(final int size)
    {
        final ByteBuffer source = ByteBuffer.allocate(4).putInt(size).flip();
        final String message = assertThrows(WireFormatException.class, () -> receive(source, 4)).getMessage();
        assertTrue(message.contains("frame size " + size + " where at least 4"), message);
    }

    @ParameterizedTest
    @CsvSource({"0x48545450, HTTP", "0x15030300, TLS", "0x16030100, TLS"})
    void shouldNameOtherProtocolsByTheirFirstBytes(final int size, final String name)
    {
        final ByteBuffer source = ByteBuffer.allocate(4).putInt(size).flip();
        final String message = assertThrows(WireFormatException.class, () -> receive(source, 4)).getMessage();
        assertTrue(message.contains(name), message);
    }

    @Test
    void shouldRefuseBytesAfterAFrame()
    {
        final ByteBuffer two = ByteBuffer.allocate(18).put(frame(5)).put(frame(5)).flip();
        final String message =
            assertThrows(WireFormatException.class, () -> receive(two, 18)).getMessage();
        assertTrue(message.startsWith("9 bytes after a response"), message);
    }

    @Test
    void shouldReplaceItsMemoryWithinTheBudget()
    {
        buffer.replace(LENGTH + 50);

        assertEquals(LENGTH + 50, buffer.memory().capacity());
        assertEquals(LENGTH + 50, budget.heldBytes());
        assertEquals(50, counters.get(ClientCounters.BUDGET_EXCEEDED_BYTES));
    }

    @Test
    void shouldHaveAsMuchMemoryAsBeforeIfTheJvmHasNoMore()
    {
        buffer.replace(Integer.MAX_VALUE);

        assertEquals(LENGTH, buffer.memory().capacity());
        assertEquals(LENGTH, budget.heldBytes());
        receive(frame(LENGTH - Integer.BYTES), LENGTH);
        assertHolds(LENGTH - Integer.BYTES);
    }

    /** Another thread may take the memory that was freed. */
    @Test
    void shouldReceiveAgainAsSoonAsTheJvmHasMemory()
    {
        final boolean[] isExhausted = {false};
        final ReceiveBuffer buffer = new ReceiveBuffer(budget, (length) ->
        {
            if (isExhausted[0])
            {
                throw new OutOfMemoryError("Cannot reserve direct memory");
            }
            return budget.allocateRecords(length);
        }, LENGTH, MAX_LENGTH);
        final long heldBefore = budget.heldBytes() - LENGTH;
        isExhausted[0] = true;
        assertThrows(OutOfMemoryError.class, () -> buffer.replace(2 * LENGTH));
        assertThrows(OutOfMemoryError.class, buffer::missing);
        assertEquals(heldBefore, budget.heldBytes());

        isExhausted[0] = false;
        buffer.missing().putInt(Integer.BYTES).putInt(7);
        buffer.onReceived(2 * Integer.BYTES);

        assertTrue(buffer.isComplete());
        buffer.free();
        assertEquals(heldBefore, budget.heldBytes());
    }

    @Test
    void shouldRefuseAFrameForWhichTheJvmHasNoMemory()
    {
        final long[] left = {(1 << 20) + (1 << 16)};
        final List<Long> shortages = new ArrayList<>();
        final MemoryBudget small = new MemoryBudget(LENGTH, (bytes) -> {}, () -> left[0], shortages::add);
        final ReceiveBuffer tight = new ReceiveBuffer(small, LENGTH, MAX_LENGTH);
        for (int attempt = 0; attempt < 2; attempt++)
        {
            tight.missing().putInt(1 << 16);
            assertEquals("a frame of 65536 bytes, for which no direct memory is left: raise -XX:MaxDirectMemorySize " +
                "(it equals -Xmx unless set) if a batch is so large", assertThrows(WireFormatException.class,
                    () -> tight.onReceived(Integer.BYTES)).getMessage());
            tight.release();
        }
        assertEquals(List.of(131_072L), shortages);

        left[0] += 1 << 16;
        tight.missing().putInt(1 << 16);
        tight.onReceived(Integer.BYTES);
        assertEquals(131_072, tight.memory().capacity());
        left[0] = 0;
        assertFalse(small.findRoom(1 << 16));
        assertFalse(small.findRoom(1));
        assertEquals(List.of(131_072L, 65_536L), shortages);
        tight.free();
        left[0] = LENGTH;
        assertTrue(small.findRoom(LENGTH), "within the budget");
    }
}
