// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

class ValueSinkTest
{
    private static final long DUE_NS = 0x0123_4567_89AB_CDEFL;

    private final ValueSink sink = new ValueSink();

    @Test
    void shouldAcceptTheValuesOfTheProducer()
    {
        for (long offset = 40; offset < 45; offset++)
        {
            take(offset, PacedProducer.value(offset, DUE_NS));
        }

        assertEquals(5, sink.records());
        assertEquals(45, sink.nextOffset());
        assertEquals(0, sink.gaps());
        assertEquals(0, sink.wrongValues());
    }

    @Test
    void shouldCountASkippedAndARepeatedOffset()
    {
        sink.onValue(40, 40, 0, 0);
        sink.onValue(42, 42, 0, 0);
        sink.onValue(42, 42, 0, 0);

        assertEquals(2, sink.gaps());
        assertEquals(0, sink.wrongValues());
    }

    @Test
    void shouldCountAValueThatIsNotItsOffset()
    {
        sink.onValue(40, 41, 0, 0);
        sink.onWrongLength();

        assertEquals(0, sink.gaps());
        assertEquals(2, sink.wrongValues());
    }

    @Test
    void shouldSumWhatItKeeps()
    {
        final long empty = sink.checksum();

        sink.onValue(1, 1, 2, 3);

        assertNotEquals(empty, sink.checksum());
    }

    @Test
    void shouldHaveThreeLongsOfWhichTwoShareAByte()
    {
        final ByteBuffer value = ByteBuffer.wrap(PacedProducer.value(0x5E55_101DL, DUE_NS));

        assertEquals(23, value.capacity());
        assertEquals(0x5E55_101DL, value.getLong(0));
        assertEquals(DUE_NS & ~0xFFL, value.getLong(8) & ~0xFFL);
        assertEquals(0x5E55_101DL ^ DUE_NS, value.getLong(15));
    }

    private void take(final long offset, final byte[] bytes)
    {
        final ByteBuffer value = ByteBuffer.wrap(bytes);
        sink.onValue(offset, value.getLong(0), value.getLong(8), value.getLong(15));
    }
}
