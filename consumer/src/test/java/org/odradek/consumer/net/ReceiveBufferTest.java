// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.WireFormatException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReceiveBufferTest
{
    private static final int LENGTH = 100;
    private static final int MAX_LENGTH = 150_000;

    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = new MemoryBudget(LENGTH, counters);
    private final ReceiveBuffer buffer = new ReceiveBuffer(budget, LENGTH, MAX_LENGTH);

    /** Gives what it was given, so many bytes at a time. */
    private static final class Source implements PolledSocket
    {
        private final int pieceLength;
        private final ByteBuffer bytes;

        Source(final ByteBuffer bytes, final int pieceLength)
        {
            this.bytes = bytes;
            this.pieceLength = pieceLength;
        }

        @Override
        public int receive(final ByteBuffer target)
        {
            final int length = Math.min(Math.min(pieceLength, bytes.remaining()), target.remaining());
            for (int i = 0; i < length; i++)
            {
                target.put(bytes.get());
            }
            return length;
        }

        @Override
        public boolean connect(final InetSocketAddress address)
        {
            return true;
        }

        @Override
        public boolean finishConnect()
        {
            return true;
        }

        @Override
        public int send(final ByteBuffer source)
        {
            return NOTHING;
        }

        @Override
        public void readInterest(final boolean on)
        {
        }

        @Override
        public void writeInterest(final boolean on)
        {
        }

        @Override
        public boolean isReady()
        {
            return true;
        }

        @Override
        public void clearReady()
        {
        }

        @Override
        public int receiveBufferLength()
        {
            return 0;
        }

        @Override
        public void close()
        {
        }
    }

    /** A size, and bytes that tell their place. */
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
    void shouldReceiveAFrameInAnyPieces(final int size, final int pieceLength) throws IOException
    {
        for (int round = 0; round < 2; round++)
        {
            final Source source = new Source(frame(size), pieceLength);
            while (!buffer.isComplete())
            {
                assertTrue(buffer.receive(source) > 0);
            }
            assertHolds(size);
            assertEquals(0, source.bytes.remaining());
            buffer.release();
            assertEquals(0, buffer.received());
            assertFalse(buffer.isComplete());
        }
        assertEquals(buffer.memory().capacity(), budget.heldBytes());
        assertTrue(size + Integer.BYTES <= LENGTH || buffer.memory().capacity() <= MAX_LENGTH);
        assertTrue(counters.get(ConsumerCounters.BUDGET_EXCEEDED_BYTES) >= buffer.memory().capacity() - LENGTH);
        buffer.free();
        assertEquals(0, budget.heldBytes());
    }

    @Test
    void shouldKeepTheFirstPartOfAFrameBeyondTheCap() throws IOException
    {
        final Source source = new Source(frame(MAX_LENGTH - 3), 60);
        assertEquals(60, buffer.receive(source));
        assertFalse(buffer.isOversized());
        assertEquals(40, buffer.receive(source));
        assertTrue(buffer.isOversized());
        assertFalse(buffer.isComplete());
        assertEquals(LENGTH, buffer.memory().capacity());
        assertEquals(0, buffer.receive(source));

        buffer.release();
        assertFalse(buffer.isOversized());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 3, Integer.MIN_VALUE})
    void shouldRefuseASizeThatIsNone(final int size)
    {
        final Source source = new Source(ByteBuffer.allocate(4).putInt(size).flip(), 4);
        final String message = assertThrows(WireFormatException.class, () -> buffer.receive(source)).getMessage();
        assertTrue(message.contains("frame size " + size + " where at least 4"), message);
    }

    @ParameterizedTest
    @CsvSource({"0x48545450, HTTP", "0x15030300, TLS", "0x16030100, TLS"})
    void shouldKnowOtherProtocolsByTheirFirstBytes(final int size, final String name)
    {
        final Source source = new Source(ByteBuffer.allocate(4).putInt(size).flip(), 4);
        final String message = assertThrows(WireFormatException.class, () -> buffer.receive(source)).getMessage();
        assertTrue(message.contains(name), message);
    }

    @Test
    void shouldRefuseBytesBehindAFrame()
    {
        final ByteBuffer two = ByteBuffer.allocate(18).put(frame(5)).put(frame(5)).flip();
        final String message =
            assertThrows(WireFormatException.class, () -> buffer.receive(new Source(two, 18))).getMessage();
        assertTrue(message.startsWith("9 bytes behind a response"), message);
    }
}
