// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecordBatchFlyweightTest
{
    private static final byte[] BYTES = RecordBatches.of(new byte[10], new byte[20], new byte[30]);

    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final RecordMemory memory = RecordBatches.memory(BYTES);

    private int wrap()
    {
        return batch.wrap(memory, 0, BYTES.length);
    }

    @Test
    void shouldReturnTheIndexesOfTheBatchAndItsRecords()
    {
        assertEquals(RecordBatchFlyweight.COMPLETE, wrap());
        assertEquals(0, batch.index());
        assertEquals(61, batch.recordsIndex());
        assertEquals(BYTES.length, batch.limit());
        assertEquals(BYTES.length - 12, batch.batchLength());
        assertEquals(100, batch.baseOffset());
        assertEquals(2, batch.lastOffsetDelta());
        assertEquals(102, batch.lastOffset());
        assertEquals(3, batch.recordCount());
        assertSame(memory, batch.memory());
    }

    @Test
    void shouldReadEachBitOfTheAttributes()
    {
        wrap();
        for (int bit = 0; bit < 7; bit++)
        {
            memory.buffer().putShort(
                RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET, (short) (1 << bit), BIG_ENDIAN);
            assertEquals(bit < 3 ? 1 << bit : 0, batch.compressionType());
            assertEquals(bit == 3, batch.isLogAppendTime());
            assertEquals(bit == 4, batch.isTransactional());
            assertEquals(bit == 5, batch.isControl());
        }
    }

    // Behaviour G78.
    @ParameterizedTest
    @CsvSource({
        "8, -1, batch length -1 where at least 49 was expected",
        "8, 48, batch length 48 where at least 49 was expected",
        "8, -2147483648, batch length -2147483648 where at least 49 was expected",
        "23, -1, last offset delta -1",
        "57, -1, record count -1",
        "0, -1, base offset -4294967196"})
    void shouldReportWhatIsMalformed(final int index, final int value, final String flaw)
    {
        memory.buffer().putInt(index, value, BIG_ENDIAN);

        assertEquals(RecordBatchFlyweight.MALFORMED, wrap());
        assertTrue(batch.flaw().contains(flaw), batch.flaw());
    }

    /** The next offset would be negative. */
    @Test
    void shouldRefuseOffsetsPastTheLargest()
    {
        memory.buffer().putLong(0, Long.MAX_VALUE - 1, BIG_ENDIAN);
        assertEquals(RecordBatchFlyweight.MALFORMED, wrap());

        memory.buffer().putInt(23, 1, BIG_ENDIAN);
        assertEquals(RecordBatchFlyweight.MALFORMED, wrap());
        memory.buffer().putInt(23, 0, BIG_ENDIAN);
        assertEquals(RecordBatchFlyweight.COMPLETE, wrap());
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    void shouldRecognizeMessagesFromBeforeRecordBatches(final byte magic)
    {
        memory.buffer().putByte(RecordBatchFlyweight.MAGIC_FIELD_OFFSET, magic);

        assertEquals(RecordBatchFlyweight.LEGACY, wrap());
    }

    @ParameterizedTest
    @CsvSource({"3", "-1"})
    void shouldRefuseOtherMagics(final byte magic)
    {
        memory.buffer().putByte(RecordBatchFlyweight.MAGIC_FIELD_OFFSET, magic);

        assertEquals(RecordBatchFlyweight.MALFORMED, wrap());
        assertEquals("magic " + magic + " where 0, 1 or 2 was expected", batch.flaw());
    }

    // Behaviour G74.
    @Test
    void shouldTreatABatchAsCutOffWhoseLengthIsBeyondTheBytes()
    {
        memory.buffer().putInt(RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET, Integer.MAX_VALUE, BIG_ENDIAN);

        assertEquals(RecordBatchFlyweight.CUT_OFF, wrap());
    }

    @Test
    void shouldNameTheCodecs()
    {
        assertEquals("none", CompressionType.name(CompressionType.NONE));
        assertEquals("zstd", CompressionType.name(CompressionType.ZSTD));
        assertEquals("unknown codec 7", CompressionType.name(7));
    }

    @Test
    void shouldReadDirectMemoryOnly()
    {
        assertThrows(IllegalArgumentException.class, () -> new RecordMemory(ByteBuffer.allocate(10)));
    }
}
